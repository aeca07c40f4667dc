import type { Sample } from '../../intake/sample.ts'
import type { DerivedTrip, VinRun } from './trip.ts'

/** Where the fold stands for one dongle. Plain data: what `serialise` writes, `parse` reads back the same. */
export interface FoldState {
  /** The newest sample: not folded yet, because its instant may still come in pieces. */
  readonly newest: Sample
}

/** A state to begin again from: the one after all samples before `beforeMs`. */
export interface Checkpoint {
  readonly beforeMs: number
  /** Equal texts are equal states. */
  readonly state: string
}

/** What samples told. Trips and VIN runs are those that the samples made or changed, by their start. */
export interface Folded {
  readonly state: FoldState
  /** All trips from the one that the state before was in: ended ones and, last, the one it is in now. */
  readonly trips: readonly DerivedTrip[]
  readonly vinRuns: readonly VinRun[]
  readonly checkpoints: readonly Checkpoint[]
}

export declare function fold(before: FoldState | undefined, samples: readonly Sample[]): Folded
