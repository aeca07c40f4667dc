import type { EventTypeId } from '../catalogue/event-types.ts'
import { OWN_LAYOUT_ID } from '../db/layouts.ts'
import { allOf, type Statement, sql, unionOf } from '../db/sql.ts'
import { instantMs, instantOfMs } from '../db/values.ts'
import { grouped } from '../model/grouped.ts'
import { type DeviceId, holdsAny, type Sample, type SampleLayout } from '../model/sample.ts'
import { clippedTo, extentOf, overlap, type TimeRange, WEEK_MS } from '../model/time-range.ts'
import {
  CHUNK_COLUMNS,
  type Interval,
  keyOf,
  numbersOfTypes,
  type RawSample,
  readChunk,
  type SampleSource,
  sampleOfRaw,
} from './samples.ts'
import {
  havingTypes,
  ofDevices,
  rangeOfDay,
  rawSampleAt,
  readNextSealedDays,
  readSealedDays,
  SAMPLES_AT_ONCE,
  type SealedDay,
  touchedBy,
  within,
} from './sealed/days.ts'

/* The one cursor over samples: unsealed rows and sealed days, merged by time (ties by device), read in chunks. */

export interface SampleOrder {
  /** Only samples with one of these types; undefined for all. */
  readonly types?: readonly EventTypeId[] | undefined
  readonly direction: 'ascending' | 'descending'
  /** How many samples are needed next, if known: called before each round trip, which fetches no more. */
  readonly nextSamples?: (() => number) | undefined
}

/** Samples of one round trip at most: with four to five events per sample enough for the longest page. */
const CHUNK_SAMPLES = 2200

const FIRST_DEVICE_WINDOW_MS = 4 * WEEK_MS
const FIRST_FLEET_WINDOW_MS = 60_000
const LONGEST_WINDOW_MS = 26 * WEEK_MS
const WINDOW_GROWTH = 4

export function readSamples(
  source: SampleSource,
  intervals: readonly Interval[],
  order: SampleOrder,
): AsyncGenerator<RawSample[]> {
  return inWindows(extentOf(intervals), order.direction, FIRST_DEVICE_WINDOW_MS, window =>
    readIntervals(source, clipped(intervals, window), order),
  )
}

/** The samples of all cars that an account saw. @param range finite */
export function readFleetSamples(
  source: SampleSource,
  accountId: number,
  range: TimeRange,
  order: SampleOrder,
): AsyncGenerator<RawSample[]> {
  return inWindows(range, order.direction, FIRST_FLEET_WINDOW_MS, window => {
    const ofAccount = sql`from samples s
      join assignments a on a.device_id = s.device_id and s.time >= a.from_time and s.time < a.to_time
      where a.account_id = ${accountId} and ${duringTime(window)}`
    return merged(source, order, {
      rowsFrom: (after, most) => sql`
        select ${CHUNK_COLUMNS} ${ofAccount} and ${after} order by ${ordering(order)} limit ${most}`,
      sealed: within(window),
      intervals: () => intervalsOfAccount(source, accountId, window),
    })
  })
}

/** All samples of a device in a finite interval by time. While the caller works on some, the next ones are read.
 * @param types whose numbers are wanted: NaN stands in place of the others */
export async function* readAhead(
  source: SampleSource,
  interval: Interval,
  types: Iterable<EventTypeId>,
): AsyncGenerator<readonly Sample[]> {
  const wanted = numbersOfTypes(types)
  const chunks = readSamples(source, [interval], { direction: 'ascending' })
  let next = chunks.next()
  try {
    for (let read = await next; !read.done; read = await next) {
      next = chunks.next()
      // The reader has stopped.
      next.catch(() => undefined)
      yield read.value.map(raw => sampleOfRaw(raw, wanted))
    }
  } finally {
    await next.catch(() => undefined)
  }
}

const STRETCH_SAMPLES = 500

