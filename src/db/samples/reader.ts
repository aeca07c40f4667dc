import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId } from '../../model/sample.ts'
import { holdsAny } from '../../model/sample-layout.ts'
import { clippedTo, type TimeRange } from '../../model/time-range.ts'
import { timestampOfUs } from '../revisions.ts'
import { allOf, type Statement, sql } from '../sql.ts'
import { instantOfMs } from '../values.ts'
import { GrowingWindows, type ReadingDirection } from './growing-windows.ts'
import { OWN_LAYOUT_ID } from './layouts.ts'
import { CHUNK_COLUMNS, type RawSample } from './packed-samples.ts'
import type { RawConnection } from './raw-connection.ts'
import { WEEK_MS } from './weeks.ts'

/** An interval of a device whose samples are wanted. */
export interface Interval extends TimeRange {
  readonly deviceId: DeviceId
}

interface SampleOrder {
  /** Only samples with one of these types; undefined for all. */
  readonly types: readonly EventTypeId[] | undefined
  readonly direction: ReadingDirection
  /** How many samples are needed next, if known: called before each round trip, which fetches no more. */
  readonly nextSamples?: NextSamples
}

type NextSamples = () => number

/** Samples of one round trip at most: with four to five events per sample enough for the longest page. */
const CHUNK_SAMPLES = 2200

function chunkSamples(nextSamples: NextSamples | undefined): number {
  return Math.min(CHUNK_SAMPLES, nextSamples?.() ?? CHUNK_SAMPLES)
}

/**
 * The reading interface of the store: the samples of devices in intervals, in time order (ties by device), a chunk
 * at a time, read lazily. Goes through time in windows, because PostgreSQL opens every table that a
 * statement could need, and a dongle that has reported for ten years has samples in hundreds of them.
 */
export async function* readSamples(
  connection: RawConnection,
  intervals: readonly Interval[],
  order: SampleOrder,
): AsyncGenerator<RawSample[]> {
  const windows = new GrowingWindows(extentOf(intervals), order.direction, FIRST_DEVICE_WINDOW_MS)
  for (let window = windows.next(false); window; ) {
    let count = 0
    for await (const samples of readIntervals(connection, clipped(intervals, window), order)) {
      count += samples.length
      yield samples
    }
    window = windows.next(count >= CHUNK_SAMPLES)
  }
}

function extentOf(intervals: readonly Interval[]): TimeRange {
  let fromMs = Number.POSITIVE_INFINITY
  let toMs = Number.NEGATIVE_INFINITY
  for (const interval of intervals) {
    fromMs = Math.min(fromMs, interval.fromMs)
    toMs = Math.max(toMs, interval.toMs)
  }
  return { fromMs, toMs }
}

/** The intervals, clipped to a window. */
export function clipped(intervals: readonly Interval[], window: TimeRange): Interval[] {
  return intervals.flatMap(interval => clippedTo(window, interval) ?? [])
}

/** The same within a window. */
async function* readIntervals(
  connection: RawConnection,
  intervals: readonly Interval[],
  { types, direction, nextSamples }: SampleOrder,
): AsyncGenerator<RawSample[]> {
  if (intervals.length === 0) return
  const [first] = intervals
  const onlyDevice = intervals.every(({ deviceId }) => deviceId === first?.deviceId) ? first?.deviceId : undefined
  let bound: Statement[] = []
  while (true) {
    const conditions = allOf([...bound, ...holding(types)])
    const most = chunkSamples(nextSamples)
    const parts = intervals.map(
      ({ deviceId, fromMs, toMs }) => sql`(
        select ${CHUNK_COLUMNS} from samples s
        where s.device_id = ${deviceId} and s.time >= ${instantOfMs(fromMs)} and s.time < ${instantOfMs(toMs)}
          and ${conditions}
        order by s.time ${directionOf(direction)} limit ${most})`,
    )
    const samples = await connection.chunk(
      parts.length === 1
        ? unionOf(parts)
        : sql`select * from (${unionOf(parts)}) as s order by ${ordering(direction)} limit ${most}`,
      onlyDevice === undefined ? {} : { deviceId: onlyDevice },
    )
    yield thatHold(samples, types)
    if (samples.length < most) return
    bound = beyondLast(samples, direction)
  }
}

const FIRST_WINDOW_MS = 60_000
const FIRST_DEVICE_WINDOW_MS = 4 * WEEK_MS

/**
 * The samples of all cars that an account saw, in time order (ties by device), window by window.
 * @param range finite
 */
