import { HOUR_MS, isIn, type TimeRange } from '../../model/time-range.ts'
import { decimalsOf } from '../sealed/bytes.ts'

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

/** Of each hour, in this order. */
const FIELDS = ['count', 'firstMs', 'first', 'lowestMs', 'lowest', 'highestMs', 'highest', 'lastMs', 'last'] as const
type Field = (typeof FIELDS)[number]

/** Most that a day has. */
export const HOURS_OF_A_DAY = 24

/** The ascending hours of an event type as columns: a year has nine thousand, and objects take longer to make than to
 * read. */
export class HourColumns {
  readonly #columns: Record<Field, Float64Array>
  #length = 0

  /** @param expected how many hours there will be about */
  constructor(expected = HOURS_OF_A_DAY) {
    const columnOf = () => new Float64Array(Math.max(1, expected))
    this.#columns = {
      count: columnOf(),
      firstMs: columnOf(),
      first: columnOf(),
      lowestMs: columnOf(),
      lowest: columnOf(),
      highestMs: columnOf(),
      highest: columnOf(),
      lastMs: columnOf(),
      last: columnOf(),
    }
  }

  get length(): number {
    return this.#length
  }

  /** The numbers of a field, of `length` hours; others after them mean nothing. Valid until hours are added. */
  column(field: Field): Float64Array {
    return this.#columns[field]
  }

  /** Adds so many hours, whose numbers are to be set from the returned place on. */
  add(hours: number): number {
    const start = this.#length
    this.#length += hours
    if (this.#length > this.#columns.count.length) this.#grow()
    return start
  }

  /** How many values all hours have. */
  get values(): number {
    const { count } = this.#columns
    let values = 0
    for (let place = 0; place < this.#length; place++) values += count[place] as number
    return values
  }

  /** When the hour at a place begins; infinity behind the last. */
  startMsAt(place: number): number {
    return place < this.#length ? hourStartMs(this.#columns.firstMs[place] as number) : Number.POSITIVE_INFINITY
  }

  /** The place of the hour that begins then, by halving. */
  placeOf(hourMs: number): number | undefined {
    let [low, high] = [0, this.#length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.startMsAt(middle) < hourMs) low = middle + 1
      else high = middle
    }
    return this.startMsAt(low) === hourMs ? low : undefined
  }

  /** Leaves out the hours that begin in none of these. @param ranges ascending */
  keepWithin(ranges: readonly TimeRange[]): void {
    let [kept, next] = [0, 0]
    for (let place = 0; place < this.#length; place++) {
      const startMs = this.startMsAt(place)
      while (startMs >= (ranges[next]?.toMs ?? Number.POSITIVE_INFINITY)) next++
      const range = ranges[next]
      if (!range || !isIn(range, startMs)) continue
      if (kept !== place) for (const column of Object.values(this.#columns)) column[kept] = column[place] as number
      kept++
    }
    this.#length = kept
  }

  hourAt(place: number): HourRollup {
    const at = (field: Field) => this.#columns[field][place] as number
    return {
      count: at('count'),
      first: { timeMs: at('firstMs'), value: at('first') },
      lowest: { timeMs: at('lowestMs'), value: at('lowest') },
      highest: { timeMs: at('highestMs'), value: at('highest') },
      last: { timeMs: at('lastMs'), value: at('last') },
    }
  }

  #grow(): void {
    for (const field of FIELDS) {
      const larger = new Float64Array(Math.max(this.#length, this.#columns[field].length * 2))
      larger.set(this.#columns[field])
      this.#columns[field] = larger
    }
  }
}

/** An exact sum of measured numbers, each as its shortest decimal, as in JSON: three times 0.1 are 0.3. The order of
 * adding does not matter, and SQL finds the same with `numeric`. */
export interface DecimalSum {
  /** In units of 10^-scale. */
  readonly whole: bigint
  readonly scale: number
}

const NOTHING: DecimalSum = { whole: 0n, scale: 0 }

/** Below this, another whole number of a decimal (at most 2^51) can be added to a double without rounding. */
const SAFE_SUM = 2 ** 52

/** @param values finite */
export function decimalSum(values: Float64Array): DecimalSum {
  const decimals = decimalsOf(values)
  if (!decimals) return values.reduce((sum, value) => addedSums(sum, decimalOf(value)), NOTHING)
  let whole = 0n
  let part = 0
  for (const value of decimals.wholes) {
    part += value
    if (Math.abs(part) < SAFE_SUM) continue
    whole += BigInt(part)
    part = 0
  }
  return { whole: whole + BigInt(part), scale: decimals.scale }
}

export function addedSums(a: DecimalSum, b: DecimalSum): DecimalSum {
  const scale = Math.max(a.scale, b.scale)
  return { whole: atScale(a, scale) + atScale(b, scale), scale }
}

/** In units of a smaller power of ten. */
export function atScale({ whole, scale }: DecimalSum, wanted: number): bigint {
  return wanted === scale ? whole : whole * 10n ** BigInt(wanted - scale)
}

/** The sum as a decimal without needless zeros. */
export function sumText({ whole, scale }: DecimalSum): string {
  const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, '0')
  const point = digits.length - scale
  let end = digits.length
  while (end > point && digits[end - 1] === '0') end--
  return `${whole < 0n ? '-' : ''}${digits.slice(0, point)}${end === point ? '' : `.${digits.slice(point, end)}`}`
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

function decimalOf(value: number): DecimalSum {
  const [, sign = '', before = '', after = '', exponent = '0'] = DECIMAL.exec(String(value)) ?? []
  if (before === '') throw new RangeError(`a sum with ${value}`)
  const scale = after.length - Number(exponent)
  const whole = BigInt(sign + before + after)
  return scale < 0 ? { whole: whole * 10n ** BigInt(-scale), scale: 0 } : { whole, scale }
}
