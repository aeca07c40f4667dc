import type { DeviceId } from '../../model/sample.ts'
import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'

/** Enough that two nodes seldom want the same one, few enough that a large batch takes them in no time. */
export const LANE_COUNT = 64

/** The lane of a device. Every node must count alike, so this never changes. */
export function laneOf(deviceId: DeviceId): number {
  return deviceId % LANE_COUNT
}

/** The lanes of some devices, ascending. */
export function lanesOf(deviceIds: Iterable<DeviceId>): number[] {
  const lanes = new Set<number>()
  for (const deviceId of deviceIds) lanes.add(laneOf(deviceId))
  return [...lanes].sort((a, b) => a - b)
}

/**
 * Waits until this transaction is the only writer of these devices (design, decision 7). Lanes are advisory locks,
 * taken in ascending order so that two batches can not wait for each other.
 *
 * What is stored of a device may lack what follows from its newest samples: who reads or writes its records calls
 * `holdDevices` (src/pipeline/waiting/) instead.
 */
export async function lockLanes(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<void> {
  await holdLanes(transaction, lanesOf(deviceIds))
}

/** Who remembers the samples of a lane that wait, and since when there are any. */
export interface KeptLane {
  readonly lane: number
  /** undefined while nobody does. */
  readonly keeper: number | undefined
  /** The stamp of the first that waits; undefined while none does. */
  readonly waitingSince: string | undefined
}

/** The same for all devices of some lanes. @param lanes ascending @returns what the rows of the lanes say then */
export async function holdLanes(transaction: Transaction, lanes: readonly number[]): Promise<KeptLane[]> {
  const rows = await transaction.rows<{ lane: number; keeper: number | null; waiting_since: string | null }>(
    sql`select lane, keeper, waiting_since from hold_lanes(${lanes}::integer[])`,
    { prepareAs: 'hold-lanes' },
  )
  await transaction.waiting.hold(lanes, transaction)
  return rows.map(row => ({
    lane: row.lane,
    keeper: row.keeper ?? undefined,
    waitingSince: row.waiting_since ?? undefined,
  }))
}
