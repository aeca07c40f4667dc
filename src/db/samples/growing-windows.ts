import { WEEK_MS } from './weeks.ts'

/** A range of time in milliseconds, `toMs` exclusive. */
export interface Window {
  readonly fromMs: number
  readonly toMs: number
}

export type ReadingDirection = 'ascending' | 'descending'

const WINDOW_GROWTH = 4
const LONGEST_WINDOW_MS = 26 * WEEK_MS

/**
 * Windows of time from one end of a range to the other, that grow until there is much in them, so that neither a quiet year
 * nor a busy minute is read at once. None needs more tables than those of half a year.
 */
export class GrowingWindows {
  readonly #direction: ReadingDirection
  #rest: Window
  #lengthMs: number

  /** @param range one end of which may be infinite; then it is one window. */
  constructor(range: Window, direction: ReadingDirection, firstMs: number) {
    this.#rest = range
    this.#direction = direction
    this.#lengthMs = Number.isFinite(range.toMs - range.fromMs) ? firstMs : Number.POSITIVE_INFINITY
  }

  /** @param wasBusy whether there was much in the window before; @returns undefined at the end of the range. */
  next(wasBusy: boolean): Window | undefined {
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
