import type { DeviceId } from '../model/sample.ts'
import { CLOCK_MS } from './clock.ts'
import { CONCLUDING_LOCK_KIND, DEVICE_SHARD_LOCK_KIND, SHARED_VEHICLE_LOCK_KIND } from './locks.ts'
import { type Statement, sql } from './sql.ts'
import type { Transaction } from './transaction.ts'

/** Shards whose locks a transaction has taken: until it ends, it is the only writer of their devices (design, decision
 * 7). Only taking the locks makes one, here, so that its users need not ask. */
class LockedShards {
  readonly transaction: Transaction
  /** By shard. */
  readonly turns: ReadonlyMap<number, Turn>
  /** When the last of them was locked, by the clock of the database. */
  readonly atMs: number

  constructor(transaction: Transaction, rows: readonly TurnRow[]) {
    this.transaction = transaction
    this.turns = new Map(rows.map(({ shard, turn, server }) => [shard, { number: turn, server }]))
    this.atMs = Math.floor(rows.at(-1)?.at_ms ?? 0)
  }

  /** Some of the devices. @throws Error for a device of another shard: whoever asks for it has not taken its lock */
  devices(deviceIds: readonly DeviceId[]): LockedDevices {
    for (const deviceId of deviceIds) this.check(deviceId)
    return new LockedDevices(this, deviceIds)
  }

  /** One of the devices. @throws Error as before */
  device(deviceId: DeviceId): LockedDevice {
    this.check(deviceId)
    return new LockedDevice(this, deviceId)
  }

  /** @throws Error unless the device is locked */
  check(deviceId: DeviceId): void {
    if (!this.turns.has(shardOf(deviceId))) throw new Error(`the transaction has not locked the device ${deviceId}`)
  }
}

/** Devices of which a transaction is the only writer until it ends. Functions that write their rows take these instead
 * of the transaction. */
class LockedDevices {
  readonly transaction: Transaction
  readonly deviceIds: readonly DeviceId[]
  readonly #shards: LockedShards

  constructor(shards: LockedShards, deviceIds: readonly DeviceId[]) {
    this.transaction = shards.transaction
    this.deviceIds = deviceIds
    this.#shards = shards
  }

  /** When they were locked, by the clock of the database. */
  get lockedMs(): number {
    return this.#shards.atMs
  }

  /** Of all shards that were locked with theirs. */
  get turns(): ReadonlyMap<number, Turn> {
    return this.#shards.turns
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

class LockedDevice extends LockedDevices {
  readonly deviceId: DeviceId

  constructor(shards: LockedShards, deviceId: DeviceId) {
    super(shards, [deviceId])
    this.deviceId = deviceId
  }
}

export type { LockedDevice, LockedDevices }

/** Waits until this transaction is the only writer of all devices of the shards of these. */
export async function lockDevices(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<LockedDevices> {
  const wanted = [...deviceIds]
  const isLocked = sql`pg_advisory_xact_lock(${DEVICE_SHARD_LOCK_KIND}::integer, shard) is not null`
  return new LockedShards(transaction, await takeTurns(transaction, wanted, isLocked, 'lock-devices')).devices(wanted)
}

/** The same for one device. */
export async function lockDevice(transaction: Transaction, deviceId: DeviceId): Promise<LockedDevice> {
  return (await lockDevices(transaction, [deviceId])).device(deviceId)
}

/** Locks those of the devices whose shards nobody else has locked, without waiting for the others. */
export async function lockFreeDevices(transaction: Transaction, deviceIds: Iterable<DeviceId>): Promise<LockedDevices> {
  const wanted = [...deviceIds]
  const isLocked = sql`pg_try_advisory_xact_lock(${DEVICE_SHARD_LOCK_KIND}::integer, shard)`
  const free = new LockedShards(transaction, await takeTurns(transaction, wanted, isLocked, 'lock-free-devices'))
  return free.devices(wanted.filter(deviceId => free.turns.has(shardOf(deviceId))))
}

/** The turn of a transaction that has locked a shard. */
export interface Turn {
  /** Of each turn of a shard the next one, also after a rollback: who sees the one after its own knows that nobody else
   * has written anything of the devices of the shard since. */
  readonly number: number
  /** Another text after a restart, or on a replica that took over: its numbers may go back. */
  readonly server: string
}

interface TurnRow {
  readonly shard: number
  readonly turn: number
  readonly server: string
  readonly at_ms: number
}

/** By advisory locks, in ascending order so that two transactions cannot wait for each other. Turns are numbers of a
 * sequence for each shard: unlike a row, it does not grow with each update while a long transaction is open. */
function takeTurns(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
  isLocked: Statement,
  prepareAs: string,
): Promise<TurnRow[]> {
  return transaction.rows<TurnRow>(
    sql`
      select shard, turn, pg_postmaster_start_time()::text as server, ${CLOCK_MS} as at_ms
      from (
        select shard, case when ${isLocked} then nextval(('shard_turns_' || shard)::regclass) end as turn
        from unnest(${shardsOf(deviceIds)}::integer[]) as shard
      ) turns where turn is not null`,
    { prepareAs },
  )
}

/** Enough that two nodes seldom need the same one, few enough that a large batch locks them quickly. */
export const SHARD_COUNT = 64

/** The shard of a device or a vehicle. All nodes must agree, so this never changes. */
export function shardOf(id: number): number {
  return id % SHARD_COUNT
}

function shardsOf(ids: Iterable<number>): number[] {
  return [...new Set(Array.from(ids, shardOf))].sort((a, b) => a - b)
}

/** In ascending order, as before. */
async function lockShards(transaction: Transaction, kind: number, shards: readonly number[]): Promise<void> {
  await transaction.rows(
    sql`select pg_advisory_xact_lock(${kind}::integer, shard) from unnest(${shards}::integer[]) as shard`,
    { prepareAs: 'lock-shards' },
  )
}

/** Vehicles about which only this transaction concludes anything until it ends. Only taking the locks makes one, here. */
class LockedVehicles {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  get transaction(): Transaction {
    return this.#transaction
  }
}

export type { LockedVehicles }

/** Waits until only this transaction concludes what follows from the trips of these vehicles. Two dongles can be in one
 * vehicle, and their transactions do not see each other's trips. Taken after all other locks. */
export async function lockVehicles(transaction: Transaction, vehicleIds: Iterable<number>): Promise<LockedVehicles> {
  await lockShards(transaction, CONCLUDING_LOCK_KIND, shardsOf(vehicleIds))
  return new LockedVehicles(transaction)
}

/** Waits until only this transaction writes trips of these vehicles with several dongles. Concluding writes rows of the
 * other dongles, so two could wait for each other. Take it before writing any row of them. */
export async function lockSharedVehicles(transaction: Transaction, vehicleIds: Iterable<number>): Promise<void> {
  const shards = shardsOf(vehicleIds)
  if (shards.length > 0) await lockShards(transaction, SHARED_VEHICLE_LOCK_KIND, shards)
}
