import type { EventTypeId } from '../catalogue/event-types.ts'
import { OWN_LAYOUT_ID } from '../db/layouts.ts'
import { allOf, type Statement, sql } from '../db/sql.ts'
import { instantMs, instantOfMs } from '../db/values.ts'
import { type DeviceId, holdsAny } from '../model/sample.ts'
import { clippedTo, extentOf, type TimeRange, WEEK_MS } from '../model/time-range.ts'
import { GrowingWindows, type ReadingDirection } from './growing-windows.ts'
import type { Interval } from './interval.ts'
import { CHUNK_COLUMNS, type RawSample } from './packed-samples.ts'
import type { RawConnection } from './raw-connection.ts'
import { canComeWithRows, daysBesideRows, daysOfBytes } from './sealed/days-beside-rows.ts'
import { ofDevices, within } from './sealed/sealed-days.ts'
import { isSealedSince, type StoredScope, sealedOfScope } from './sealed/sealed-in-stored-order.ts'
import { withSealedIntervals } from './sealed/sealed-intervals.ts'
import { placeOf, type StoredPlace } from './stored-place.ts'

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
  const extent = extentOf(intervals)
  const asked =
    onlyDevice !== undefined && canComeWithRows(extent)
      ? { sealedDays: daysBesideRows(onlyDevice, extent) }
      : {
          sealed: existsSealed(
            ofDevices(
              intervals.map(({ deviceId }) => deviceId),
              extent,
            ),
          ),
        }
  let after: RawSample | undefined
  while (true) {
    const conditions = allOf([...beyond(after, direction), ...holding(types)])
    const most = chunkSamples(nextSamples)
    const parts = intervals.map(
      ({ deviceId, fromMs, toMs }) => sql`(
        select ${CHUNK_COLUMNS} from samples s
        where s.device_id = ${deviceId} and s.time >= ${instantOfMs(fromMs)} and s.time < ${instantOfMs(toMs)}
          and ${conditions}
        order by s.time ${directionOf(direction)} limit ${most})`,
    )
    const { samples, touchesSealed, sealedDays } = await connection.chunk(
      parts.length === 1
        ? unionOf(parts)
        : sql`select * from (${unionOf(parts)}) as s order by ${ordering(direction)} limit ${most}`,
      { ...asked, ...(onlyDevice === undefined ? {} : { deviceId: onlyDevice }) },
    )
    const upTo = samples.length < most ? undefined : samples.at(-1)
    if (touchesSealed)
      for await (const both of withSealedIntervals(connection, samples, intervals, {
        types,
        direction,
        after,
        upTo,
        nextSamples,
        days: sealedDays && onlyDevice !== undefined ? daysOfBytes(connection, onlyDevice, sealedDays) : undefined,
      }))
        yield* inChunks(thatHold(both, types), nextSamples)
    else yield thatHold(samples, types)
    if (!upTo) return
    after = upTo
  }
}

/** Without the limit, Citus fetches a row for each such day of a fleet. */
function existsSealed(which: Statement): Statement {
  return sql`exists (select 1 from sealed_days d where ${which} limit 1)`
}

