import type { EventTypeId } from '../../catalogue/event-types.ts'
import { OWN_LAYOUT_ID } from '../../db/layouts.ts'
import { type Statement, sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'
import { DAY_MS, type TimeRange } from '../../model/time-range.ts'
import type { RawSample, SampleSource } from '../samples.ts'
import { UnpackedBody } from './body.ts'

/** The start of the day of a time, in milliseconds since 1970. */
export function dayStartMs(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS) * DAY_MS
}

/** The day as PostgreSQL reads a date; infinite times are infinite days. */
export function dayText(timeMs: number): string {
  if (timeMs === Number.NEGATIVE_INFINITY) return '-infinity'
  if (timeMs === Number.POSITIVE_INFINITY) return 'infinity'
  return new Date(timeMs).toISOString().slice(0, 10)
}

/** The day that PostgreSQL wrote, as the range of its times. */
export function rangeOfDay(text: string): TimeRange {
  const fromMs = Date.parse(`${text}T00:00:00Z`)
  return { fromMs, toMs: fromMs + DAY_MS }
}

/** A sealed day, unpacked as far as it is needed. */
export interface SealedDay {
  readonly deviceId: DeviceId
  readonly day: TimeRange
  readonly body: UnpackedBody
}

/** Those of some devices within a range: a condition on `d`, the sealed day. */
export function ofDevices(deviceIds: readonly DeviceId[], range: TimeRange): Statement {
  return sql`d.device_id = any(${[...new Set(deviceIds)]}::bigint[]) and ${within(range)}`
}

/** Those within a range. */
export function within({ fromMs, toMs }: TimeRange): Statement {
  return sql`d.day between ${dayText(fromMs)}::date and ${dayText(Number.isFinite(toMs) ? toMs - 1 : toMs)}::date`
}

/** Those that some finite intervals, or instants, of devices touch. */
export function touchedBy(intervals: readonly ({ readonly deviceId: DeviceId } & TimeRange)[]): Statement {
  const days = new Map<string, { readonly deviceId: DeviceId; readonly day: string }>()
  for (const { deviceId, fromMs, toMs } of intervals)
    for (let dayMs = dayStartMs(fromMs); dayMs < toMs; dayMs += DAY_MS)
      days.set(`${deviceId} ${dayMs}`, { deviceId, day: dayText(dayMs) })
  const touched = [...days.values()]
  return sql`(d.device_id, d.day) in (select * from unnest(
    ${touched.map(({ deviceId }) => deviceId)}::bigint[], ${touched.map(({ day }) => day)}::date[]))`
}

/** Those that can have samples with one of these types; all, when none are given. */
export function havingTypes(types: readonly EventTypeId[] | undefined): Statement {
  return types
    ? sql`(d.layout_ids && array(select id from layouts where types && ${types}::smallint[]) or ${OWN_LAYOUT_ID} = any(d.layout_ids))`
    : sql`true`
}

/** A sealed sample beside those that were read from rows, so that whoever reads need not know which is which. */
export function rawSampleAt({ deviceId, body }: SealedDay, place: number, withStored = false): RawSample {
  return {
    deviceId,
    timeMs: body.timeMsAt(place),
    storedUs: withStored ? body.storedUsAt(place) : 0,
    layout: body.layoutAt(place),
    values: body,
    place,
  }
}

interface SealedDayRow {
  readonly device_id: DeviceId
  readonly day: string
  readonly version: number
  readonly values_count: number
  /** null where this version is cached */
  readonly body: Buffer | null
}

/** The sealed days of a condition, by device and day. Read them after the rows of the same time: sealing moves samples
 * from there to here and never back, so none is missed, and a row is the newer one. */
export async function readSealedDays(source: SampleSource, which: Statement): Promise<SealedDay[]> {
  const cached = DayCache.of(source).snapshot()
  const rows = await source.rows<SealedDayRow>(sql`
    select d.device_id, d.day::text as day, d.version, d.values_count, ${bodyUnless(cached)} as body
    from sealed_days d where ${which} order by d.device_id, d.day`)
  return rows.map(row => dayOf(source, row, cached))
}

/** So much is fetched in one statement, unless the first day alone is more. */
export const SAMPLES_AT_ONCE = 50_000
const BYTES_AT_ONCE = 8_000_000

