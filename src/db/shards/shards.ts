import type { DeviceId } from '../../model/sample.ts'
import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'

/** Enough that two nodes seldom want the same one, few enough that a large batch takes them in no time. */
export const SHARD_COUNT = 64

/** The shard of a device. Every node must count alike, so this never changes. */
export function shardOf(deviceId: DeviceId): number {
  return deviceId % SHARD_COUNT
}

/** The shards of some devices, ascending. */
export function shardsOf(deviceIds: Iterable<DeviceId>): number[] {
  const shards = new Set<number>()
  for (const deviceId of deviceIds) shards.add(shardOf(deviceId))
  return [...shards].sort((a, b) => a - b)
}

/**
 * Waits until this transaction is the only writer of these devices (design, decision 7). Shards are advisory locks,
 * taken in ascending order so that two batches can not wait for each other.
 *
 * What is stored of a device may lack what follows from its newest samples: who reads or writes its records calls
 * `holdDevices` (src/pipeline/backlog/) instead.
 */
export async function lockShards(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<void> {
  await holdShards(transaction, shardsOf(deviceIds))
}

/** Who remembers the samples of a shard that wait, and since when there are any. */
export interface KeptShard {
  readonly shard: number
  /** undefined while nobody does. */
  readonly leaseOwner: number | undefined
  /** The revision of the first that waits; undefined while none does. */
  readonly backlogSince: string | undefined
}

/** The same for all devices of some shards. @param shards ascending @returns what the rows of the shards say then */
export async function holdShards(transaction: Transaction, shards: readonly number[]): Promise<KeptShard[]> {
  const rows = await transaction.rows<{ shard: number; lease_owner: number | null; backlog_since: string | null }>(
    sql`select shard, lease_owner, backlog_since from hold_shards(${shards}::integer[])`,
    { prepareAs: 'hold-shards' },
  )
  await transaction.backlog.hold(shards, transaction)
  return rows.map(row => ({
    shard: row.shard,
    leaseOwner: row.lease_owner ?? undefined,
    backlogSince: row.backlog_since ?? undefined,
  }))
}
