import { isIn, type TimeRange } from '../../model/time-range.ts'
import { type HourRollup, hourStartMs } from './hour-rollup.ts'

/** Of each hour, in this order. */
const FIELDS = ['count', 'firstMs', 'first', 'lowestMs', 'lowest', 'highestMs', 'highest', 'lastMs', 'last'] as const
type Field = (typeof FIELDS)[number]

/** Most that a day has. */
export const HOURS_OF_A_DAY = 24

/**
 * The hours of an event type, ascending, as numbers side by side: a year has nine thousand, and making objects of them takes longer than
 * reading them.
 */
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

  /** One hour by itself. */
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
