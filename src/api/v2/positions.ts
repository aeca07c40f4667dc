import { type Static, Type } from 'typebox'
import { requiredEventType } from '../../catalogue/event-types.ts'
import type { AccountReads } from '../../db/account-reads.ts'
import { sql } from '../../db/sql.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import { FIRST_STORED, joinExtent, LAST_STORED } from '../../derive/due.ts'
import { type DeviceId, valueIn } from '../../model/sample.ts'
import { clippedTo, DAY_MS, HOUR_MS } from '../../model/time-range.ts'
import { timestampParameter } from '../../server/http/parameters.ts'
import {
  type FixesWanted,
  type FoundFix,
  type Interval,
  readFixesWithin,
  sampleOfRaw,
  withRawConnection,
} from '../../store/index.ts'
import { type Resource, routesOf } from '../context.ts'
import { instant, nullable } from '../schemas.ts'
import { notePositions } from '../security-lines.ts'

/** GET /positions: where the cars of the caller's account were at an instant, and what they did. */
export const positions: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'positions', tag: 'Vehicles' })
  route('GET /positions', {
    summary: 'Where cars were',
    description:
      'Beyond the original document. By vehicle id. A parked car is where its last trip before the instant ended. Cars whose position was not known then are left out.',
    query: PositionsQuery,
    reply: PositionList,
    answer: async ({ request, history, accountId, query: { timestamp } }) => {
      notePositions(request, {})
      const atMs = timestamp === undefined ? context.clock.wallMs() : instantMs(timestamp)
      return { positions: await readPositions(history, accountId, atMs) }
    },
  })
}

/** A silence of half an hour ends a trip, and driving without a fix counts for no longer. */
const DRIVING_FIX_MS = HOUR_MS
/** The dongle of a parked car reports at least once a day. */
const PARKED_FIX_MS = DAY_MS
/** Of some samples it is not known before they are read whether they have a fix. */
const NEWEST: FixesWanted = { isFromEnd: true, skip: 0, most: 4 }
/** The console takes a parked car that said nothing for so long for silent. */
const SILENT_AFTER_MS = 2 * DAY_MS

async function readPositions(reads: AccountReads, accountId: number, atMs: number): Promise<PositionThen[]> {
  const cars = (await readCars(reads, accountId, atMs)).map(row => ({ row, wanted: fixWanted(row, atMs) }))
  const intervals = cars.flatMap(({ wanted }) => wanted ?? [])
  const fixes = await withRawConnection(reads, source => readFixesWithin(source, intervals, NEWEST))
  const found = new Map(intervals.map((interval, index) => [interval, fixes[index]?.at(-1)]))
  return cars.flatMap(({ row, wanted }) => positionThen(row, atMs, wanted && found.get(wanted)) ?? [])
}

/** A car that had reported by the instant, with its last trip that had begun. Meanwhile its dongle may have moved on. */
interface CarRow {
  readonly public_id: string
  readonly device_id: DeviceId
  /** When the dongle was in the car and reported, as far as until the instant. */
  readonly first: string
  readonly last: string
  readonly trip_id: string | null
  readonly start_time: string | null
  /** null: it went on at the instant. */
  readonly end_time: string | null
  /** Where the trip ended; where it began, if it went on. */
  readonly lat: number | null
  readonly lon: number | null
}

/** Of several dongles in a car the one counts that was heard last. */
function readCars(reads: AccountReads, accountId: number, atMs: number): Promise<CarRow[]> {
  const at = sql`${instantOfMs(atMs)}::timestamptz`
  return reads.rows<CarRow>(sql`
    select v.public_id, heard.device_id, heard.first, heard.last, t.id::text as trip_id, t.start_time, t.end_time, place.lat, place.lon
    from vehicles v
    cross join lateral (
      select a.device_id, greatest(a.from_time, ${FIRST_STORED}) as first,
        least(a.to_time, ${LAST_STORED} + interval '1 ms', ${at} + interval '1 ms') as last
      from assignments a ${joinExtent(sql`a.device_id`)}
      where a.vehicle_id = v.id and a.account_id = v.account_id and ${LAST_STORED} is not null
        and greatest(a.from_time, ${FIRST_STORED}) <= ${at}
      order by last desc, a.device_id limit 1
    ) heard
    left join lateral (
      select t.id, t.start_time, case when not t.is_open and t.end_time < ${at} then t.end_time end as end_time,
        t.start_address_id, t.end_address_id
      from trips t
      where t.vehicle_id = v.id and t.account_id = v.account_id and t.deleted is null and t.start_time <= ${at}
      order by t.start_time desc, t.id desc limit 1
    ) t on true
    left join addresses place on place.id = case when t.end_time is null then t.start_address_id else t.end_address_id end
    where v.account_id = ${accountId} order by v.public_id`)
}