/** All samples of a device from an instant on, in the order of time, a few hundred at a time. */
export async function* readStretch(source: SampleSource, deviceId: DeviceId, fromMs: number): AsyncGenerator<Sample[]> {
  const interval = { deviceId, fromMs, toMs: Number.POSITIVE_INFINITY }
  const chunks = readIntervals(source, [interval], { direction: 'ascending', nextSamples: () => STRETCH_SAMPLES })
  for await (const chunk of chunks) yield chunk.map(raw => sampleOfRaw(raw))
}

/** The first samples of a device from an instant on, in the order of time; fewer than `most` when there are no more. */
export async function readSamplesFrom(
  source: SampleSource,
  deviceId: DeviceId,
  fromMs: number,
  most: number,
): Promise<Sample[]> {
  const samples: Sample[] = []
  const interval = { deviceId, fromMs, toMs: Number.POSITIVE_INFINITY }
  const order = { direction: 'ascending', nextSamples: () => most - samples.length } as const
  for await (const chunk of readIntervals(source, [interval], order)) {
    for (const raw of chunk) if (samples.length < most) samples.push(sampleOfRaw(raw))
    if (samples.length === most) break
  }
  return samples
}

/** The samples of a device that have any of these types, newest first. */
export function readNewestWith(source: SampleSource, types: readonly EventTypeId[], range: Interval) {
  return oneByOne(readIntervals(source, [range], { types, direction: 'descending', nextSamples: () => PAGE_SAMPLES }))
}

/** The same, oldest first. */
export function readOldestWith(source: SampleSource, types: readonly EventTypeId[], range: Interval) {
  return oneByOne(readIntervals(source, [range], { types, direction: 'ascending', nextSamples: () => PAGE_SAMPLES }))
}

const PAGE_SAMPLES = 100

async function* oneByOne(chunks: AsyncIterable<readonly RawSample[]>): AsyncGenerator<Sample> {
  for await (const chunk of chunks) for (const raw of chunk) yield sampleOfRaw(raw)
}

export async function readSealedAt(
  source: SampleSource,
  keys: readonly Pick<RawSample, 'deviceId' | 'timeMs'>[],
): Promise<Sample[]> {
  if (keys.length === 0) return []
  const instants = keys.map(({ deviceId, timeMs }) => ({ deviceId, fromMs: timeMs, toMs: timeMs + 1 }))
  const days = await readSealedDays(source, touchedBy(instants))
  return instants.flatMap(instant =>
    days
      .filter(({ deviceId, day }) => deviceId === instant.deviceId && overlap(day, instant))
      .flatMap(day => Array.from(day.body.placesIn(instant), place => sampleOfRaw(rawSampleAt(day, place)))),
  )
}

/** The newest sample of each layout of a device in a range, and perhaps others; of values, the newest of each type is in one of them. */
export async function readNewestOfLayouts(source: SampleSource, range: Interval): Promise<Sample[]> {
  const { deviceId } = range
  const rows = await source.rows<{ time: string }>(sql`
    select max(s.time) as time from samples s where s.device_id = ${deviceId} and ${duringTime(range)} group by s.layout_id`)
  const times = new Set(rows.map(({ time }) => instantMs(time)))
  const days = await source.rows<{ day: string; layout_ids: number[] }>(sql`
    select d.day::text as day, d.layout_ids from sealed_days d where ${ofDevices([deviceId], range)} order by d.day desc`)
  const seen = new Set<number>()
  for (const { day, layout_ids: ids } of days) {
    if (ids.every(id => seen.has(id))) continue
    for (const { body } of await readSealedDays(source, ofDevices([deviceId], rangeOfDay(day))))
      for (const place of [...body.placesIn(range)].toReversed()) {
        const layoutId = body.layoutIdAt(place)
        if (!seen.has(layoutId)) times.add(body.timeMsAt(place))
        seen.add(layoutId)
      }
  }
  const instants = [...times].map(timeMs => ({ deviceId, fromMs: timeMs, toMs: timeMs + 1 }))
  const samples: Sample[] = []
  for await (const chunk of readIntervals(source, instants, { direction: 'ascending' }))
    for (const raw of chunk) samples.push(sampleOfRaw(raw))
  return samples
}

