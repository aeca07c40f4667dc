import { type DecimalSum, decimalSum } from './decimal-sum.ts'

/** What is kept of the values of an event type is kept for each hour of UTC. */
export const HOUR_MS = 3_600_000

/** A measured value. */
interface Measured {
  /** Milliseconds since 1970. */
  readonly timeMs: number
  readonly value: number
}

/** The values of an event type of a device in an hour. Of equal ones, the earliest is the lowest, or the highest. */
export interface HourRollup {
  /** At least one. */
  readonly count: number
  readonly first: Measured
  readonly lowest: Measured
  readonly highest: Measured
  readonly last: Measured
}

/** One with what is seldom read. */
export interface SummedHour extends HourRollup {
  readonly sum: DecimalSum
}

/** The values of one event type of a device, by time. */
interface Series {
  readonly timesMs: Float64Array
  readonly values: Float64Array
}

/** @returns undefined where a value is no finite number, of which no sum is exact */
export function summedHours({ timesMs, values }: Series): SummedHour[] | undefined {
  if (!values.every(Number.isFinite)) return undefined
  const hours: SummedHour[] = []
  for (let start = 0, end: number; start < values.length; start = end) {
    end = endOfHour(timesMs, start)
    let [lowest, highest] = [start, start]
    for (let place = start + 1; place < end; place++) {
      if (valueAt(values, place) < valueAt(values, lowest)) lowest = place
      if (valueAt(values, place) > valueAt(values, highest)) highest = place
    }
    const at = (place: number): Measured => ({ timeMs: valueAt(timesMs, place), value: valueAt(values, place) })
    hours.push({
      count: end - start,
      first: at(start),
      lowest: at(lowest),
      highest: at(highest),
      last: at(end - 1),
      sum: decimalSum(values.subarray(start, end)),
    })
  }
  return hours
}

/** The start of the hour of a time. */
export function hourStartMs(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) * HOUR_MS
}

function endOfHour(timesMs: Float64Array, start: number): number {
  const toMs = hourStartMs(valueAt(timesMs, start)) + HOUR_MS
  let end = start + 1
  while (end < timesMs.length && valueAt(timesMs, end) < toMs) end++
  return end
}

function valueAt(values: Float64Array, place: number): number {
  return values[place] as number
}
