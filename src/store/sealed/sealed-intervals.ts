import type { EventTypeId } from '../../catalogue/event-types.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'
import { clippedTo, extentOf, isIn, overlap, type TimeRange } from '../../model/time-range.ts'
import type { ReadingDirection } from '../growing-windows.ts'
import type { Interval } from '../interval.ts'
import type { RawSample } from '../packed-samples.ts'
import type { SampleSource } from '../sample-source.ts'
import { keyOf, rawSampleAt } from './raw-sealed.ts'
import {
  havingTypes,
  ofDevices,
  readNextSealedDays,
  readSealedDays,
  SAMPLES_AT_ONCE,
  type SealedDay,
} from './sealed-days.ts'

interface SealedOrder {
  readonly types: readonly EventTypeId[] | undefined
  readonly direction: ReadingDirection
  /** How many samples are needed next, if known. */
  readonly nextSamples?: (() => number) | undefined
  /** The last sample before these, and the last of these, where more follow. */
  readonly after?: Place | undefined
  readonly upTo?: Place | undefined
  /** All sealed days of the intervals, ascending, where they are known already. */
  readonly days?: readonly SealedDay[] | undefined
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
  const isBetween = (sample: Place) => (!after || inOrder(sample, after) > 0) && (!upTo || inOrder(sample, upTo) <= 0)
  let left = [...hot]
  for await (const { range, samples } of readSlices(source, clippedBetween(intervals, order), order)) {
    const isBehind = ({ timeMs }: RawSample) => (sign > 0 ? timeMs >= range.toMs : timeMs < range.fromMs)
    const until = left.findIndex(isBehind)
    const rows = left.splice(0, until < 0 ? left.length : until)
    const keys = new Set(rows.map(keyOf))
    const isWanted = (sample: Place) => isBetween(sample) && !(keys.size > 0 && keys.has(keyOf(sample)))
    yield [...rows, ...samples.filter(isWanted)].sort(inOrder)
  }
  yield left
}

const DEVICES_AT_ONCE = 100

interface Slice {
  readonly range: TimeRange
  readonly samples: readonly RawSample[]
}

/** What is sealed, day by day, and days of very many samples in slices of equal length. */
async function* readSlices(
  source: SampleSource,
  intervals: readonly Interval[],
  { types, direction, nextSamples, days }: SealedOrder,
): AsyncGenerator<Slice> {
  const byDevice = grouped(intervals, ({ deviceId }) => deviceId)
  if (days)
    return yield* slicesOfDays(
      direction === 'ascending' ? days : days.toReversed(),
      byDevice,
      extentOf(intervals),
      types,
    )
  const deviceIds = [...byDevice.keys()]
  const isAscending = direction === 'ascending'
  let left = extentOf(intervals)
  // Of days in which few samples have the types, ever more are fetched at once.
  for (let least = 1; left.fromMs < left.toMs; least *= 2) {
    const samples = Math.max(least, nextSamples?.() ?? SAMPLES_AT_ONCE)
    const next = await readNextSealedDays(source, { deviceIds, range: left, types, direction, samples })
    let last: TimeRange | undefined
    if (next.kind === 'large') {
      last = next.day
      const range = clippedTo(left, next.day)
      const slices = range ? slicesOf(range, next.samples) : []
      for (const slice of isAscending ? slices : slices.toReversed())
        yield { range: slice, samples: await readSlice(source, byDevice, slice, types) }
    } else {
      last = next.days.at(-1)?.day
      yield* slicesOfDays(next.days, byDevice, left, types)
    }
    if (!last) return
    left = isAscending ? { ...left, fromMs: last.toMs } : { ...left, toMs: last.fromMs }
  }
}

/** Days that were fetched, one after the other. */
function* slicesOfDays(
  fetched: readonly SealedDay[],
  byDevice: ReadonlyMap<DeviceId, readonly Interval[]>,
  within: TimeRange,
  types: readonly EventTypeId[] | undefined,
): Generator<Slice> {
  for (const days of grouped(fetched, ({ day }) => day.fromMs).values()) {
    const range = days[0] && clippedTo(within, days[0].day)
    if (range) yield { range, samples: samplesIn(days, byDevice, range, types) }
  }
}

/** In the order in which each key comes first. */
function grouped<Item, Key>(items: readonly Item[], keyOfItem: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOfItem(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

function slicesOf(range: TimeRange, samples: number): TimeRange[] {
  const count = Math.max(1, Math.ceil(samples / SAMPLES_AT_ONCE))
  const at = (index: number) => range.fromMs + Math.round(((range.toMs - range.fromMs) * index) / count)
  return Array.from({ length: count }, (_, index) => ({ fromMs: at(index), toMs: at(index + 1) }))
}

async function readSlice(
  source: SampleSource,
  byDevice: ReadonlyMap<DeviceId, readonly Interval[]>,
  slice: TimeRange,
  types: readonly EventTypeId[] | undefined,
): Promise<RawSample[]> {
  const ids = [...byDevice].flatMap(([id, own]) => (own.some(interval => overlap(interval, slice)) ? id : []))
  const found: RawSample[] = []
  for (let at = 0; at < ids.length; at += DEVICES_AT_ONCE) {
    const which = sql`${ofDevices(ids.slice(at, at + DEVICES_AT_ONCE), slice)} and ${havingTypes(types)}`
    for (const sample of samplesIn(await readSealedDays(source, which), byDevice, slice, types)) found.push(sample)
  }
  return found
}

/** The samples of days that lie in a range and in an interval of their device. */
function samplesIn(
  days: readonly SealedDay[],
  byDevice: ReadonlyMap<DeviceId, readonly Interval[]>,
  range: TimeRange,
  types: readonly EventTypeId[] | undefined,
): RawSample[] {
  const found: RawSample[] = []
  for (const { deviceId, body } of days) {
    const clips = byDevice.get(deviceId)?.flatMap(interval => clippedTo(range, interval) ?? []) ?? []
    const { first, end } = body.placesIn(extentOf(clips))
    const holds = body.holding(types)
    for (let place = first; place < end; place++)
      if (holds(place) && (clips.length === 1 || clips.some(clip => isIn(clip, body.timeMsAt(place)))))
        found.push(rawSampleAt(deviceId, body, place, { withStored: false }))
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
