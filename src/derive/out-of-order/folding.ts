import type { Sample } from '../../model/sample.ts'
import type { FoldedRange } from '../fact.ts'
import { type DeviceFolded, foldDevice, goingOnAt } from '../fold-device.ts'
import { type FoldContext, type FoldedItems, joinedItems } from '../fold-part.ts'
import { type Checkpoint, earliestTripStartMs, tripStartMs, vinRunOf } from '../trips/derive/fold.ts'
import { type FoldState, type VinRun } from '../trips/derive/state.ts'
import { type DerivedTrip } from '../trips/derive/trip.ts'
import type { FoldStart } from './fold-start.ts'

/** The result of refolding a stretch of time. */
export interface FoldedAgain {
  /** Where it began: everything that starts from here on was refolded. */
  readonly from: { readonly afterMs: number; readonly tripsMs: number; readonly runsMs: number }
  /**
   * Where it ended: in the same state as before, or with the newest sample, or where the dongle was in no
   * trip and the rest is left for later.
   */
  readonly end: { readonly kind: 'as before' | 'newest sample' | 'cut'; readonly state: FoldState }
  /** What starts there or later was not refolded; infinite when everything was. */
  readonly toMs: number
  /** The same for trips: one that may have begun a little before is left for later as a whole. */
  readonly tripsToMs: number
  /** The start of the trip that is still open there: its row is unchanged. */
  readonly goingOnMs: number | undefined
  /** The start of the trip that the newest sample is in. */
  readonly openStartMs: number | undefined
  /** By start, without the one that is still open. */
  readonly trips: readonly DerivedTrip[]
  /** By first reading. */
  readonly vinRuns: readonly VinRun[]
  readonly checkpoints: readonly Checkpoint[]
  /** Of other facts that need the order, by their names. */
  readonly stretches: ReadonlyMap<string, Omit<FoldedRange, 'device'>>
}

/** Refolds the samples of a device, one chunk after the other, and collects the results. */
export class Folding {
  readonly #start: FoldStart
  readonly #context: FoldContext
  readonly #trips = new Map<number, DerivedTrip>()
  readonly #vinRuns = new Map<number, VinRun>()
  #checkpoints: readonly Checkpoint[] = []
  readonly #itemsOfFacts = new Map<string, FoldedItems>()
  #state: FoldState | undefined
  #openStartMs: number | undefined
  #isEmpty = true

  constructor(start: FoldStart, context: FoldContext) {
    this.#start = start
    this.#context = context
    this.#state = start.state
    const run = start.state && vinRunOf(start.state)
    if (run) this.#vinRuns.set(run.firstMs, run)
  }