/** A day may hold more samples than are needed next. */
function* inChunks(samples: readonly RawSample[], nextSamples: NextSamples | undefined): Generator<RawSample[]> {
  for (let at = 0; at < samples.length; ) {
    const end = at + Math.max(1, chunkSamples(nextSamples))
    yield samples.slice(at, end)
    at = end
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
    let after: RawSample | undefined
    let upTo: RawSample | undefined
    let isBusy = false
    let intervals: readonly Interval[] | undefined
    do {
      const most = chunkSamples(nextSamples)
      const { samples, touchesSealed } = await connection.chunk(
        sql`
        select ${CHUNK_COLUMNS} from samples s
        join assignments a on a.device_id = s.device_id and s.time >= a.from_time and s.time < a.to_time
        where a.account_id = ${accountId}
          and s.time >= ${instantOfMs(window.fromMs)} and s.time < ${instantOfMs(window.toMs)}
          and ${allOf([...beyond(after, direction), ...holding(types)])}
        order by ${ordering(direction)} limit ${most}`,
        { sealed: existsSealed(within(window)) },
      )
      upTo = samples.length < most ? undefined : samples.at(-1)
      isBusy ||= upTo !== undefined
      if (touchesSealed) {
        intervals ??= await intervalsOfAccount(connection, accountId, window)
        for await (const both of withSealedIntervals(connection, samples, intervals, {
          types,
          direction,
          after,
          upTo,
          nextSamples,
        })) {
          isBusy ||= both.length >= CHUNK_SAMPLES
          yield* inChunks(thatHold(both, types), nextSamples)
        }
      } else yield thatHold(samples, types)
      after = upTo
    } while (upTo)
    window = windows.next(isBusy)
  }
}

/** When devices were in cars of an account, within a window. */
async function intervalsOfAccount(
  connection: RawConnection,
  accountId: number,
  window: TimeRange,
): Promise<readonly Interval[]> {
  const rows = await connection.rows<{ device_id: DeviceId; from_time: string; to_time: string }>(sql`
    select device_id, from_time, to_time from assignments where account_id = ${accountId}
      and from_time < ${instantOfMs(window.toMs)} and to_time > ${instantOfMs(window.fromMs)}`)
  const intervals = rows.map(row => ({
    deviceId: row.device_id,
    fromMs: instantMs(row.from_time),
    toMs: instantMs(row.to_time),
  }))
  return clipped(intervals, window)
}

/**
 * Samples in the order in which they were stored (design, decision 10).
 * @param start a revision, to begin after it, or a sample, to begin with it
 */
export async function* readStoredSamples(
  connection: RawConnection,
  scope: StoredScope,
  start: StoredPlace | string,
  { types, nextSamples }: Omit<SampleOrder, 'direction'>,
): AsyncGenerator<RawSample[]> {
  const { join, conditions, range, storedTo, isOfTrip } = scope
  const visible = allOf([
    ...conditions,
    sql`s.time >= ${instantOfMs(range.fromMs)} and s.time < ${instantOfMs(range.toMs)}`,
    ...(isOfTrip ? [sql`s.time between t.start_time and t.end_time`] : []),
    ...(storedTo === undefined ? [] : [sql`s.stored <= ${storedTo}::timestamptz`]),
  ])
  let after = start
  let bound =
    typeof start === 'string' ? sql`s.stored > ${start}::timestamptz` : sql`${STORED_ORDER} >= ${valuesOf(start)}`
  while (true) {
    const most = chunkSamples(nextSamples)
    const { samples, touchesSealed } = await connection.chunk(
      sql`
      select ${CHUNK_COLUMNS} from samples s
      join assignments a on a.device_id = s.device_id and s.time >= a.from_time and s.time < a.to_time ${join}
      where ${allOf([bound, visible, ...holding(types)])}
      order by s.stored, s.time, s.device_id limit ${most}`,
      { withStored: true, sealed: existsSealed(isSealedSince(after)) },
    )
    const stretch = touchesSealed
      ? await sealedOfScope(connection, scope, { hot: samples, after, isAfterIncluded: after === start, types, most })
      : { samples, upTo: samples.length < most ? undefined : samples.at(-1) }
    yield thatHold(stretch.samples, types)
    if (!stretch.upTo) return
    after = placeOf(stretch.upTo)
    bound = sql`${STORED_ORDER} > ${valuesOf(after)}`
  }
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
function thatHold(samples: readonly RawSample[], types: readonly EventTypeId[] | undefined): RawSample[] {
  if (!types || !samples.some(({ isOwnLayout }) => isOwnLayout)) return [...samples]
  return samples.filter(({ layout }) => holdsAny(layout, types))
}

function beyond(last: RawSample | undefined, direction: SampleOrder['direction']): Statement[] {
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
