import type { Connection } from '../db/sql.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { readSamplesFrom, readStretch, type SampleSource } from '../store/index.ts'
import { type DeviceRecord, readDeviceRecords } from './device-records.ts'
import type { FoldedRange } from './fact.ts'
import { FACTS } from './facts.ts'
import {
  type FoldContext,
  type FoldedItems,
  type FoldItem,
  type FoldPart,
  type FoldParts,
  foldParts,
  type Json,
  joinedItems,
  statesOfText,
} from './fold-part.ts'
import {
  type Checkpoint,
  earliestTripStartMs,
  type Folded,
  fold,
  foldAcrossMoves,
  stateAfterMoves,
  tripStartMs,
  vinRunOf,
} from './trips/fold.ts'
import { readCheckpointBefore, readCheckpointsAt, readFirstCheckpoint, readStoredTrips } from './trips/rows.ts'
import { type FoldState, parseState, type VinRun, withParts } from './trips/state.ts'
import type { DerivedTrip } from './trips/trip.ts'

/* Folding the samples of one device over a range of time: on from the state that is stored, or again from a checkpoint. */

export interface FoldResult {
  /** It went on from the state of the device: everything before is as it is stored. */
  readonly isContinued: boolean
  /** Where it began: everything that starts from here on was folded. */
  readonly from: { readonly afterMs: number; readonly tripsMs: number; readonly runsMs: number }
  /** It ended with the newest sample; in the same state as before; or where no trip is on,
   * and the rest is left for later. */
  readonly end: { readonly kind: 'newest sample' | 'as before' | 'cut'; readonly state: FoldState }
  /** Nothing that starts there or later was folded; infinite when everything was. */
  readonly toMs: number
  /** The same for trips: one that may have begun a little before is left for later as a whole. */
  readonly tripsToMs: number
  /** From there on trips go on or are not decided: the rows are unchanged. */
  readonly goingOnMs: number | undefined
  /** The start of the trip that the newest sample is in. */
  readonly openStartMs: number | undefined
  /** By start, without those that go on. */
  readonly trips: readonly DerivedTrip[]
  /** By first reading. */
  readonly vinRuns: readonly VinRun[]
  readonly checkpoints: readonly Checkpoint[]
  readonly mustStoreRoute: boolean
  /** A trip whose dongle has been silent for long enough is over. */
  readonly endsSilent: boolean
  /** Of other facts that need the order, by their names. */
  readonly stretches: ReadonlyMap<string, Omit<FoldedRange, 'device'>>
}

/** Folds samples that are newer than all from which anything was derived, or as new as the newest. */
export function continueFold(record: DeviceRecord, samples: readonly Sample[]): FoldResult {
  const folded = foldDevice(record.fold, samples, record)
  return continuedRange(record, folded, { endsSilent: false })
}

/** The result if nothing comes after the newest sample. */
export function endSilence(record: DeviceRecord): FoldResult | undefined {
  if (!record.fold) return undefined
  const folded = foldDevice(record.fold, [], { movesMs: [], rules: record.rules })
  return continuedRange(record, { ...folded, items: new Map(), checkpoints: [], vinRuns: [] }, { endsSilent: true })
}

function continuedRange(
  record: DeviceRecord,
  { state, trips, openStartMs, vinRuns, checkpoints, mustStoreRoute, items }: DeviceFolded,
  { endsSilent }: { readonly endsSilent: boolean },
): FoldResult {
  const toMs = Number.POSITIVE_INFINITY
  return {
    isContinued: true,
    from: {
      afterMs: record.extent?.lastMs ?? Number.NEGATIVE_INFINITY,
      tripsMs: Math.min(
        ...[record.trip, record.fold?.progress.undecided[0]?.measured, ...trips].map(trip => trip?.startMs ?? toMs),
      ),
      runsMs: toMs,
    },
    end: { kind: 'newest sample', state },
    toMs,
    tripsToMs: toMs,
    goingOnMs: undefined,
    openStartMs,
    trips,
    vinRuns,
    checkpoints,
    mustStoreRoute,
    endsSilent,
    stretches: new Map([...items].map(([fact, ofFact]) => [fact, { ...ofFact, toMs, goingOn: [] }])),
  }
}

