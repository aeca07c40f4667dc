import { type Static, Type } from 'typebox'
import { eventTypeById, requiredEventType } from '../../catalogue/event-types.ts'
import { type Connection, type Statement, sql } from '../../db/sql.ts'
import { booleanParameter, filterTimestampParameter, idParameter } from '../../server/http/parameters.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { orNotFound, type Resource, routesOf } from '../context.ts'
import { compareNames } from '../event-json.ts'
import {
  changesOfList,
  findItem,
  type GivenLowWatermark,
  readTimedPage,
  type SyncPage,
  sendSyncPage,
  type TimedListQuery,
  timedListQuery,
} from '../lists.ts'
import type { Language } from '../replies.ts'
import { deviceIdField, instant, nullable, revision, syncList } from '../schemas.ts'
import { notePositions } from '../security-lines.ts'

/** GET /trips, /trips/{tripId} and /trip/{tripId}: the journeys of the caller's account. */
export const trips: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'trips', tag: 'Trips' })
  route('GET /trips', {
    summary: 'List trips',
    description:
      'By tripStartTimestamp; by modifyTimestamp with filterTimestamp. Without fromTimestamp and filterTimestamp, the newest ones.\n\n' +
      'A trip in progress is listed as far as it is known. Measurements that arrive late change trips: one that is merged into another, or turns out to be none, gets a deleteTimestamp. So does the worse measured one where two devices in one vehicle record the same drive. Why a trip is as it is: /trips/{tripId}/explain.',
    query: TripListQuery,
    reply: TripList,
    answer: async asked => {
      const page = await listTrips(asked.reads, asked.accountId, asked.query)
      const { language, query } = asked
      const view = { language, maySeePositions: query.positions !== false && asked.maySeePositions }
      if (view.maySeePositions) notePositions(asked.request, query)
      return sendSyncPage(asked, 'trips', page, row => tripOf(row, view))
    },
  })
  // The contract has one path in its heading and the other in its sample command.
  for (const path of ['/trips/:tripId', '/trip/:tripId'])
    route(`GET ${path}`, {
      summary: 'Get one trip',
      params: TripPath,
      query: TripQuery,
      reply: Trip,
      fails: [404],
      hasEtag: true,
      answer: async asked => {
        const { tripId } = asked.params
        const row = orNotFound(
          await findItem<TripRow>(asked.reads, asked.accountId, tripId, TRIP),
          `The trip ${tripId}`,
        )
        notePositions(asked.request, row)
        return tripOf(row, asked)
      },
    })
}

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

const FOUND = sql`
  item.id, item.device_id, item.vehicle_id, item.start_time, item.end_time, item.distance_m, item.duration_s,
  item.start_address_id, item.end_address_id, item.meters, item.polyline, item.deleted, item.modified`

const JOINS = sql`
  join vehicles v on v.id = item.vehicle_id
  left join addresses s on s.id = item.start_address_id
  left join addresses e on e.id = item.end_address_id`

const TRIP = { from: sql`trips_now`, joins: JOINS, columns: COLUMNS, prepareAs: 'find-trip' }

/** GET /trips: by start, or by modifyTimestamp with a filter. */
export function listTrips(
  connection: Connection,
  accountId: number,
  query: TimedListQuery & GivenLowWatermark,
): Promise<SyncPage<TripRow>> {
  return readTimedPage(connection, accountId, query, {
    name: 'trips',
    from: [sql`(select * from trips_shown where not is_open) item`, sql`trips_open_now item`],
    found: FOUND,
    joins: JOINS,
    columns: COLUMNS,
    begin: [sql`item.start_time`, 'start'],
  })
}

/** The parts of trips that a caller may see, and their language. */
export interface TripView {
  readonly language: Language
  /** Without it, addresses and polylines are left out (decisions.md, *Replies*, 403). */
  readonly maySeePositions: boolean
}

/** A merged trip has no distance, so that nobody counts it twice (decisions.md, *Replies*, deleted trips). */
function tripOf(row: TripRow, view: TripView): Trip {
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
  return items.sort(
    (a, b) => compareNames(a.eventType, b.eventType) || compareNames(a.aggregationType, b.aggregationType),
  )
}

