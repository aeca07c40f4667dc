/** Events in one sample of a dongle with everything switched on; many have fewer. */
const EVENTS_OF_A_RICH_SAMPLE = 20
/** Fewer are not worth a round trip. */
const LEAST_SAMPLES = 20
/** So that a page is seldom a few samples short because they hold fewer events than those before. */
const SPARE = 1.03

/**
 * Decides how many samples to read at once for a page of events. The number of events per sample is only known from
 * samples already read, and reading a sample that is not sent costs as much as one that is.
 */
export class ReadingPace {
  /** Events: one more than fits on the page shows that it is not the last page. */
  readonly #wanted: number
  #samples = 0
  #events = 0

  /** @param limit how many events the page holds at most */
  constructor(limit: number) {
    this.#wanted = limit + 1
  }

  /** Notes how many samples were read, and how many events for the page they had. */
  read(samples: number, events: number): void {
    this.#samples += samples
    this.#events += events
  }

  /** @returns a number of samples; infinite when none so far had an event for the page */
  get nextSamples(): number {
    const each = this.#samples === 0 ? EVENTS_OF_A_RICH_SAMPLE : this.#events / this.#samples
    return Math.max(LEAST_SAMPLES, Math.ceil((SPARE * (this.#wanted - this.#events)) / each))
  }
}
