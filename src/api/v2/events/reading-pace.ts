/** What a dongle with everything switched on measures at once; many measure less. */
const EVENTS_OF_A_RICH_SAMPLE = 20
/** Fewer are not worth a round trip. */
const LEAST_SAMPLES = 20
/** So that a page seldom misses its end by a few samples that hold less than those before. */
const SPARE = 1.03

/**
 * How many samples to read at once for a page of events. How many events a sample holds is known only from those that were
 * read, and a sample that is read in vain costs as much as one that is sent.
 */
export class ReadingPace {
  /** Events: one more than the page holds tells that it is not the last one. */
  readonly #wanted: number
  #samples = 0
  #events = 0

  /** @param limit how many events the page holds at most */
  constructor(limit: number) {
    this.#wanted = limit + 1
  }

  /** So many samples were read, with so many events for the page. */
  read(samples: number, events: number): void {
    this.#samples += samples
    this.#events += events
  }

  /** @returns samples; infinite when none of those before had an event for the page */
  get nextSamples(): number {
    const each = this.#samples === 0 ? EVENTS_OF_A_RICH_SAMPLE : this.#events / this.#samples
    return Math.max(LEAST_SAMPLES, Math.ceil((SPARE * (this.#wanted - this.#events)) / each))
  }
}
