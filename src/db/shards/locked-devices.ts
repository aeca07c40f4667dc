import type { DeviceId } from '../../model/sample.ts'
import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { shardOf, shardsOf } from './shards.ts'

/**
 * Shards whose locks a transaction has taken: until it ends, it is the only writer of their devices (design, decision 7).
 * Only taking the locks makes one, here, so whoever is handed one need not ask.
 */
class LockedShards {
  readonly transaction: Transaction
  readonly #shards: ReadonlySet<number>

  constructor(transaction: Transaction, shards: Iterable<number>) {
    this.transaction = transaction
    this.#shards = new Set(shards)
  }

  /** Some of their devices. @throws Error for a device of another shard: whoever asks for it has not taken its lock */
  devices(deviceIds: readonly DeviceId[]): LockedDevices {
    for (const deviceId of deviceIds) this.check(deviceId)
    return new LockedDevices(this, deviceIds)
  }

  /** One of their devices. @throws Error as before */
  device(deviceId: DeviceId): LockedDevice {
    this.check(deviceId)
    return new LockedDevice(this, deviceId)
  }

  /** @throws Error unless the device is locked */
  check(deviceId: DeviceId): void {
    if (!this.#shards.has(shardOf(deviceId))) throw new Error(`the transaction does not hold the device ${deviceId}`)
  }
}

/**
 * Devices of which a transaction is the only writer until it ends. What writes rows of devices takes these instead of the
 * transaction.
 */
class LockedDevices {
  readonly transaction: Transaction
  readonly deviceIds: readonly DeviceId[]
  readonly #shards: LockedShards

  constructor(shards: LockedShards, deviceIds: readonly DeviceId[]) {
    this.transaction = shards.transaction
    this.deviceIds = deviceIds
    this.#shards = shards
  }

  /** Some of them. @throws Error for a device that is not locked */
  devices(deviceIds: readonly DeviceId[]): LockedDevices {
    return this.#shards.devices(deviceIds)
  }

  /** One of them. @throws Error as before */
  device(deviceId: DeviceId): LockedDevice {
    return this.#shards.device(deviceId)
  }

  /** To write rows of theirs with. @throws Error for a row of a device that is not locked */
  transactionFor(rows: readonly { readonly deviceId: DeviceId }[]): Transaction {
    for (const { deviceId } of rows) this.#shards.check(deviceId)
    return this.transaction
  }
}

/** One such device. */
class LockedDevice extends LockedDevices {
  readonly deviceId: DeviceId

  constructor(shards: LockedShards, deviceId: DeviceId) {
    super(shards, [deviceId])
    this.deviceId = deviceId
  }
}

export type { LockedDevice, LockedDevices, LockedShards }

/** Who remembers the samples of a shard that wait, and since when there are any. */
export interface KeptShard {
  readonly shard: number
  /** undefined while nobody does. */
  readonly leaseOwner: number | undefined
  /** The revision of the first that waits; undefined while none does. */
  readonly backlogSince: string | undefined
}

/**
 * Waits until this transaction is the only writer of all devices of some shards. These are advisory locks, taken in ascending
 * order so that two batches cannot wait for each other.
 * @param shards ascending
 * @returns them, and what their rows say then
 */
export async function lockShards(
  transaction: Transaction,
  shards: readonly number[],
): Promise<{ readonly locked: LockedShards; readonly kept: readonly KeptShard[] }> {
  const rows = await transaction.rows<{ shard: number; lease_owner: number | null; backlog_since: string | null }>(
    sql`select shard, lease_owner, backlog_since from hold_shards(${shards}::integer[])`,
    { prepareAs: 'hold-shards' },
  )
  const kept = rows.map(row => ({
    shard: row.shard,
    leaseOwner: row.lease_owner ?? undefined,
    backlogSince: row.backlog_since ?? undefined,
  }))
  return { locked: new LockedShards(transaction, shards), kept }
}

/**
 * The same for the shards of some devices.
 *
 * What is stored of a device may lack what follows from its newest samples: who reads or writes its records calls
 * `lockDevices` (src/derive/backlog/) instead.
 */
export async function lockDevices(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<LockedDevices> {
  const wanted = [...deviceIds]
  const { locked } = await lockShards(transaction, shardsOf(wanted))
  return locked.devices(wanted)
}