/** Whole days of all devices of a condition; or the first one, where that is too much to be fetched in one statement. */
type NextDays =
  | { readonly kind: 'fetched'; readonly days: readonly SealedDay[] }
  | { readonly kind: 'large'; readonly day: TimeRange; readonly samples: number }

/** Those of some devices within a range that can have samples with one of the types. */
interface WantedDays {
  readonly deviceIds: readonly DeviceId[]
  readonly range: TimeRange
  readonly types: readonly EventTypeId[] | undefined
  readonly direction: 'ascending' | 'descending'
  /** Days are fetched until they have so many samples. */
  readonly samples: number
}

/** The next sealed days in a direction, in the order of day, then device; none when there are no more. When: as `readSealedDays` says. */
export async function readNextSealedDays(
  source: SampleSource,
  { deviceIds, range, types, direction, samples }: WantedDays,
): Promise<NextDays> {
  const cached = DayCache.of(source).snapshot()
  const order = direction === 'ascending' ? sql`` : sql`desc`
  const rows = await source.rows<SealedDayRow & { readonly samples_count: number; readonly fits: boolean }>(
    sql`
    select d.device_id, d.day::text as day, d.version, d.values_count, d.samples_count, d.fits,
      case when d.fits then ${bodyUnless(cached)} end as body
    from (
      select d.*, rank() over w = 1 as is_first,
        coalesce(sum(d.samples_count) over (w groups between unbounded preceding and 1 preceding), 0)
          < ${Math.min(samples, SAMPLES_AT_ONCE)}::integer as is_wanted,
        sum(d.samples_count) over w <= ${SAMPLES_AT_ONCE}::integer
          and sum(octet_length(d.body)) over w <= ${BYTES_AT_ONCE}::integer as fits
      from sealed_days d where ${ofDevices(deviceIds, range)} and ${havingTypes(types)}
      window w as (order by d.day ${order})) as d
    where d.is_first or (d.is_wanted and d.fits)
    order by d.day ${order}, d.device_id`,
    // It takes longer to plan than to run.
    { prepareAs: `next-sealed-days-${direction}${types ? '-of-types' : ''}` },
  )
  const [first] = rows
  if (first && !first.fits)
    return { kind: 'large', day: rangeOfDay(first.day), samples: rows.reduce((sum, row) => sum + row.samples_count, 0) }
  return { kind: 'fetched', days: rows.map(row => dayOf(source, row, cached)) }
}

function bodyUnless(cached: ReadonlyMap<number, UnpackedBody>): Statement {
  return sql`case when d.version = any(${[...cached.keys()]}::bigint[]) then null else d.body end`
}

function dayOf(
  source: SampleSource,
  { device_id: deviceId, day, version, values_count: values, body: stored }: SealedDayRow,
  cached: ReadonlyMap<number, UnpackedBody>,
): SealedDay {
  const body = cached.get(version) ?? (stored && new UnpackedBody(stored))
  if (!body) throw new Error('a sealed day without a body')
  DayCache.of(source).note(version, body, values)
  return { deviceId, day: rangeOfDay(day), body }
}

/** So many values of each database are cached at most: a day of one record a second. */
const MOST_VALUES = 2_000_000
/** A day counts for at least so many, so that there are not too many of them. */
const LEAST_OF_A_DAY = 2000

const ofDatabases = new WeakMap<object, DayCache>()

/** Sealed days that were read lately, by version: whoever reads a day in pieces needs not fetch and unpack it for each. */
class DayCache {
  /** The longest unused first. */
  readonly #days = new Map<number, { readonly body: UnpackedBody; readonly values: number }>()
  #values = 0

  /** Those of a database, for which its layouts stand. */
  static of({ layouts }: SampleSource): DayCache {
    const known = ofDatabases.get(layouts) ?? new DayCache()
    ofDatabases.set(layouts, known)
    return known
  }

  snapshot(): ReadonlyMap<number, UnpackedBody> {
    return new Map([...this.#days].map(([version, { body }]) => [version, body]))
  }

  note(version: number, body: UnpackedBody, valuesCount: number): void {
    this.#forget(version)
    const values = Math.max(LEAST_OF_A_DAY, valuesCount)
    this.#days.set(version, { body, values })
    this.#values += values
    for (const oldest of this.#days.keys()) {
      if (this.#values <= MOST_VALUES) return
      this.#forget(oldest)
    }
  }

  #forget(version: number): void {
    this.#values -= this.#days.get(version)?.values ?? 0
    this.#days.delete(version)
  }
}
