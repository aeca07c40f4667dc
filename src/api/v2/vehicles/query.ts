import { type Connection, type Statement, sql } from '../../../db/sql.ts'
import { currentDeviceOf, vehicleIdStatement } from '../../../fleet/vehicles.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { type GivenLowWatermark, readSyncPage, type SyncPage } from '../../lists.ts'
import type { VehicleListQuery } from './schema.ts'

/** A vehicle without its latest values. A former public id of a vehicle has a row, too: it is deleted, and nothing else. */
export interface VehicleRow {
  readonly id: number
  readonly public_id: string
  readonly vin: string | null
  readonly tecdoc_make_id: number
  readonly tecdoc_model_id: number
  readonly tecdoc_vehicle_id: number
  readonly make: string
  readonly model: string
  readonly vehicle: string
  readonly fuel_type: string
  readonly kba: string
  readonly license_plate: string
  readonly color: string
  readonly car_group: string
  readonly device_id: DeviceId | null
  readonly trip_id: string | null
  readonly first_device_id: DeviceId
  readonly alarm_system: boolean | null
  readonly alarm_system_set: string | null
  readonly deleted: string | null
  readonly modified: string
  readonly is_former: boolean
}

/** The latest values of one device in a vehicle: arrays as PostgreSQL writes them. */
export interface LatestRow {
  readonly vehicle_id: number
  readonly latest_device: DeviceId
  readonly types: string
  readonly times: string
  readonly numbers: string
  readonly texts: string
}

const FIELDS = sql`
  v.id, v.public_id, v.vin, v.tecdoc_make_id, v.tecdoc_model_id, v.tecdoc_vehicle_id, v.make, v.model, v.vehicle,
  v.fuel_type, v.kba, v.license_plate, v.color, v.car_group, v.first_device_id, v.alarm_system, v.alarm_system_set`

const CURRENT_DEVICE = currentDeviceOf(sql`v.id`)

const OPEN_TRIP = sql`(
  select t.id::text from trips t where t.vehicle_id = v.id and t.is_open and t.deleted is null
  order by t.start_time desc, t.id desc limit 1)`

const LATEST_FIELDS = sql`
  l.device_id as latest_device, l.types::text as types, l.times::text as times, l.numbers::text as numbers,
  l.texts::text as texts`

/** One vehicle with its latest values: a row for every device that reported from it, at least one. */
export type FoundVehicle = VehicleRow & { [K in keyof LatestRow]: LatestRow[K] | null }

/**
 * Finds a vehicle by its public id, or by one that it had before.
 * @returns no rows when the account has none.
 */
export function findVehicle(connection: Connection, accountId: number, publicId: string): Promise<FoundVehicle[]> {
  return connection.rows<FoundVehicle>(
    sql`
      select ${FIELDS}, ${CURRENT_DEVICE} as device_id, ${OPEN_TRIP} as trip_id, v.deleted, false as is_former,
        greatest(v.modified, max(l.modified) over ()) as modified, l.vehicle_id, ${LATEST_FIELDS}
      from vehicles v left join latest_values l on l.vehicle_id = v.id
      where v.account_id = ${accountId} and v.id = ${vehicleIdStatement(accountId, publicId)}
      order by l.device_id`,
    { prepareAs: 'find-vehicle' },
  )
}

/** Whether a device ever was in a vehicle. */
export async function wasInVehicle(connection: Connection, deviceId: DeviceId, vehicleId: number): Promise<boolean> {
  const rows = await connection.rows(
    sql`select 1 from assignments where device_id = ${deviceId} and vehicle_id = ${vehicleId} limit 1`,
  )
  return rows.length > 0
}

/**
 * GET /vehicles: by public id, or by modifyTimestamp with a filter; then former public ids too, as deleted. `vehicleId`
 * is a public one: only this vehicle.
 */
export function listVehicles(
  connection: Connection,
  accountId: number,
  query: VehicleListQuery & GivenLowWatermark & { readonly vehicleId?: string | undefined },
): Promise<SyncPage<VehicleRow>> {
  const conditions: Statement[] = []
  if (query.deviceId !== undefined)
    conditions.push(sql`item.id in (
      select vehicle_id from assignments where device_id = ${query.deviceId} and account_id = ${accountId})`)
  if (query.vehicleId !== undefined) conditions.push(sql`item.id = ${vehicleIdStatement(accountId, query.vehicleId)}`)
  if (query.fromTimestamp !== undefined) conditions.push(sql`item.modified >= ${query.fromTimestamp}::timestamptz`)
  if (query.toTimestamp !== undefined) conditions.push(sql`item.modified <= ${query.toTimestamp}::timestamptz`)
  const current = sql`
    select v.id, v.public_id, v.deleted, false as is_former, greatest(v.modified, l.modified) as modified
    from vehicles v
    cross join lateral (select max(own.modified) as modified from latest_values own where own.vehicle_id = v.id) l
    where v.account_id = ${accountId}`
  const former = sql`
    select vehicle_id, public_id, deleted, true, modified from former_vehicle_ids where account_id = ${accountId}`
  const all = query.filterTimestamp === undefined ? current : sql`${current} union all ${former}`
  return readSyncPage(
    connection,
    {
      name: 'vehicles',
      from: [sql`(${all}) item`],
      conditions,
      found: sql`item.*`,
      joins: sql`join vehicles v on v.id = item.id`,
      columns: sql`
        ${FIELDS}, item.public_id, item.deleted, item.is_former, item.modified,
        ${CURRENT_DEVICE} as device_id, ${OPEN_TRIP} as trip_id`,
      order: [{ field: 'public_id', column: sql`item.public_id`, kind: 'string' }],
      keepsNewest: false,
    },
    query,
  )
}

/** The latest values of several vehicles, by vehicle and device. */
export async function readLatestValues(
  connection: Connection,
  vehicleIds: readonly number[],
): Promise<readonly LatestRow[]> {
  if (vehicleIds.length === 0) return []
  return connection.rows<LatestRow>(sql`
    select l.vehicle_id, ${LATEST_FIELDS} from latest_values l
    where l.vehicle_id = any(${vehicleIds}::bigint[]) order by l.vehicle_id, l.device_id`)
}
