import type { DeviceId } from '../../intake/sample.ts'
import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'

/** Enough that two nodes seldom want the same one, few enough that a large batch takes them in no time. */
const LANE_COUNT = 64

/** The lane of a device. Every node must count alike, so this never changes. */
export function laneOf(deviceId: DeviceId): number {
  return deviceId % LANE_COUNT
}

/**
 * Waits until this transaction is the only writer of these devices (design, decision 7). Lanes are advisory locks,
 * taken in ascending order so that two batches can not wait for each other.
 */
export async function lockLanes(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<void> {
  const lanes = [...new Set([...deviceIds].map(laneOf))].sort((a, b) => a - b)
  await transaction.rows(sql`select pg_advisory_xact_lock(7412, lane) from unnest(${lanes}::integer[]) as lane`, {
    prepareAs: 'lock-lanes',
  })
}
