import type { EventTypeId } from '../../../../catalogue/event-types.ts'
import { extentOf, isIn } from '../../../../model/time-range.ts'
import type { Interval } from '../../interval.ts'
import type { SampleSource } from '../../sample-source.ts'
import { coverHours } from './covered-hours.ts'
import { type HourRollup, hourStartMs } from './hour-rollup.ts'
import type { RollupBody } from './read-rollup-body.ts'
import { readRolledDays } from './rolled-days.ts'

/** Values of a device as far as rollups tell them, and where they do not. */
interface RolledSeries {
  /** Hours with values, ascending, of each type that has a rollup wherever it has values. */
  readonly hours: ReadonlyMap<EventTypeId, readonly HourRollup[]>
  /** What is to be read from samples beside them, ascending. */
  readonly left: readonly Interval[]
}

/**
 * Reads rollups instead of samples where they say all of an hour.
 * @param intervals finite ones of one device, which do not overlap
 * @param types each with one number a value
 */
export async function readRolledSeries(
  source: Pick<SampleSource, 'rows'>,
  intervals: readonly Interval[],
  types: readonly EventTypeId[],
): Promise<RolledSeries> {
  const ascending = intervals.toSorted((a, b) => a.fromMs - b.fromMs)
  const [first] = ascending
  const days = first ? await readRolledDays(source, first.deviceId, extentOf(ascending)) : []
  const known = new Map(types.flatMap(type => hoursOf(days, type) ?? []))
  const liesIn = (hourMs: number, interval: Interval) =>
    [...known.values()].every(hours => {
      const hour = hourAt(hours, hourMs)
      return !hour || (isIn(interval, hour.first.timeMs) && isIn(interval, hour.last.timeMs))
    })
  const { covered, left } = coverHours(
    ascending,
    days.map(({ dayMs }) => dayMs),
    liesIn,
  )
  const hours = [...known].map(([type, all]) => {
    let next = 0
    const within: HourRollup[] = []
    for (const range of covered) {
      while (startOf(all[next]) < range.fromMs) next++
      for (let hour = all[next]; hour && startOf(hour) < range.toMs; hour = all[++next]) within.push(hour)
    }
    return [type, within] as const
  })
  return { hours: new Map(hours), left }
}

/** All hours of a type, unless a day has no rollup of it. */
function hoursOf(days: readonly RollupBody[], type: EventTypeId): [[EventTypeId, readonly HourRollup[]]] | undefined {
  const all: HourRollup[] = []
  for (const day of days) {
    const hours = day.hoursOf(type)
    if (!hours) return undefined
    for (const hour of hours) all.push(hour)
  }
  return [[type, all]]
}

function startOf(hour: HourRollup | undefined): number {
  return hour ? hourStartMs(hour.first.timeMs) : Number.POSITIVE_INFINITY
}

/** By halving. */
function hourAt(hours: readonly HourRollup[], hourMs: number): HourRollup | undefined {
  let [low, high] = [0, hours.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (startOf(hours[middle]) < hourMs) low = middle + 1
    else high = middle
  }
  return startOf(hours[low]) === hourMs ? hours[low] : undefined
}