/** Where its samples are to be looked at: while it drove, and where no trip says where it is. */
function fixWanted({ device_id, first, last, start_time, end_time, lat }: CarRow, atMs: number): Interval | undefined {
  const isDriving = start_time !== null && end_time === null
  if (lat !== null && !isDriving) return undefined
  const toMs = instantMs(last)
  const fromMs = isDriving ? Math.max(instantMs(start_time), atMs - DRIVING_FIX_MS) : toMs - PARKED_FIX_MS
  return clippedTo({ fromMs: instantMs(first), toMs }, { deviceId: device_id, fromMs, toMs })
}

function positionThen(row: CarRow, atMs: number, found: FoundFix | undefined): PositionThen | undefined {
  const { public_id: vehicleId, start_time, end_time, lat, lon } = row
  const since = end_time ?? start_time
  const isDriving = start_time !== null && end_time === null
  const lastMs = instantMs(row.last) - 1
  const isSilent = !isDriving && atMs - lastMs > SILENT_AFTER_MS
  const position = found ? found.fix : lat === null || lon === null ? undefined : { lat, lon }
  if (position === undefined) return undefined
  const sample = found && sampleOfRaw(found.sample)
  const measured = (name: 'GPS_COURSE' | 'GPS_SPEED' | 'VEHICLE_SPEED_AVERAGE') =>
    sample && isDriving ? (valueIn(sample, requiredEventType(name)) as number | undefined) : undefined
  return {
    vehicleId,
    state: isDriving ? 'DRIVING' : isSilent ? 'SILENT' : 'PARKED',
    sinceTimestamp: isSilent ? textOf(lastMs) : since && textOf(instantMs(since)),
    tripId: row.trip_id,
    positionTimestamp: found ? textOf(found.timeMs) : since && textOf(instantMs(since)),
    position,
    speed: measured('GPS_SPEED') ?? measured('VEHICLE_SPEED_AVERAGE') ?? null,
    course: measured('GPS_COURSE') ?? null,
  }
}

function textOf(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

const PositionsQuery = Type.Object({
  timestamp: Type.Optional(timestampParameter('The instant; now unless given.')),
})

const PositionThen = Type.Object(
  {
    vehicleId: Type.String({ examples: ['VINWVWZZZ1KZAW000001'] }),
    state: Type.Enum(['DRIVING', 'PARKED', 'SILENT'], {
      description: 'DRIVING: in a trip. SILENT: parked, and its device had said nothing for two days.',
    }),
    sinceTimestamp: nullable(instant('The begin of the trip, the end of the last one, or the last measurement.')),
    tripId: nullable(Type.String({ description: 'That trip, or the last one.', examples: ['4711'] })),
    position: Type.Object({ lat: Type.Number({ examples: [48.1275] }), lon: Type.Number({ examples: [11.6055] }) }),
    positionTimestamp: nullable(instant('When it was there.')),
    speed: nullable(Type.Number({ description: 'In km/h, if it drove.', examples: [47] })),
    course: nullable(Type.Number({ description: 'In degrees, if it drove.', examples: [90] })),
  },
  { title: 'PositionThen', description: 'Where a car was.' },
)
type PositionThen = Static<typeof PositionThen>

const PositionList = Type.Object({ positions: Type.Array(PositionThen) }, { title: 'PositionList' })
