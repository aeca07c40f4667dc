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

export type { LockedDevice, LockedDevices }

/**
 * Waits until this transaction is the only writer of all devices of some shards. These are advisory locks, taken in ascending
 * order so that two batches cannot wait for each other.
 * @param shards ascending
 */
async function lockShards(transaction: Transaction, shards: readonly number[]): Promise<LockedShards> {
  await transaction.rows(
    sql`select pg_advisory_xact_lock(${SHARD_LOCK_KIND}::integer, shard) from unnest(${shards}::integer[]) as shard`,
    { prepareAs: 'lock-shards' },
  )
  return new LockedShards(transaction, shards)
}

/** The same for the shards of some devices. */
export async function lockDevices(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<LockedDevices> {
  const wanted = [...deviceIds]
  return (await lockShards(transaction, shardsOf(wanted))).devices(wanted)
}

/** The same for one device. */
export async function lockDevice(transaction: Transaction, deviceId: DeviceId): Promise<LockedDevice> {
  return (await lockShards(transaction, [shardOf(deviceId)])).device(deviceId)
}

/** Locks those of the devices whose shards nobody else has locked, without waiting for the others. */
export async function lockFreeDevices(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<LockedDevices> {
  const wanted = [...deviceIds]
  const rows = await transaction.rows<{ shard: number }>(
    sql`
      select shard from unnest(${shardsOf(wanted)}::integer[]) as shard
      where pg_try_advisory_xact_lock(${SHARD_LOCK_KIND}::integer, shard)`,
    { prepareAs: 'lock-free-shards' },
  )
  const free = new Set(rows.map(row => row.shard))
  return new LockedShards(transaction, free).devices(wanted.filter(deviceId => free.has(shardOf(deviceId))))
}

const SHARD_LOCK_KIND = 7412
