import type { DeviceId } from '../../model/sample.ts'
import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { shardOf, shardsOf } from './shards.ts'

/**
 * Shards whose locks a transaction has taken: until it ends, it is the only writer of their devices (design, decision 7).
 * Only taking the locks makes one, here, so whoever is handed one need not ask.
 */
class HeldShards {
  readonly transaction: Transaction
  readonly #shards: ReadonlySet<number>

  constructor(transaction: Transaction, shards: Iterable<number>) {
    this.transaction = transaction
    this.#shards = new Set(shards)
  }

  /** Some of their devices. @throws Error for a device of another shard: whoever asks for it has not taken its lock */
  devices(deviceIds: readonly DeviceId[]): HeldDevices {
    for (const deviceId of deviceIds) this.check(deviceId)
    return new HeldDevices(this, deviceIds)
  }

  /** One of their devices. @throws Error as before */
  device(deviceId: DeviceId): HeldDevice {
    this.check(deviceId)
    return new HeldDevice(this, deviceId)
  }

  /** @throws Error unless the device is held */
  check(deviceId: DeviceId): void {
    if (!this.#shards.has(shardOf(deviceId))) throw new Error(`the transaction does not hold the device ${deviceId}`)
  }
}

/**
 * Devices of which a transaction is the only writer until it ends. What writes rows of devices takes these instead of the
 * transaction.
 */
class HeldDevices {
  readonly transaction: Transaction
  readonly deviceIds: readonly DeviceId[]
  readonly #shards: HeldShards

  constructor(shards: HeldShards, deviceIds: readonly DeviceId[]) {
    this.transaction = shards.transaction
    this.deviceIds = deviceIds
    this.#shards = shards
  }

  /** Some of them. @throws Error for a device that is not held */
  devices(deviceIds: readonly DeviceId[]): HeldDevices {
    return this.#shards.devices(deviceIds)
  }

  /** One of them. @throws Error as before */
  device(deviceId: DeviceId): HeldDevice {
    return this.#shards.device(deviceId)
  }

  /** To write rows of theirs with. @throws Error for a row of a device that is not held */
  transactionFor(rows: readonly { readonly deviceId: DeviceId }[]): Transaction {
    for (const { deviceId } of rows) this.#shards.check(deviceId)
    return this.transaction
  }
}

/** One such device. */
class HeldDevice extends HeldDevices {
  readonly deviceId: DeviceId

  constructor(shards: HeldShards, deviceId: DeviceId) {
    super(shards, [deviceId])
    this.deviceId = deviceId
  }
}

export type { HeldDevice, HeldDevices, HeldShards }

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
 * order so that two batches can not wait for each other.
 * @param shards ascending
 * @returns them, and what their rows say then
 */
export async function lockShards(
  transaction: Transaction,
  shards: readonly number[],
): Promise<{ readonly held: HeldShards; readonly kept: readonly KeptShard[] }> {
  const rows = await transaction.rows<{ shard: number; lease_owner: number | null; backlog_since: string | null }>(
    sql`select shard, lease_owner, backlog_since from hold_shards(${shards}::integer[])`,
    { prepareAs: 'hold-shards' },
  )
  const kept = rows.map(row => ({
    shard: row.shard,
    leaseOwner: row.lease_owner ?? undefined,
    backlogSince: row.backlog_since ?? undefined,
  }))
  return { held: new HeldShards(transaction, shards), kept }
}

/**
 * The same for the shards of some devices.
 *
 * What is stored of a device may lack what follows from its newest samples: who reads or writes its records calls
 * `holdDevices` (src/derive/backlog/) instead.
 */
export async function lockDevices(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<HeldDevices> {
  const wanted = [...deviceIds]
  const { held } = await lockShards(transaction, shardsOf(wanted))
  return held.devices(wanted)
}
