import type { AccountReads } from '../../../db/account-reads.ts'
import { stateAfterMoves } from '../../../derive/trips/derive/fold.ts'
import {
  accountOf,
  type Retrace,
  retraced,
  retracedToEnd,
  retraceFrom,
  type TripAccount,
} from '../../../derive/trips/derive/retrace.ts'
import { parseState } from '../../../derive/trips/derive/state.ts'
import { readCheckpointBefore } from '../../../derive/trips/rows/checkpoints.ts'
import type { Sample } from '../../../model/sample.ts'
import { numbersOf, type RawSample, readSamples, textsOf, withRawConnection } from '../../../store/index.ts'
import type { StoredTrip } from './query.ts'

/** What the samples of a trip tell when they are folded once more. */
export interface RetracedTrip {
  /** undefined when they tell of no trip that begins at that time. */
  readonly account: TripAccount | undefined
  readonly firstSample: RawSample | undefined
  readonly lastSample: RawSample | undefined
  /** The checkpoint from which the samples were folded; undefined when from the first sample of the device. */
  readonly checkpointMs: number | undefined
}

/**
 * Folds the samples of a trip once more, from the last checkpoint before it until it is over. They are read a chunk at a
 * time, and only the deciding ones are kept.
 */
export async function retraceTrip(
  reads: AccountReads,
  { deviceId, startMs, firstSampleMs, lastSampleMs, inCarFromMs, inCarToMs }: StoredTrip,
): Promise<RetracedTrip> {
  const checkpoint = await readCheckpointBefore(reads, deviceId, startMs)
  const state = stateAfterMoves(checkpoint && parseState(checkpoint.state), startMs, [inCarFromMs])
  const checkpointMs = state && checkpoint?.beforeMs
  // What the device reported in other cars says nothing about this one, and may belong to another account.
  const interval = {
    deviceId,
    fromMs: Math.max(checkpointMs ?? firstSampleMs, inCarFromMs),
    toMs: Math.min(lastSampleMs + 1, inCarToMs),
  }
  let retrace = retraceFrom(state, startMs)
  let firstSample: RawSample | undefined
  let lastSample: RawSample | undefined
  let movedSample: RawSample | undefined
  let followed = retrace
  // Samples that are not folded yet, oldest first.
  const waiting: RawSample[] = []
  const follow = (after: Retrace) => {
    const raw = waiting.shift()
    // Where the trip began between two samples, the one that shows it is later than the start.
    if (raw?.timeMs === after.trip?.opened.timeMs) firstSample = raw
    if (after.told !== followed.told) lastSample = raw
    if (after.moved !== followed.moved) movedSample = raw
    followed = after
  }
  await withRawConnection(reads, async connection => {
    const order = { types: undefined, direction: 'ascending' } as const
    for await (const chunk of readSamples(connection, [interval], order))
      for (const raw of chunk) {
        waiting.push(raw)
        retrace = retraced(retrace, sampleOf(raw), follow)
        if (retrace.isOver) return
      }
    retrace = retracedToEnd(retrace, follow)
  })
  const account = accountOf(retrace)
  // It turned out later that the car was parked.
  const isShortened = account !== undefined && lastSample !== undefined && lastSample.timeMs > account.trip.endMs
  return { account, firstSample, lastSample: isShortened ? movedSample : lastSample, checkpointMs }
}

function sampleOf(raw: RawSample): Sample {
  const { deviceId, timeMs, layout } = raw
  return { deviceId, timeMs, types: layout.types, numbers: numbersOf(raw), texts: textsOf(raw) }
}