export const tripChanges = changesOfList('trips', listTrips, (rows, scope) =>
  rows.map(row => JSON.stringify(tripOf(row, scope))),
)

/** Start or end position of a trip (fleet-api-v2.md, *Address*); the texts are in the language of the reply. */
export const Address = Type.Object(
  {
    id: Type.String({ description: 'Address identifier.', examples: ['815'] }),
    road: Type.String({ examples: ['Rosenheimer Straße'] }),
    houseNumber: Type.String({ examples: ['145'] }),
    suburb: Type.String({ examples: ['Haidhausen'] }),
    locality: Type.String({ examples: ['Munich'] }),
    state: Type.String({ examples: ['Bavaria'] }),
    country: Type.String({ examples: ['Germany'] }),
    postcode: Type.String({ examples: ['81671'] }),
    lat: Type.Number({ format: 'float', description: 'Latitude in degrees.', examples: [48.1275] }),
    lon: Type.Number({ format: 'float', description: 'Longitude in degrees.', examples: [11.6055] }),
  },
  { title: 'Address', description: 'A place; unknown parts are empty.' },
)
export type Address = Static<typeof Address>

/** An item of a trip's `aggregations`; note the snake_case `unit_id` of the contract. */
const TripAggregation = Type.Object(
  {
    eventType: Type.String({ examples: ['MILEAGE'] }),
    dataType: Type.String({ description: 'NUMBER, or GEO for the polyline.', examples: ['NUMBER'] }),
    aggregationType: Type.Enum(['START', 'END', 'POLYLINE']),
    value: Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'A number for START and END; an encoded polyline (precision 5) for POLYLINE.',
      examples: [50321.4],
    }),
    unit_id: Type.Optional(Type.Integer({ description: 'Absent for POLYLINE.', examples: [111] })),
    unit: Type.Optional(Type.String({ description: 'Absent for POLYLINE.', examples: ['km'] })),
  },
  { title: 'TripAggregation', description: 'What an event type was at the ends of the trip, or the way it took.' },
)
type TripAggregation = Static<typeof TripAggregation>

const tripAddress = (description: string) => Type.Union([Address, Type.Null()], { description })

/** An interval in which a car was driving (fleet-api-v2.md, *Trip*). */
export const Trip = Type.Object(
  {
    id: Type.String({ description: 'Trip identifier.', examples: ['4711'] }),
    deviceId: deviceIdField,
    vehicleId: Type.String({ description: 'The vehicle that was driven.', examples: ['VINWVWZZZ1KZAW000001'] }),
    tripStartAddress: tripAddress('Where it began; null without a position or the permission `positions`.'),
    tripEndAddress: tripAddress(
      'Where it ended; null while it is in progress, and without a position or the permission `positions`.',
    ),
    distance: Type.Number({ format: 'float', description: 'Driven distance in km.', examples: [12.345] }),
    duration: Type.Integer({ format: 'int32', description: 'Seconds from start to end.', examples: [1080] }),
    tripStartTimestamp: instant('When it began.'),
    tripEndTimestamp: instant('When it ended; of a trip in progress, its last measurement.'),
    aggregations: Type.Array(TripAggregation),
    deleteTimestamp: nullable(instant('When the trip was marked as deleted, else null.')),
    modifyTimestamp: revision('When the trip status last changed.'),
  },
  {
    title: 'Trip',
    description:
      'A drive: with ignition or engine on, or in motion where the device reports neither; short pauses included.',
  },
)
export type Trip = Static<typeof Trip>

const TripList = syncList('trips', Trip, 'TripList')

const TripListQuery = Type.Object({
  ...timedListQuery({
    begin: 'tripStartTimestamp',
    deviceId: 'Only trips that this device recorded.',
    vehicleId: 'Only trips of this vehicle.',
    includeDeleted: 'Also list trips that are marked as deleted',
  }).properties,
  positions: Type.Optional(
    booleanParameter(
      'false: without addresses and routes, as for callers without the permission; the security log then names no reading of positions (beyond the original document).',
    ),
  ),
})

export const TripPath = Type.Object({ tripId: idParameter('The id of the trip.', ['4711']) })

const TripQuery = Type.Object({
  filterTimestamp: Type.Optional(filterTimestampParameter()),
})