  /** An independent copy. */
  copy(): Folding {
    const folding = new Folding(this.#start, this.#context)
    for (const [startMs, trip] of this.#trips) folding.#trips.set(startMs, trip)
    for (const [firstMs, run] of this.#vinRuns) folding.#vinRuns.set(firstMs, run)
    for (const [fact, items] of this.#itemsOfFacts) folding.#itemsOfFacts.set(fact, items)
    folding.#checkpoints = this.#checkpoints
    folding.#state = this.#state
    folding.#openStartMs = this.#openStartMs
    folding.#isEmpty = this.#isEmpty
    return folding
  }

  /** How many trips and checkpoints there are so far. */
  get rows(): number {
    return this.#trips.size + this.#checkpoints.length
  }

  /** From here on trips may differ from the stored ones. */
  get tripsFromMs(): number {
    const { state, fromMs } = this.#start
    return state ? tripsBetween(state, fromMs) : fromMs
  }

  /** Folds the next samples without adding the result. */
  look(samples: readonly Sample[]): DeviceFolded {
    return foldDevice(this.#state, samples, this.#context)
  }

  /** Adds a result of `look`. */
  take(folded: DeviceFolded): void {
    this.#isEmpty = false
    this.#takeFacts(folded)
    this.#checkpoints = [...this.#checkpoints, ...folded.checkpoints]
  }

  /** Adds only the result of samples before a checkpoint, which is one of those that `look` found. */
  takeBefore(beforeMs: number, samples: readonly Sample[], folded: DeviceFolded): void {
    this.#isEmpty = false
    // The last of them would be treated as the newest one, which makes no checkpoint yet.
    const before = folded.checkpoints.filter(checkpoint => checkpoint.beforeMs < beforeMs)
    this.#checkpoints = [...this.#checkpoints, ...before]
    this.#takeFacts(this.look(samples.filter(sample => sample.timeMs < beforeMs)))
  }

  #takeFacts({ trips, vinRuns, state, openStartMs, items }: DeviceFolded): void {
    this.#openStartMs = openStartMs
    for (const trip of trips) this.#trips.set(trip.startMs, trip)
    for (const run of vinRuns) this.#vinRuns.set(run.firstMs, run)
    for (const [fact, now] of items) this.#itemsOfFacts.set(fact, joinedItems(this.#itemsOfFacts.get(fact), now))
    this.#state = state
  }

  /** The result up to the newest sample. @returns undefined when there was none */
  toNewestSample(): FoldedAgain | undefined {
    if (this.#isEmpty || !this.#state) return undefined
    return this.#result({ kind: 'newest sample', state: this.#state }, Number.POSITIVE_INFINITY)
  }

  /** The result when the state equals a stored one. */
  toSameState(beforeMs: number, state: FoldState): FoldedAgain {
    return this.#result({ kind: 'as before', state }, beforeMs)
  }

  /** The result up to a checkpoint at which the dongle was in no trip, or in none that counts so far. */
  toCut(checkpoint: Checkpoint, state: FoldState): FoldedAgain {
    this.#checkpoints = [...this.#checkpoints, checkpoint]
    return this.#result({ kind: 'cut', state }, checkpoint.beforeMs)
  }

  #result(end: FoldedAgain['end'], toMs: number): FoldedAgain {
    const { state: base, fromMs: afterMs } = this.#start
    const goingOnMs = end.kind === 'as before' ? tripStartMs(end.state) : undefined
    return {
      from: {
        afterMs,
        tripsMs: this.tripsFromMs,
        runsMs: (base && vinRunOf(base)?.firstMs) ?? afterMs,
      },
      end,
      toMs,
      tripsToMs: end.kind === 'newest sample' ? toMs : tripsBetween(end.state, toMs),
      goingOnMs,
      openStartMs: this.#openStartMs,
      trips: [...this.#trips.values()].filter(trip => trip.startMs !== goingOnMs).sort((a, b) => a.startMs - b.startMs),
      vinRuns: [...this.#vinRuns.values()].sort((a, b) => a.firstMs - b.firstMs),
      checkpoints: this.#checkpoints,
      stretches: new Map(
        [...this.#itemsOfFacts].map(([fact, items]) => [fact, this.#stretchOf(fact, items, end, toMs)]),
      ),
    }
  }

  #stretchOf(
    fact: string,
    { decidedFromMs, items }: FoldedItems,
    end: FoldedAgain['end'],
    toMs: number,
  ): Omit<FoldedRange, 'device'> {
    // What goes on there does so as before, or follows from later samples.
    const isAll = end.kind === 'newest sample'
    return {
      decidedFromMs: Math.min(decidedFromMs, this.#start.fromMs),
      toMs,
      items: items.filter(({ decidedMs }) => isAll || Number.isFinite(decidedMs)),
      goingOn: isAll ? [] : goingOnAt(end.state, fact, this.#context),
    }
  }
}

/** Trips that begin there or later belong to the samples from `atMs` on, earlier ones to those before. @param state at that instant */
export function tripsBetween(state: FoldState, atMs: number): number {
  return Math.min(atMs, earliestTripStartMs(state) ?? atMs)
}
