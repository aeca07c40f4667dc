import type { DeviceId } from '../../model/sample.ts'
import { readKeptSince, readSamplesFrom, type SampleSource } from '../../store/index.ts'
import { type DeviceRecord, readDeviceRecords } from '../device-records/device-records.ts'
import { type FoldStart, foldStartBefore } from '../out-of-order/fold-start.ts'
import { type FoldedAgain, Folding, tripsBetween } from '../out-of-order/folding.ts'
import { type Checkpoint, earliestTripStartMs, fold } from '../trips/derive/fold.ts'
import { type FoldState, parseState } from '../trips/derive/state.ts'

import { readStoredTrips } from '../trips/rows/stored-trips.ts'

/** A stretch of the history of a device, folded by the rules of this program and not written yet. */
export interface FoldedStretch {
  /** Everything before was folded by these rules already. */
  readonly fromMs: number
  readonly start: FoldStart
  /** What must be unchanged when it is written: from when on samples are kept, when the device was moved, and its rules. */
  readonly keptSinceMs: number
  readonly contextKey: string
  /** Cut when more follows; or all samples but those from `nextMs` on, which are about to be folded while the device is held. */
  readonly end:
    | { readonly kind: 'cut'; readonly again: FoldedAgain }
    | { readonly kind: 'nearly all'; readonly folding: Folding; readonly nextMs: number }
}

/** How much of a history is done at once. */
export interface StretchSize {
  /** Samples of one round trip: between two of them, other work gets its turn. */
  readonly chunk: number
  /** With this many samples, or rows of trips and checkpoints, it is cut as soon as possible. */
  readonly samples: number
  readonly rows: number
}

/** Writing some 200 rows takes 20 to 40 ms, during which the shard of the device is held. */
export const STRETCH_SIZE: StretchSize = { chunk: 2000, samples: 20_000, rows: 200 }

interface StretchOptions {
  readonly size: StretchSize
  /** After each round trip. */
  readonly rest: (workedMs: number) => Promise<void>
  /** Whether to give up. */
  readonly isStopped: () => boolean
}

/**
 * Folds the next stretch of a device without locks: what it reads may change in the meantime, which is checked before
 * writing. The newest sample of all is left out, because it may still arrive in pieces.
 * @param fromMs where the previous stretch ended, minus infinity at first
 * @returns undefined when it was stopped
 */
export async function foldStretch(
  source: SampleSource,
  deviceId: DeviceId,
  fromMs: number,
  { size, rest, isStopped }: StretchOptions,
): Promise<FoldedStretch | undefined> {
  const keptSinceMs = await readKeptSince(source)
  const record = (await readDeviceRecords(source, [deviceId])).get(deviceId)
  if (!record) throw new Error(`there is no device ${deviceId}`)
  const start = await foldStartBefore(source, deviceId, Math.max(fromMs, keptSinceMs), keptSinceMs)
  const stretch = { fromMs, start, keptSinceMs, contextKey: record.contextKey }
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
    if (count >= size.samples || folding.rows + folded.trips.length + folded.checkpoints.length >= size.rows) {
      const after = Math.max(fromMs, start.fromMs)
      const cut = await lastCut(
        source,
        record,
        folding,
        folded.checkpoints.filter(({ beforeMs }) => beforeMs > after),
      )
      if (cut) {
        folding.takeBefore(cut.checkpoint.beforeMs, samples, folded)
        return { ...stretch, end: { kind: 'cut', again: folding.toCut(cut.checkpoint, cut.state) } }
      }
    }
    if (samples.length > 0) folding.take(folded)
    if (read.length < size.chunk) return { ...stretch, end: { kind: 'nearly all', folding, nextMs } }
    await rest(performance.now() - startedMs)
  }
  return undefined
}

/**
 * The last checkpoint at which no trip is open by these rules and by the former ones, so that what
 * is written up to there and what is left for later do not share a trip.
 */
async function lastCut(
  source: SampleSource,
  record: DeviceRecord,
  folding: Folding,
  checkpoints: readonly Checkpoint[],
): Promise<{ readonly checkpoint: Checkpoint; readonly state: FoldState } | undefined> {
  const last = checkpoints.at(-1)
  if (!last) return undefined
  const rows = await readStoredTrips(source, record.deviceId, folding.tripsFromMs, last.beforeMs)
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

/**
 * Live samples continue the trip, or what may become one, that is open by the former rules: it must
 * begin after a cut.
 * @param tripsToMs trips that begin before this are written
 */
export function canCutAt(tripsToMs: number, { fold: live }: Pick<DeviceRecord, 'fold'>): boolean {
  const startMs = live && earliestTripStartMs(live)
  return startMs === undefined || startMs >= tripsToMs
}
