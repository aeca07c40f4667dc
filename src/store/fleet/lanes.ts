import type { DeviceId } from '../../intake/sample.ts'
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
 * `holdDevices` (src/intake/waiting/) instead.
 */
export async function lockLanes(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<void> {
  await lockLaneNumbers(transaction, lanesOf(deviceIds))
}

/** The same for all devices of some lanes. @param lanes ascending */
export async function lockLaneNumbers(transaction: Transaction, lanes: readonly number[]): Promise<void> {
  await transaction.rows(sql`select pg_advisory_xact_lock(7412, lane) from unnest(${lanes}::integer[]) as lane`, {
    prepareAs: 'lock-lanes',
  })
  await transaction.waiting.hold(lanes, transaction)
}
