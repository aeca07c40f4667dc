import { eventTypeById, requiredEventType } from '../../../catalogue/event-types.ts'
import { type Connection, type Statement, sql } from '../../../db/sql.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import {
  changesOfList,
  type GivenLowWatermark,
  readSyncPage,
  type SyncPage,
  type TimedListQuery,
  timedListConditions,
  timedListOrder,
} from '../../lists.ts'
import type { Language } from '../../replies.ts'
import { numberIdOf } from '../../schemas.ts'
import type { Address, Trip, TripAggregation } from './schema.ts'

/** Parts of an address in one language. */
type AddressTexts = Readonly<Record<string, string | undefined>>

export interface AddressRow {
  readonly id: number
  readonly lat: number
  readonly lon: number
  readonly texts: Readonly<Record<string, AddressTexts | undefined>>
}

interface TripRow {
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
export const addressColumn = (alias: Statement) => sql`
  case when ${alias}.id is not null then
    jsonb_build_object('id', ${alias}.id, 'lat', ${alias}.lat, 'lon', ${alias}.lon, 'texts', ${alias}.texts)
  end`

const COLUMNS = sql`
  item.id, item.device_id as "deviceId", v.public_id as "vehicleId",
  ${addressColumn(sql`s`)} as "startAddress", ${addressColumn(sql`e`)} as "endAddress",
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
  query: TimedListQuery & GivenLowWatermark,
): Promise<SyncPage<TripRow>> {
  const begin = sql`item.start_time`
  return readSyncPage(
    connection,
    {
      name: 'trips',
      from: PLACES,
      conditions: await timedListConditions(connection, accountId, query, begin),
      found: FOUND,
      joins: JOINS,
      columns: COLUMNS,
      order: timedListOrder('start', begin),
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

/** What a caller may see of trips, and in which language. */
export interface TripView {
  readonly language: Language
  /** Without it, addresses and polylines are left out (decisions.md, *Replies*, 403). */
  readonly maySeePositions: boolean
}

/**
 * A trip as a caller sees it. One that was merged away has no distance, duration and aggregations, so that nobody
 * counts it twice (decisions.md, *Replies*, deleted trips).
 */
export function tripOf(row: TripRow, view: TripView): Trip {
  const isDeleted = row.deleted !== null
  return {
    id: String(row.id),
    deviceId: row.deviceId,
    vehicleId: row.vehicleId,
    tripStartAddress: view.maySeePositions ? addressOf(row.startAddress, view.language) : null,
    tripEndAddress: view.maySeePositions ? addressOf(row.endAddress, view.language) : null,
    distance: isDeleted ? 0 : row.metres / 1000,
    duration: isDeleted ? 0 : row.seconds,
    tripStartTimestamp: millisecondText(row.start),
    tripEndTimestamp: millisecondText(row.end),
    aggregations: isDeleted ? [] : aggregationsOf(row, view),
    deleteTimestamp: row.deleted === null ? null : millisecondText(row.deleted),
    modifyTimestamp: row.modified,
  }
}

/** An address in a language, or in another one that is known. */
export function addressOf(row: AddressRow | null, language: Language): Address | null {
  if (!row) return null
  const wanted = row.texts[language]
  // A name in the other language is better than none.
  const other = row.texts[language === 'en' ? 'de' : 'en']
  const part = (name: string) => wanted?.[name] || other?.[name] || ''
  return {
    id: String(row.id),
    road: part('road'),
    houseNumber: part('houseNumber'),
    suburb: part('suburb'),
    locality: part('locality'),
    state: part('state'),
    country: part('country'),
    postcode: part('postcode'),
    lat: row.lat,
    lon: row.lon,
  }
}

const POSITION = requiredEventType('POSITION')

function aggregationsOf(row: TripRow, view: TripView): TripAggregation[] {
  const items: TripAggregation[] = []
  for (const [id, { start, end }] of Object.entries(row.meters)) {
    const { name, dataType, unit, unitId } = eventTypeById(Number(id))
    const item = { eventType: name, dataType, unit_id: unitId, unit }
    if (end !== undefined) items.push({ ...item, aggregationType: 'END', value: end })
    if (start !== undefined) items.push({ ...item, aggregationType: 'START', value: start })
  }
  if (view.maySeePositions && row.polyline !== '') {
    const { name, dataType } = POSITION
    items.push({ eventType: name, dataType, aggregationType: 'POLYLINE', value: row.polyline })
  }
  return items.sort((a, b) => compare(a.eventType, b.eventType) || compare(a.aggregationType, b.aggregationType))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Trips in the feed of changes. */
export const tripChanges = changesOfList('trips', listTrips, (rows, { language, hidesPositions }) =>
  rows.map(row => JSON.stringify(tripOf(row, { language, maySeePositions: !hidesPositions }))),
)