export async function* readFleetSamples(
  connection: RawConnection,
  accountId: number,
  range: TimeRange,
  { types, direction, nextSamples }: SampleOrder,
): AsyncGenerator<RawSample[]> {
  const windows = new GrowingWindows(range, direction, FIRST_WINDOW_MS)
  for (let window = windows.next(false); window; ) {
    let bound: Statement[] = []
    let samples: RawSample[]
    let isBusy = false
    let most: number
    do {
      most = chunkSamples(nextSamples)
      samples = await connection.chunk(sql`
        select ${CHUNK_COLUMNS} from samples s
        join assignments a on a.device_id = s.device_id and s.time >= a.from_time and s.time < a.to_time
        where a.account_id = ${accountId}
          and s.time >= ${instantOfMs(window.fromMs)} and s.time < ${instantOfMs(window.toMs)}
          and ${allOf([...bound, ...holding(types)])}
        order by ${ordering(direction)} limit ${most}`)
      yield thatHold(samples, types)
      isBusy ||= samples.length === most
      bound = beyondLast(samples, direction)
    } while (samples.length === most)
    window = windows.next(isBusy)
  }
}

/** A sample in the order of storing: revision, time, device. */
export interface StoredPlace {
  readonly stored: string
  readonly time: string
  readonly deviceId: number
}

/** What a reader may see: conditions on `s`, the sample, `a`, its assignment, and what is joined to them. */
interface Visibility {
  readonly join: Statement
  readonly conditions: readonly Statement[]
}

/**
 * Samples in the order in which they were stored (design, decision 10).
 * @param start a revision, to begin after it, or a sample, to begin with it
 */
export async function* readStoredSamples(
  connection: RawConnection,
  { join, conditions }: Visibility,
  start: StoredPlace | string,
  { types, nextSamples }: Omit<SampleOrder, 'direction'>,
): AsyncGenerator<RawSample[]> {
  let bound =
    typeof start === 'string' ? sql`s.stored > ${start}::timestamptz` : sql`${STORED_ORDER} >= ${valuesOf(start)}`
  while (true) {
    const most = chunkSamples(nextSamples)
    const samples = await connection.chunk(
      sql`
      select ${CHUNK_COLUMNS} from samples s
      join assignments a on a.device_id = s.device_id and s.time >= a.from_time and s.time < a.to_time ${join}
      where ${allOf([bound, ...conditions, ...holding(types)])}
      order by s.stored, s.time, s.device_id limit ${most}`,
      { withStored: true },
    )
    yield thatHold(samples, types)
    const last = samples.at(-1)
    if (!last || samples.length < most) return
    bound = sql`${STORED_ORDER} > ${valuesOf(placeOf(last))}`
  }
}

/** The position of a sample in the order of storing. */
export function placeOf({ storedUs, timeMs, deviceId }: RawSample): StoredPlace {
  return { stored: timestampOfUs(storedUs), time: timestampOfUs(timeMs * 1000), deviceId }
}

const STORED_ORDER = sql`(s.stored, s.time, s.device_id)`

function valuesOf({ stored, time, deviceId }: StoredPlace): Statement {
  return sql`(${stored}::timestamptz, ${time}::timestamptz, ${deviceId}::bigint)`
}

/**
 * The ids as an array, computed first: with a join, PostgreSQL assumes that few samples match and
 * sorts all samples of the range for each chunk.
 */
function holding(types: readonly EventTypeId[] | undefined): Statement[] {
  return types
    ? [
        sql`s.layout_id = any (array(
          select id from layouts where types && ${types}::smallint[] union all select ${OWN_LAYOUT_ID}::integer))`,
      ]
    : []
}

/** The database does not know the types of self-describing samples. */
function thatHold(samples: RawSample[], types: readonly EventTypeId[] | undefined): RawSample[] {
  if (!types || !samples.some(({ isOwnLayout }) => isOwnLayout)) return samples
  return samples.filter(({ layout }) => holdsAny(layout, types))
}

function beyondLast(samples: readonly RawSample[], direction: SampleOrder['direction']): Statement[] {
  const last = samples.at(-1)
  if (!last) return []
  const place = sql`(${instantOfMs(last.timeMs)}::timestamptz, ${last.deviceId}::bigint)`
  return [direction === 'ascending' ? sql`(s.time, s.device_id) > ${place}` : sql`(s.time, s.device_id) < ${place}`]
}

function directionOf(direction: SampleOrder['direction']): Statement {
  return direction === 'ascending' ? sql`` : sql`desc`
}

function ordering(direction: SampleOrder['direction']): Statement {
  return direction === 'ascending' ? sql`s.time, s.device_id` : sql`s.time desc, s.device_id desc`
}

function unionOf(parts: readonly Statement[]): Statement {
  return parts.reduce((all, part) => sql`${all} union all ${part}`)
}