/** Where folding again begins: with the samples from `fromMs` on, after a state. */
interface FoldStart {
  readonly fromMs: number
  /** undefined when there is nothing before. */
  readonly state: FoldState | undefined
  readonly keptSinceMs: number
}

interface FoldAgainRequest {
  /** From the oldest to the newest instant that changed, infinite for everything. */
  readonly fromMs: number
  readonly toMs: number
  /** From when on all samples are kept; minus infinity if none were dropped. */
  readonly keptSinceMs: number
  readonly context: FoldContext
}

/** Folds again from the last checkpoint before what changed, until the state equals the stored one (design, decision
 * 6). @returns undefined without a sample there, or when samples of that time were dropped */
export function foldAgain(
  source: SampleSource,
  deviceId: DeviceId,
  request: FoldAgainRequest,
): Promise<FoldResult | undefined>
export function foldAgain(
  source: SampleSource,
  deviceId: DeviceId,
  request: FoldAgainRequest,
  mostSamples: number,
): Promise<FoldResult | 'too many' | undefined>
export async function foldAgain(
  source: SampleSource,
  deviceId: DeviceId,
  { fromMs, toMs, keptSinceMs, context }: FoldAgainRequest,
  mostSamples = Number.POSITIVE_INFINITY,
): Promise<FoldResult | 'too many' | undefined> {
  if (toMs < keptSinceMs) return undefined
  const start = await foldStartBefore(source, deviceId, Math.max(fromMs, keptSinceMs), keptSinceMs)
  const folding = new Folding(start, context)
  let count = 0
  for await (const samples of readStretch(source, deviceId, start.fromMs)) {
    if (samples.length === 0) break
    count += samples.length
    if (count > mostSamples) return 'too many'
    const folded = folding.look(samples)
    const same = await firstAsBefore(source, deviceId, folded.checkpoints, toMs)
    if (same) return folding.toSameState(same, samples, folded)
    folding.take(folded)
  }
  return folding.toNewestSample()
}

/** The first checkpoint after all changes that is stored with the same state. */
async function firstAsBefore(
  source: SampleSource,
  deviceId: DeviceId,
  checkpoints: readonly Checkpoint[],
  changedToMs: number,
): Promise<Checkpoint | undefined> {
  const behind = checkpoints.filter(checkpoint => checkpoint.beforeMs > changedToMs)
  const stored = await readCheckpointsAt(
    source,
    deviceId,
    behind.map(checkpoint => checkpoint.beforeMs),
  )
  return behind.find(checkpoint => stored.get(checkpoint.beforeMs) === checkpoint.state)
}

/** How much of a history is folded at once. */
export interface HistorySize {
  /** Samples of one round trip: between two of them, other work gets its turn. */
  readonly chunk: number
  /** With this many samples, or rows of trips and checkpoints, it is cut as soon as possible. */
  readonly samples: number
  readonly rows: number
}

/** A piece of the history of a device, folded and not written yet. */
export type HistoryPiece =
  | { readonly kind: 'range'; readonly range: FoldResult }
  /** All samples but those from `nextMs` on, which are about to be folded while the device is locked. */
  | { readonly kind: 'nearly all'; readonly folding: Folding; readonly nextMs: number }

/** Folds the next piece without locks: check before writing that what it read is unchanged. Leaves out the newest
 * sample, which may still arrive in pieces. @returns undefined when it was stopped */