/** Reads time in windows: PostgreSQL opens every table that a statement could need, hundreds for an old dongle. Windows
 * grow while they contain little. A range with an infinite end is one window. */
async function* inWindows(
  range: TimeRange,
  direction: SampleOrder['direction'],
  firstMs: number,
  read: (window: TimeRange) => AsyncGenerator<RawSample[], boolean>,
): AsyncGenerator<RawSample[]> {
  let { fromMs, toMs } = range
  let lengthMs = Number.isFinite(toMs - fromMs) ? firstMs : Number.POSITIVE_INFINITY
  while (fromMs < toMs) {
    const isLast = lengthMs >= toMs - fromMs
    const cutMs = direction === 'ascending' ? fromMs + lengthMs : toMs - lengthMs
    let window = { fromMs, toMs }
    if (isLast) fromMs = toMs
    else if (direction === 'ascending') {
      window = { fromMs, toMs: cutMs }
      fromMs = cutMs
    } else {
      window = { fromMs: cutMs, toMs }
      toMs = cutMs
    }
    const isBusy = yield* read(window)
    if (!isBusy) lengthMs = Math.min(lengthMs * WINDOW_GROWTH, LONGEST_WINDOW_MS)
  }
}

/** The samples of devices in intervals, in one window. */
async function* readIntervals(
  source: SampleSource,
  intervals: readonly Interval[],
  order: SampleOrder,
): AsyncGenerator<RawSample[], boolean> {
  const [first] = intervals
  if (!first) return false
  const deviceIds = intervals.map(({ deviceId }) => deviceId)
  return yield* merged(source, order, {
    rowsFrom: (after, most) => {
      const [part, ...parts] = intervals.map(
        interval => sql`
          select ${CHUNK_COLUMNS} from samples s where s.device_id = ${interval.deviceId} and ${duringTime(interval)} and ${after}
          order by s.time ${order.direction === 'ascending' ? sql`` : sql`desc`} limit ${most}`,
      ) as [Statement, ...Statement[]]
      if (parts.length === 0) return part
      return sql`select * from (${unionOf([part, ...parts])}) as s order by ${ordering(order)} limit ${most}`
    },
    deviceId: deviceIds.every(id => id === first.deviceId) ? first.deviceId : undefined,
    sealed: ofDevices(deviceIds, extentOf(intervals)),
    intervals: async () => intervals,
  })
}

/** The samples to read in one window. */
interface Selection {
  /** The first rows that meet a condition on `s`, in order. */
  readonly rowsFrom: (after: Statement, most: number) => Statement
  /** A condition on the days `d` that may have samples of the same. */
  readonly sealed: Statement
  readonly intervals: () => Promise<readonly Interval[]>
  readonly deviceId?: DeviceId | undefined
}

/** Rows a chunk at a time, and beside each chunk what is sealed between it and the one before. @returns whether there were many rows */
async function* merged(
  source: SampleSource,
  order: SampleOrder,
  { rowsFrom, sealed, intervals, deviceId }: Selection,
): AsyncGenerator<RawSample[], boolean> {
  const { types, direction, nextSamples } = order
  const holds = holding(types)
  const chunkSamples = () => Math.max(1, Math.min(CHUNK_SAMPLES, nextSamples?.() ?? CHUNK_SAMPLES))
  let isBusy = false
  for (let after: RawSample | undefined; ; ) {
    const most = chunkSamples()
    const conditions = allOf([...beyond(after, direction), ...withLayoutOf(types)])
    const { samples, touchesSealed } = await readChunk(source, rowsFrom(conditions, most), { deviceId, sealed })
    const upTo = samples.length < most ? undefined : samples.at(-1)
    if (!touchesSealed) yield samples.filter(holds)
    else
      for await (const piece of besideSealed(source, samples, await intervals(), { ...order, after, upTo })) {
        const samplesOfPiece = piece.filter(holds)
        for (let at = 0; at < samplesOfPiece.length; ) {
          const end = at + chunkSamples()
          yield samplesOfPiece.slice(at, end)
          at = end
        }
      }
    isBusy ||= upTo !== undefined
    if (!upTo) return isBusy
    after = upTo
  }
}

