import type { Sample } from '../../../model/sample.ts'

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

/** A sample that is written over. */
export type LiveSample = { -readonly [Field in keyof Sample]: Sample[Field] }

/**
 * What is left of runs of one device before an instant, in the order of time, each sample written over with the next one. Of those of one
 * instant, the one of the first such run counts.
 */
export function* merged(runs: readonly SampleRun[], beforeMs = Number.POSITIVE_INFINITY): Generator<Sample> {
  for (let first = firstOf(runs); first && first.nextMs < beforeMs; first = firstOf(runs)) {
    const untilMs = Math.min(beforeMs, nextOfOthers(runs, first))
    do yield first.next()
    while (first.nextMs < untilMs)
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