export async function foldHistory(
  source: SampleSource,
  record: DeviceRecord,
  { fromMs, toMs, keptSinceMs }: Omit<FoldAgainRequest, 'context'>,
  {
    size,
    rest,
    isStopped,
  }: {
    readonly size: HistorySize
    readonly rest: (workedMs: number) => Promise<void>
    readonly isStopped: () => boolean
  },
): Promise<HistoryPiece | undefined> {
  const { deviceId } = record
  const start = await foldStartBefore(source, deviceId, Math.max(fromMs, keptSinceMs), keptSinceMs)
  const folding = new Folding(start, record)
  let nextMs = start.fromMs
  for (let count = 0; !isStopped(); ) {
    const startedMs = performance.now()
    const read = await readSamplesFrom(source, deviceId, nextMs, size.chunk)
    const last = read.at(-1)
    // The last one may be the newest, and be merged with more data of its instant before the next chunk is read.
    const samples = read.slice(0, -1)
    nextMs = last?.timeMs ?? nextMs
    count += samples.length
    const folded = folding.look(samples)
    const same = await firstAsBefore(source, deviceId, folded.checkpoints, toMs)
    if (same) return { kind: 'range', range: folding.toSameState(same, samples, folded) }
    if (count >= size.samples || folding.rows + folded.trips.length + folded.checkpoints.length >= size.rows) {
      const after = Math.max(fromMs, start.fromMs)
      const cut = await lastCut(
        source,
        record,
        folding,
        folded.checkpoints.filter(({ beforeMs }) => beforeMs > after),
      )
      if (cut) return { kind: 'range', range: folding.toCut(cut.checkpoint, cut.state, samples, folded) }
    }
    if (samples.length > 0) folding.take(folded)
    if (read.length < size.chunk) return { kind: 'nearly all', folding, nextMs }
    await rest(performance.now() - startedMs)
  }
  return undefined
}

/** The last checkpoint with no trip open, folded or stored, so that both sides of it do not share a trip. */
async function lastCut(
  source: SampleSource,
  record: DeviceRecord,
  folding: Folding,
  checkpoints: readonly Checkpoint[],
): Promise<{ readonly checkpoint: Checkpoint; readonly state: FoldState } | undefined> {
  const last = checkpoints.at(-1)
  if (!last) return undefined
  const { deviceId } = record
  const range = { deviceId, fromMs: folding.tripsFromMs, toMs: last.beforeMs }
  const rows = (await readStoredTrips(source, [range])).get(deviceId) ?? []
  for (const checkpoint of checkpoints.toReversed()) {
    const state = parseState(checkpoint.state)
    if (fold(state, []).trips.length > 0) continue
    // A dongle that sleeps while its car is parked wakes up with what may become the next trip.
    const tripsToMs = tripsBetween(state, checkpoint.beforeMs)
    const isWithinTrip = rows.some(row => row.startMs < tripsToMs && row.endMs >= tripsToMs)
    if (!isWithinTrip && canCutAt(tripsToMs, record)) return { checkpoint, state }
  }
  return undefined
}

/** Live samples continue the open trip, or what may become one: it must begin after a cut.
 * @param tripsToMs end of the written */
export function canCutAt(tripsToMs: number, { fold: live }: Pick<DeviceRecord, 'fold'>): boolean {
  const startMs = live && earliestTripStartMs(live)
  return startMs === undefined || startMs >= tripsToMs
}

/** Where to begin to fold everything again from `changedMs`, not before `keptSinceMs`: the effect of dropped samples is
 * only known from a state computed while they existed. */
async function foldStartBefore(
  connection: Connection,
  deviceId: DeviceId,
  changedMs: number,
  keptSinceMs: number,
): Promise<FoldStart> {
  const checkpoint = await readCheckpointBefore(connection, deviceId, changedMs)
  if (checkpoint && checkpoint.beforeMs >= keptSinceMs)
    return { fromMs: checkpoint.beforeMs, state: parseState(checkpoint.state), keptSinceMs }
  const state = keptSinceMs > Number.NEGATIVE_INFINITY ? await stateAt(connection, deviceId, keptSinceMs) : undefined
  return { fromMs: keptSinceMs, state, keptSinceMs }
}

/** The state after dropped samples: in the first checkpoint from there on, as the first sample after midnight creates
 * one (UTC; weeks begin at midnight), or still the current state. */
async function stateAt(connection: Connection, deviceId: DeviceId, instant: number): Promise<FoldState | undefined> {
  const first = await readFirstCheckpoint(connection, deviceId, instant)
  const state = first ? parseState(first.state) : (await readDeviceRecords(connection, [deviceId])).get(deviceId)?.fold
  if (!state || (state.progress.lastMs ?? Number.NEGATIVE_INFINITY) >= instant) return undefined
  const { pending, newest } = state
  return {
    ...state,
    pending: pending.filter(({ timeMs }) => timeMs < instant),
    newest: newest && newest.timeMs < instant ? newest : undefined,
  }
}