interface Between extends SampleOrder {
  /** The last sample before these, and the last of these, where more follow. */
  readonly after: RawSample | undefined
  readonly upTo: RawSample | undefined
}

/** Adds what is sealed of devices in intervals to all rows of the same, in pieces, each in order. */
async function* besideSealed(
  source: SampleSource,
  rows: readonly RawSample[],
  intervals: readonly Interval[],
  { after, upTo, ...order }: Between,
): AsyncGenerator<RawSample[]> {
  const sign = order.direction === 'ascending' ? 1 : -1
  const compare = (a: RawSample, b: RawSample) => sign * (a.timeMs - b.timeMs || a.deviceId - b.deviceId)
  const [first, last] = sign > 0 ? [after, upTo] : [upTo, after]
  // Those of other devices at the same instant may lie on either side.
  const left = clipped(intervals, {
    fromMs: first?.timeMs ?? Number.NEGATIVE_INFINITY,
    toMs: last ? last.timeMs + 1 : Number.POSITIVE_INFINITY,
  })
  let nextRow = 0
  for await (const { range, samples } of readSealed(source, left, order)) {
    const start = nextRow
    const isBehind = ({ timeMs }: RawSample) => (sign > 0 ? timeMs >= range.toMs : timeMs < range.fromMs)
    for (let row = rows[nextRow]; row && !isBehind(row); row = rows[nextRow]) nextRow++
    const own = rows.slice(start, nextRow)
    const hidden = new Set(own.map(keyOf))
    const isWanted = (sample: RawSample) =>
      (!after || compare(sample, after) > 0) &&
      (!upTo || compare(sample, upTo) <= 0) &&
      (hidden.size === 0 || !hidden.has(keyOf(sample)))
    yield [...own, ...samples.filter(isWanted)].sort(compare)
  }
  yield rows.slice(nextRow)
}

/** Samples of sealed days in a range, in no order. */
interface SealedPiece {
  readonly range: TimeRange
  readonly samples: readonly RawSample[]
}

/** Sealed samples, day by day, and days of very many samples in slices of equal length. */
async function* readSealed(
  source: SampleSource,
  intervals: readonly Interval[],
  { types, direction, nextSamples }: SampleOrder,
): AsyncGenerator<SealedPiece> {
  const deviceIds = [...new Set(intervals.map(({ deviceId }) => deviceId))]
  const isAscending = direction === 'ascending'
  let left = extentOf(intervals)
  // Of days in which few samples have the types, ever more are fetched at once.
  for (let least = 1; left.fromMs < left.toMs; least *= 2) {
    const wanted = Math.max(least, nextSamples?.() ?? SAMPLES_AT_ONCE)
    const next = await readNextSealedDays(source, { deviceIds, range: left, types, direction, samples: wanted })
    const last = next.kind === 'large' ? next.day : next.days.at(-1)?.day
    if (!last) return
    if (next.kind === 'fetched')
      for (const days of grouped(next.days, ({ day }) => day.fromMs).values()) {
        const range = days[0] && clippedTo(left, days[0].day)
        if (range) yield { range, samples: samplesIn(days, clipped(intervals, range), types) }
      }
    else
      for (const range of slicesOf(clippedTo(left, next.day), next.samples, isAscending))
        yield { range, samples: await readSlice(source, clipped(intervals, range), types) }
    left = isAscending ? { ...left, fromMs: last.toMs } : { ...left, toMs: last.fromMs }
  }
}

function slicesOf(range: TimeRange | undefined, samples: number, isAscending: boolean): TimeRange[] {
  if (!range) return []
  const count = Math.max(1, Math.ceil(samples / SAMPLES_AT_ONCE))
  const at = (index: number) => range.fromMs + Math.round(((range.toMs - range.fromMs) * index) / count)
  const slices = Array.from({ length: count }, (_, index) => ({ fromMs: at(index), toMs: at(index + 1) }))
  return isAscending ? slices : slices.toReversed()
}

