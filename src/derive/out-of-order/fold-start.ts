import type { Connection } from '../../db/database.ts'
import type { DeviceId } from '../../model/sample.ts'
import { readDeviceRecords } from '../device-records/device-records.ts'
import { type FoldState, parseState } from '../trips/derive/state.ts'

import { readCheckpointBefore, readFirstCheckpoint } from '../trips/rows/checkpoints.ts'

/** Where refolding begins: with the samples from `fromMs` on, after a state. */
export interface FoldStart {
  readonly fromMs: number
  /** undefined when there is nothing before. */
  readonly state: FoldState | undefined
}

/**
 * Where to begin so that everything from an instant on is refolded: at the last checkpoint before it. If older
 * samples were dropped, their effect is only known from a state that was computed while they existed.
 * @param keptSinceMs from when on all samples are kept; minus infinity if none were dropped
 * @param changedMs not before `keptSinceMs`
 */
export async function foldStartBefore(
  connection: Connection,
  deviceId: DeviceId,
  changedMs: number,
  keptSinceMs: number,
): Promise<FoldStart> {
  const checkpoint = await readCheckpointBefore(connection, deviceId, changedMs)
  if (checkpoint && checkpoint.beforeMs >= keptSinceMs)
    return { fromMs: checkpoint.beforeMs, state: parseState(checkpoint.state) }
  const state = keptSinceMs > Number.NEGATIVE_INFINITY ? await stateAt(connection, deviceId, keptSinceMs) : undefined
  return { fromMs: keptSinceMs, state }
}

/**
 * The state after all samples before an instant, when they have been dropped: it is in the first checkpoint from there on,
 * because the first sample after midnight creates one (UTC, and weeks begin at midnight); or it is still the current
 * state of the fold.
 */
async function stateAt(connection: Connection, deviceId: DeviceId, instant: number): Promise<FoldState | undefined> {
  const first = await readFirstCheckpoint(connection, deviceId, instant)
  const state = first ? parseState(first.state) : await currentState(connection, deviceId)
  if (!state || (state.progress.lastMs ?? Number.NEGATIVE_INFINITY) >= instant) return undefined
  const { pending, newest } = state
  return {
    ...state,
    pending: pending.filter(({ timeMs }) => timeMs < instant),
    newest: newest && newest.timeMs < instant ? newest : undefined,
  }
}

async function currentState(connection: Connection, deviceId: DeviceId): Promise<FoldState | undefined> {
  return (await readDeviceRecords(connection, [deviceId])).get(deviceId)?.fold
}