/** Folds the samples of a device again, one chunk after the other, and collects the results. */
export class Folding {
  readonly #start: FoldStart
  readonly #context: FoldContext
  readonly #trips = new Map<number, DerivedTrip>()
  readonly #vinRuns = new Map<number, VinRun>()
  #checkpoints: readonly Checkpoint[] = []
  readonly #itemsOfFacts = new Map<string, FoldedItems>()
  #state: FoldState | undefined
  #openStartMs: number | undefined
  /** The instant of the first sample. */
  #firstMs: number | undefined
  #isEmpty = true

  constructor(start: FoldStart, context: FoldContext) {
    this.#start = start
    this.#context = context
    this.#state = start.state
    const run = start.state && vinRunOf(start.state)
    if (run) this.#vinRuns.set(run.firstMs, run)
  }

  /** An independent copy: after a deadlock, what follows is done again. */
  copy(): Folding {
    const folding = new Folding(this.#start, this.#context)
    for (const [startMs, trip] of this.#trips) folding.#trips.set(startMs, trip)
    for (const [firstMs, run] of this.#vinRuns) folding.#vinRuns.set(firstMs, run)
    for (const [fact, items] of this.#itemsOfFacts) folding.#itemsOfFacts.set(fact, items)
    folding.#checkpoints = this.#checkpoints
    folding.#state = this.#state
    folding.#openStartMs = this.#openStartMs
    folding.#firstMs = this.#firstMs
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
    this.#firstMs ??= samples[0]?.timeMs
    return foldDevice(this.#state, samples, this.#context)
  }

  /** Adds a result of `look`. */
  take(folded: DeviceFolded): void {
    this.#checkpoints = [...this.#checkpoints, ...folded.checkpoints]
    this.#takeFacts(folded)
  }

  /** The result up to the newest sample. @returns undefined when there was none */
  toNewestSample(): FoldResult | undefined {
    if (this.#isEmpty || !this.#state) return undefined
    return this.#result({ kind: 'newest sample', state: this.#state }, Number.POSITIVE_INFINITY)
  }

  /** The result when the state at a checkpoint, which `look` found, equals the stored one. */
  toSameState(same: Checkpoint, samples: readonly Sample[], folded: DeviceFolded): FoldResult {
    this.#takeBefore(same.beforeMs, samples, folded)
    return this.#result({ kind: 'as before', state: parseState(same.state) }, same.beforeMs)
  }

  /** The result up to a checkpoint, which `look` found, at which the dongle was in no trip, or in none that counts so far. */
  toCut(cut: Checkpoint, state: FoldState, samples: readonly Sample[], folded: DeviceFolded): FoldResult {
    this.#takeBefore(cut.beforeMs, samples, folded)
    this.#checkpoints = [...this.#checkpoints, cut]
    return this.#result({ kind: 'cut', state }, cut.beforeMs)
  }

  /** Adds only the result of samples before a checkpoint. */
  #takeBefore(beforeMs: number, samples: readonly Sample[], folded: DeviceFolded): void {
    // The last of them would be treated as the newest one, which makes no checkpoint yet.
    const before = folded.checkpoints.filter(checkpoint => checkpoint.beforeMs < beforeMs)
    this.#checkpoints = [...this.#checkpoints, ...before]
    this.#takeFacts(this.look(samples.filter(sample => sample.timeMs < beforeMs)))
  }

  #takeFacts({ trips, vinRuns, state, openStartMs, items }: DeviceFolded): void {
    this.#isEmpty = false
    this.#openStartMs = openStartMs
    for (const trip of trips) this.#trips.set(trip.startMs, trip)
    for (const run of vinRuns) this.#vinRuns.set(run.firstMs, run)
    for (const [fact, now] of items) this.#itemsOfFacts.set(fact, joinedItems(this.#itemsOfFacts.get(fact), now))
    this.#state = state
  }

  #result(end: FoldResult['end'], toMs: number): FoldResult {
    const { state: base, fromMs } = this.#start
    const goingOnMs = end.kind === 'as before' ? tripStartMs(end.state) : undefined
    return {
      isContinued: false,
      from: {
        afterMs: this.#afterMs(),
        tripsMs: this.tripsFromMs,
        runsMs: (base && vinRunOf(base)?.firstMs) ?? fromMs,
      },
      end,
      toMs,
      tripsToMs: end.kind === 'newest sample' ? toMs : tripsBetween(end.state, toMs),
      goingOnMs,
      openStartMs: this.#openStartMs,
      trips: [...this.#trips.values()]
        .filter(trip => trip.startMs < (goingOnMs ?? Number.POSITIVE_INFINITY))
        .sort((a, b) => a.startMs - b.startMs),
      vinRuns: [...this.#vinRuns.values()].sort((a, b) => a.firstMs - b.firstMs),
      checkpoints: this.#checkpoints,
      mustStoreRoute: true,
      endsSilent: true,
      stretches: new Map(
        [...this.#itemsOfFacts].map(([fact, items]) => [fact, this.#stretchOf(fact, items, end, toMs)]),
      ),
    }
  }

  /** Where it began; after a move, behind the last sample before, if it is kept: else only the checkpoint tells of it. */
  #afterMs(): number {
    const { state, fromMs, keptSinceMs } = this.#start
    const lastMs = state?.progress.lastMs ?? Number.NEGATIVE_INFINITY
    if (this.#firstMs === undefined || !state || lastMs < keptSinceMs) return fromMs
    if (stateAfterMoves(state, this.#firstMs, this.#context.movesMs)) return fromMs
    // Up to the next sample there are no checkpoints, but what a sample ends has one a millisecond later.
    return Math.min(fromMs, lastMs + 1)
  }

  #stretchOf(
    fact: string,
    { decidedFromMs, items }: FoldedItems,
    end: FoldResult['end'],
    toMs: number,
  ): Omit<FoldedRange, 'device'> {
    // Items that go on there do so as before, or follows from later samples.
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
function tripsBetween(state: FoldState, atMs: number): number {
  return Math.min(atMs, earliestTripStartMs(state) ?? atMs)
}

/** The trips that follow from samples, and the results of every other fact that needs them in order. */
interface DeviceFolded extends Folded {
  /** By the name of the fact. */
  readonly items: ReadonlyMap<string, FoldedItems>
}

const NO_ITEMS: ReadonlyMap<string, FoldedItems> = new Map()

/** Folds samples of a dongle for all facts that need them in order. `before` and `samples` are as for `foldAcrossMoves`. */
function foldDevice(before: FoldState | undefined, samples: readonly Sample[], context: FoldContext): DeviceFolded {
  const folded = foldAcrossMoves(before, samples, context.movesMs)
  const parts = partsOfFacts(context)
  if (parts.size === 0) return { ...folded, items: NO_ITEMS }
  const { state, checkpoints } = folded
  const waitingMs = (state.pending[0] ?? state.newest)?.timeMs ?? Number.POSITIVE_INFINITY
  const { states, items } = foldParts([...waitingBefore(before, samples), ...samples], {
    parts,
    before: statesOfText(before?.parts),
    atMs: [...checkpoints.map(({ beforeMs }) => beforeMs), waitingMs],
  })
  return {
    ...folded,
    state: { ...state, parts: states.at(-1) },
    checkpoints: checkpoints.map(({ beforeMs, state: text }, index) => ({
      beforeMs,
      state: withParts(text, states[index]),
    })),
    items,
  }
}

/** Samples of the state that its progress does not include yet. The first new sample may replace the newest. */
function waitingBefore(before: FoldState | undefined, [first]: readonly Sample[]): readonly Sample[] {
  const { pending = [], newest } = before ?? {}
  return newest && newest.timeMs !== first?.timeMs ? [...pending, newest] : pending
}

function partsOfFacts(context: FoldContext): FoldParts {
  const parts = new Map<string, FoldPart<Json, FoldItem>>()
  for (const { name, inOrder } of FACTS) {
    const part = inOrder?.part(context)
    if (part) parts.set(name, part)
  }
  return parts
}

/** The keys of a fact's items that are going on in a state. */
function goingOnAt({ parts }: FoldState, fact: string, context: FoldContext): readonly string[] {
  const state = statesOfText(parts)[fact] ?? null
  const part = FACTS.find(({ name }) => name === fact)?.inOrder?.part(context)
  return part?.goingOn(state).map(item => part.keyOf(item)) ?? []
}