const DEVICES_AT_ONCE = 100

async function readSlice(
  source: SampleSource,
  intervals: readonly Interval[],
  types: readonly EventTypeId[] | undefined,
): Promise<RawSample[]> {
  const deviceIds = [...new Set(intervals.map(({ deviceId }) => deviceId))]
  const found: RawSample[] = []
  for (let at = 0; at < deviceIds.length; at += DEVICES_AT_ONCE) {
    const some = deviceIds.slice(at, at + DEVICES_AT_ONCE)
    const days = await readSealedDays(source, sql`${ofDevices(some, extentOf(intervals))} and ${havingTypes(types)}`)
    for (const sample of samplesIn(days, intervals, types)) found.push(sample)
  }
  return found
}

/** The samples of sealed days that lie in an interval of their device. */
export function samplesIn(
  days: readonly SealedDay[],
  intervals: readonly Interval[],
  types: readonly EventTypeId[] | undefined,
  withStored = false,
): RawSample[] {
  const byDevice = grouped(intervals, ({ deviceId }) => deviceId)
  const found: RawSample[] = []
  for (const day of days)
    for (const clip of clipped(byDevice.get(day.deviceId) ?? [], day.day))
      for (const place of day.body.placesIn(clip, types)) found.push(rawSampleAt(day, place, withStored))
  return found
}

/** The intervals, clipped to a window. */
export function clipped(intervals: readonly Interval[], window: TimeRange): Interval[] {
  return intervals.flatMap(interval => clippedTo(window, interval) ?? [])
}

/** When devices were in cars of an account, within a window. */
async function intervalsOfAccount(source: SampleSource, accountId: number, window: TimeRange): Promise<Interval[]> {
  const rows = await source.rows<{ device_id: DeviceId; from_time: string; to_time: string }>(sql`
    select device_id, from_time, to_time from assignments where account_id = ${accountId}
      and from_time < ${instantOfMs(window.toMs)} and to_time > ${instantOfMs(window.fromMs)}`)
  return clipped(
    rows.map(row => ({
      deviceId: row.device_id,
      fromMs: instantMs(row.from_time),
      toMs: instantMs(row.to_time),
    })),
    window,
  )
}

/** The ids as an array, computed first: with a join, PostgreSQL sorts all samples of the range for each chunk. It does
 * not know the types of self-describing samples: `holding` looks at them afterwards. */
export function withLayoutOf(types: readonly EventTypeId[] | undefined): Statement[] {
  return types
    ? [
        sql`s.layout_id = any (array(
          select id from layouts where types && ${types}::smallint[] union all select ${OWN_LAYOUT_ID}::integer))`,
      ]
    : []
}

/** Tells of samples whether they have any of these types; each has when none are given. */
export function holding(types: readonly EventTypeId[] | undefined): (sample: RawSample) => boolean {
  if (!types) return () => true
  const known = new Map<SampleLayout, boolean>()
  return ({ layout }) => {
    const holds = known.get(layout) ?? holdsAny(layout, types)
    known.set(layout, holds)
    return holds
  }
}

export function duringTime({ fromMs, toMs }: TimeRange): Statement {
  return sql`s.time >= ${instantOfMs(fromMs)} and s.time < ${instantOfMs(toMs)}`
}

function beyond(last: RawSample | undefined, direction: SampleOrder['direction']): Statement[] {
  if (!last) return []
  const place = sql`(${instantOfMs(last.timeMs)}::timestamptz, ${last.deviceId}::bigint)`
  return [direction === 'ascending' ? sql`(s.time, s.device_id) > ${place}` : sql`(s.time, s.device_id) < ${place}`]
}

function ordering({ direction }: SampleOrder): Statement {
  return direction === 'ascending' ? sql`s.time, s.device_id` : sql`s.time desc, s.device_id desc`
}
