import type { Clock } from '../src/lib/clock.ts'

interface Timer {
  readonly atMs: number
  readonly callback: () => void
}

/** A clock that stands still until a test advances it. */
export class TestClock implements Clock {
  readonly #timers = new Set<Timer>()
  #wallMs: number
  #monotonicMs = 0

  constructor(wallMs = Date.UTC(2026, 0, 15)) {
    this.#wallMs = wallMs
  }

  wallMs(): number {
    return this.#wallMs
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  /** How many callbacks are to come. */
  get pending(): number {
    return this.#timers.size
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { atMs: this.monotonicMs() + ms, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Lets time pass. Whatever becomes due is called in the order of time, each at its instant. */
  advance(ms: number): void {
    const untilMs = this.#monotonicMs + ms
    for (let next = this.#nextUntil(untilMs); next; next = this.#nextUntil(untilMs)) {
      this.#timers.delete(next)
      this.#passTo(next.atMs)
      next.callback()
    }
    this.#passTo(untilMs)
  }

  /** Sets the time of day, as an operator or a time server does. Nothing becomes due by that. */
  setWall(wallMs: number): void {
    this.#wallMs = wallMs
  }

  #passTo(monotonicMs: number): void {
    this.#wallMs += Math.max(0, monotonicMs - this.#monotonicMs)
    this.#monotonicMs = Math.max(this.#monotonicMs, monotonicMs)
  }

  #nextUntil(untilMs: number): Timer | undefined {
    const [first] = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)
    return first
  }
}

/** Background jobs that follow the intake rest for so long at most. */
const USUAL_REST_MS = 2000
/** The one that ends silent trips. */
export const LONGEST_REST_MS = 10_000

/** The system's clock, which a test can advance: for a whole service, whose jobs go on meanwhile. */
export class AdvancingClock implements Clock {
  readonly #rests = new Map<() => void, number>()
  #aheadMs = 0

  wallMs(): number {
    return Date.now() + this.#aheadMs
  }

  monotonicMs(): number {
    return performance.now() + this.#aheadMs
  }

  /** Timers keep to the system's clock, but for `hurry`. */
  after(ms: number, callback: () => void): () => void {
    const cancel = () => {
      clearTimeout(timer)
      this.#rests.delete(end)
    }
    const end = () => {
      cancel()
      callback()
    }
    const timer = setTimeout(end, ms)
    if (ms <= LONGEST_REST_MS) this.#rests.set(end, ms)
    return cancel
  }

  /** Ends the short rests: the background jobs look at once whether there is work for them. */
  hurry(longestRestMs = USUAL_REST_MS): void {
    for (const [end, ms] of this.#rests) if (ms <= longestRestMs) end()
  }

  advance(ms: number): void {
    this.#aheadMs += ms
  }
}
