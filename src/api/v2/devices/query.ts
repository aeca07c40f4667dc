import { allOf, type Connection, type Statement, sql } from '../../../db/sql.ts'
import { vehicleIdStatement } from '../../../fleet/vehicles.ts'
import { changesOfList, type GivenLowWatermark, readSyncPage, type SyncPage } from '../../lists.ts'
import type { Device, DeviceListQuery } from './schema.ts'

type DeviceRow = Omit<Device, 'modifyTimestamp'> & { readonly modified: string }

/** The dongles that are in a vehicle of the account now. */
const FROM = sql`devices item join assignments a on a.device_id = item.id and a.to_time = 'infinity'`
const FOUND = sql`item.*, a.account_id, a.vehicle_id`
const JOINS = sql`join vehicles v on v.id = item.vehicle_id`

/** decisions.md, *Vehicles and devices*: what it reported last, else plugged in while it sends. */
const IS_PLUGGED_IN = sql`coalesce(item.is_plugged_in, item.is_online)`

const COLUMNS = sql`
  item.id, item.manufacturer, item.hardware_type as "hardwareType", item.hardware_version as "hardwareVersion",
  item.firmware_version as "firmwareVersion", item.is_online as "isOnline", ${IS_PLUGGED_IN} as "isPluggedIn",
  v.public_id as "vehicleId",
  coalesce((
    select t.id::text from trips t
    where t.device_id = item.id and t.is_open and t.deleted is null and t.account_id = item.account_id
    order by t.start_time desc, t.id desc limit 1
  ), '') as "tripId",
  item.modified`

/** GET /devices: by id, or by modifyTimestamp with a filter. `vehicleId` is a public one: only those in this vehicle. */
export function listDevices(
  connection: Connection,
  accountId: number,
  query: DeviceListQuery & GivenLowWatermark & { readonly vehicleId?: string | undefined },
): Promise<SyncPage<DeviceRow>> {
  const conditions: Statement[] = [sql`a.account_id = ${accountId}`]
  if (query.deviceIds !== undefined) conditions.push(sql`item.id = any(${query.deviceIds}::bigint[])`)
  if (query.vehicleId !== undefined)
    conditions.push(sql`a.vehicle_id = ${vehicleIdStatement(accountId, query.vehicleId)}`)
  if (query.isOnline !== undefined) conditions.push(sql`item.is_online = ${query.isOnline}`)
  if (query.isPluggedIn !== undefined) conditions.push(sql`${IS_PLUGGED_IN} = ${query.isPluggedIn}`)
  if (query.fromTimestamp !== undefined) conditions.push(sql`item.modified >= ${query.fromTimestamp}::timestamptz`)
  if (query.toTimestamp !== undefined) conditions.push(sql`item.modified <= ${query.toTimestamp}::timestamptz`)
  return readSyncPage(
    connection,
    {
      name: 'devices',
      from: [FROM],
      conditions,
      found: FOUND,
      joins: JOINS,
      columns: COLUMNS,
      order: [{ field: 'id', column: sql`item.id`, kind: 'number' }],
      keepsNewest: false,
    },
    query,
  )
}

/** @returns undefined when the account has no such device. */
export async function findDevice(
  connection: Connection,
  accountId: number,
  deviceId: number,
): Promise<DeviceRow | undefined> {
  const conditions = allOf([sql`a.account_id = ${accountId}`, sql`item.id = ${deviceId}`])
  const [row] = await connection.rows<DeviceRow>(
    sql`select ${COLUMNS} from (select ${FOUND} from ${FROM} where ${conditions}) as item ${JOINS}`,
    { prepareAs: 'find-device' },
  )
  return row
}

/** A device as clients get it. */
export function deviceOf({ modified, ...fields }: DeviceRow): Device {
  return { ...fields, modifyTimestamp: modified }
}

/** Devices in the feed of changes. */
export const deviceChanges = changesOfList(
  'devices',
  (reads, accountId, { deviceId, ...query }) =>
    listDevices(reads, accountId, { ...query, ...(deviceId !== undefined && { deviceIds: [deviceId] }) }),
  rows => rows.map(row => JSON.stringify(deviceOf(row))),
)
