import type { Sample } from '../../model/sample.ts'

/**
 * Samples of one device in the order of time that are unpacked one after the other, each over the one before: to make one for each takes
 * longer than a rule looks at it.
 */
export interface SampleRun {
  /** The time of the next one; infinite behind the last one. */
  readonly nextMs: number
  /** The next one, which is written over with the one after it. */
  next(): Sample
  skip(): void
}

/** Samples in the order of time, each written over with the next one: an iterator makes an object of each step. */
export interface SampleCursor {
  /** @returns undefined behind the last one */
  next(): Sample | undefined
}

/**
 * What is left of runs of one device before an instant. Of those of one instant, the one of the first such run counts.
 */
export class MergedRuns implements SampleCursor {
  readonly #runs: readonly SampleRun[]
  readonly #beforeMs: number
  /** The run that is first until an instant. */
  #first: SampleRun | undefined
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(runs: readonly SampleRun[], beforeMs = Number.POSITIVE_INFINITY) {
    this.#runs = runs
    this.#beforeMs = beforeMs
  }

  next(): Sample | undefined {
    if (!this.#first || this.#first.nextMs >= this.#untilMs) {
      const first = firstOf(this.#runs)
      if (!first || first.nextMs >= this.#beforeMs) return undefined
      this.#first = first
      this.#untilMs = Math.min(this.#beforeMs, nextOfOthers(this.#runs, first))
    }
    return this.#first.next()
  }
}

function firstOf(runs: readonly SampleRun[]): SampleRun | undefined {
  let first: SampleRun | undefined
  for (const run of runs) if (run.nextMs < (first?.nextMs ?? Number.POSITIVE_INFINITY)) first = run
  return first
}

/** When the next sample of another run is, behind that of this one. */
function nextOfOthers(runs: readonly SampleRun[], first: SampleRun): number {
  let untilMs = Number.POSITIVE_INFINITY
  for (const run of runs) {
    if (run === first) continue
    if (run.nextMs === first.nextMs) run.skip()
    if (run.nextMs < untilMs) untilMs = run.nextMs
  }
  return untilMs
}
