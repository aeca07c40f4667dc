import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { holdsAny } from '../../../model/sample-layout.ts'
import { clippedTo, isIn, overlap, type TimeRange } from '../../../model/time-range.ts'
import { sql } from '../../sql.ts'
import type { ReadingDirection } from '../growing-windows.ts'
import type { Interval } from '../interval.ts'
import type { RawSample } from '../packed-samples.ts'
import type { SampleSource } from '../sample-source.ts'
import { keyOf, rawSamplesOf } from './raw-sealed.ts'
import type { StoredSample } from './sealed-body.ts'
import { havingTypes, nextSealedDay, ofDevices, readSealedDays } from './sealed-days.ts'

interface SealedOrder {
  readonly types: readonly EventTypeId[] | undefined
  readonly direction: ReadingDirection
  /** The last sample before these, and the last of these, where more follow. */
  readonly after?: Place | undefined
  readonly upTo?: Place | undefined
}

interface Place {
  readonly timeMs: number
  readonly deviceId: DeviceId
}

/**
 * Adds what is sealed of devices in intervals to the rows of the same intervals, in the order of time (ties by device), in pieces.
 * @param hot all rows of these intervals, in that order
 */
export async function* withSealedIntervals(
  source: SampleSource,
  hot: readonly RawSample[],
  intervals: readonly Interval[],
  order: SealedOrder,
): AsyncGenerator<RawSample[]> {
  const { after, upTo } = order
  const sign = order.direction === 'ascending' ? 1 : -1
  const inOrder = (a: Place, b: Place) => sign * (a.timeMs - b.timeMs || a.deviceId - b.deviceId)
  const isWanted = (sample: Place) => (!after || inOrder(sample, after) > 0) && (!upTo || inOrder(sample, upTo) <= 0)
  let left = [...hot]
  for await (const { range, samples } of readSlices(source, clippedBetween(intervals, order), order)) {
    const isBehind = ({ timeMs }: RawSample) => (sign > 0 ? timeMs >= range.toMs : timeMs < range.fromMs)
    const until = left.findIndex(isBehind)
    const rows = left.splice(0, until < 0 ? left.length : until)
    const keys = new Set(rows.map(keyOf))
    yield [...rows, ...rawSamplesOf(samples.filter(sample => isWanted(sample) && !keys.has(keyOf(sample))))].sort(
      inOrder,
    )
  }
  yield left
}

/** About so many samples are unpacked at a time, however many devices have some. */
const SLICE_SAMPLES = 50_000
const DEVICES_AT_ONCE = 100

/** What is sealed, day by day, and days of many samples in slices of equal length. */
async function* readSlices(
  source: SampleSource,
  intervals: readonly Interval[],
  { types, direction }: SealedOrder,
): AsyncGenerator<{ readonly range: TimeRange; readonly samples: readonly StoredSample[] }> {
  let left = extentOf(intervals)
  while (left.fromMs < left.toMs) {
    const ids = intervals.map(({ deviceId }) => deviceId)
    const day = await nextSealedDay(source, sql`${ofDevices(ids, left)} and ${havingTypes(types)}`, direction)
    const range = day && clippedTo(left, day)
    if (!range) return
    const here = intervals.flatMap(interval => clippedTo(range, interval) ?? [])
    const slices = slicesOf(range, await countSamples(source, here, range))
    for (const slice of direction === 'ascending' ? slices : slices.toReversed())
      yield { range: slice, samples: await readSlice(source, here, slice, types) }
    left = direction === 'ascending' ? { ...left, fromMs: range.toMs } : { ...left, toMs: range.fromMs }
  }
}

function slicesOf(range: TimeRange, samples: number): TimeRange[] {
  const count = Math.max(1, Math.ceil(samples / SLICE_SAMPLES))
  const at = (index: number) => range.fromMs + Math.round(((range.toMs - range.fromMs) * index) / count)
  return Array.from({ length: count }, (_, index) => ({ fromMs: at(index), toMs: at(index + 1) }))
}

async function countSamples(source: SampleSource, here: readonly Interval[], range: TimeRange): Promise<number> {
  const ids = here.map(({ deviceId }) => deviceId)
  const [row] = await source.rows<{ count: number }>(
    sql`select coalesce(sum(d.samples_count), 0)::bigint as count from sealed_days d where ${ofDevices(ids, range)}`,
  )
  return row?.count ?? 0
}

async function readSlice(
  source: SampleSource,
  here: readonly Interval[],
  slice: TimeRange,
  types: readonly EventTypeId[] | undefined,
): Promise<StoredSample[]> {
  const byDevice = new Map<DeviceId, Interval[]>()
  for (const interval of here)
    if (overlap(interval, slice))
      byDevice.set(interval.deviceId, [...(byDevice.get(interval.deviceId) ?? []), interval])
  const ids = [...byDevice.keys()]
  const found: StoredSample[] = []
  for (let at = 0; at < ids.length; at += DEVICES_AT_ONCE) {
    const which = sql`${ofDevices(ids.slice(at, at + DEVICES_AT_ONCE), slice)} and ${havingTypes(types)}`
    for (const { deviceId, samples } of await readSealedDays(source, which))
      for (const sample of samples)
        if (
          isIn(slice, sample.timeMs) &&
          byDevice.get(deviceId)?.some(interval => isIn(interval, sample.timeMs)) &&
          (!types || holdsAny(sample, types))
        )
          found.push(sample)
  }
  return found
}

/** To the times between two samples: those of other devices at the same instant may lie on either side. */
function clippedBetween(intervals: readonly Interval[], { direction, after, upTo }: SealedOrder): Interval[] {
  const [first, last] = direction === 'ascending' ? [after, upTo] : [upTo, after]
  const between = {
    fromMs: first?.timeMs ?? Number.NEGATIVE_INFINITY,
    toMs: last ? last.timeMs + 1 : Number.POSITIVE_INFINITY,
  }
  return intervals.flatMap(interval => clippedTo(between, interval) ?? [])
}

/** From the first start to the last end; nothing without intervals. */
export function extentOf(intervals: readonly TimeRange[]): TimeRange {
  let fromMs = Number.POSITIVE_INFINITY
  let toMs = Number.NEGATIVE_INFINITY
  for (const interval of intervals) {
    fromMs = Math.min(fromMs, interval.fromMs)
    toMs = Math.max(toMs, interval.toMs)
  }
  return { fromMs, toMs }
}
