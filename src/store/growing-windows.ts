import { type TimeRange, WEEK_MS } from '../model/time-range.ts'

export type ReadingDirection = 'ascending' | 'descending'

const WINDOW_GROWTH = 4
const LONGEST_WINDOW_MS = 26 * WEEK_MS

/**
 * Time windows from one end of a range to the other, which grow while they contain little, so that neither a quiet year
 * takes many queries nor a busy minute returns too much. None needs more tables than those of half a year.
 */
export class GrowingWindows {
  readonly #direction: ReadingDirection
  #rest: TimeRange
  #lengthMs: number

  /** @param range one end of which may be infinite; then it is one window. */
  constructor(range: TimeRange, direction: ReadingDirection, firstMs: number) {
    this.#rest = range
    this.#direction = direction
    this.#lengthMs = Number.isFinite(range.toMs - range.fromMs) ? firstMs : Number.POSITIVE_INFINITY
  }

  /** @param wasBusy whether the previous window contained much @returns undefined at the end of the range. */
  next(wasBusy: boolean): TimeRange | undefined {
    const { fromMs, toMs } = this.#rest
    if (fromMs >= toMs) return undefined
    const lengthMs = this.#lengthMs
    if (!wasBusy && Number.isFinite(lengthMs)) this.#lengthMs = Math.min(lengthMs * WINDOW_GROWTH, LONGEST_WINDOW_MS)
    if (lengthMs >= toMs - fromMs) {
      this.#rest = { fromMs: toMs, toMs }
      return { fromMs, toMs }
    }
    const cutMs = this.#direction === 'ascending' ? fromMs + lengthMs : toMs - lengthMs
    const [before, after] = [
      { fromMs, toMs: cutMs },
      { fromMs: cutMs, toMs },
    ]
    this.#rest = this.#direction === 'ascending' ? after : before
    return this.#direction === 'ascending' ? before : after
  }
}
