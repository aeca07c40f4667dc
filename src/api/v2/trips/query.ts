import type { Connection } from '../../../db/database.ts'
import { type Statement, sql } from '../../../db/sql.ts'
import { numberIdOf } from '../../number-id.ts'
import { type GivenLowWatermark, readSyncPage, type SyncPage } from '../../sync-page.ts'
import { type HappeningListQuery, happeningConditions, happeningOrder } from '../happenings.ts'

/** Parts of an address in one language. */
type AddressTexts = Readonly<Record<string, string | undefined>>

export interface AddressRow {
  readonly id: number
  readonly lat: number
  readonly lon: number
  readonly texts: Readonly<Record<string, AddressTexts | undefined>>
}

export interface TripRow {
  readonly id: number
  readonly deviceId: number
  readonly vehicleId: string
  readonly startAddress: AddressRow | null
  readonly endAddress: AddressRow | null
  readonly metres: number
  readonly seconds: number
  readonly start: string
  readonly end: string
  /** By the id of the event type. */
  readonly meters: Readonly<Record<string, { readonly start?: number; readonly end?: number }>>
  readonly polyline: string
  readonly deleted: string | null
  readonly modified: string
}

/** The row of an address that is joined under this name; null without one. */
export const addressOf = (alias: Statement) => sql`
  case when ${alias}.id is not null then
    jsonb_build_object('id', ${alias}.id, 'lat', ${alias}.lat, 'lon', ${alias}.lon, 'texts', ${alias}.texts)
  end`

const COLUMNS = sql`
  item.id, item.device_id as "deviceId", v.public_id as "vehicleId",
  ${addressOf(sql`s`)} as "startAddress", ${addressOf(sql`e`)} as "endAddress",
  item.distance_m as metres, item.duration_s as seconds, item.start_time as start, item.end_time as "end",
  item.meters, item.polyline, item.deleted, item.modified`

/** Trips that ended, as stored in their table, and the few that are open. */
const PLACES = [sql`(select * from trips_shown where not is_open) item`, sql`trips_open_now item`] as const
const FOUND = sql`
  item.id, item.device_id, item.vehicle_id, item.start_time, item.end_time, item.distance_m, item.duration_s,
  item.start_address_id, item.end_address_id, item.meters, item.polyline, item.deleted, item.modified`

const JOINS = sql`
  join vehicles v on v.id = item.vehicle_id
  left join addresses s on s.id = item.start_address_id
  left join addresses e on e.id = item.end_address_id`

/** GET /trips: by start, or by modifyTimestamp with a filter. */
export async function listTrips(
  connection: Connection,
  accountId: number,
  query: HappeningListQuery & GivenLowWatermark,
): Promise<SyncPage<TripRow>> {
  const begin = sql`item.start_time`
  return readSyncPage(
    connection,
    {
      name: 'trips',
      from: PLACES,
      conditions: await happeningConditions(connection, accountId, query, begin),
      found: FOUND,
      joins: JOINS,
      columns: COLUMNS,
      order: happeningOrder('start', begin),
      keepsNewest: true,
    },
    query,
  )
}

/** @returns undefined when the account has no such trip; one marked as deleted is found. */
export async function findTrip(
  connection: Connection,
  accountId: number,
  tripId: string,
): Promise<TripRow | undefined> {
  const id = numberIdOf(tripId)
  if (id === undefined) return undefined
  const [row] = await connection.rows<TripRow>(
    sql`select ${COLUMNS} from trips_now item ${JOINS} where item.id = ${id} and item.account_id = ${accountId}`,
    { prepareAs: 'find-trip' },
  )
  return row
}
