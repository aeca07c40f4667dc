import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'

/** Kinds of advisory locks for vehicles; the shard is the second key. */
const LOCK_KIND_OF_CONCLUDING = 7413
const LOCK_KIND_OF_SHARED_VEHICLES = 7415
/** Few enough that a batch that ends trips of a whole fleet does not exhaust the lock table. All nodes must agree. */
const SHARD_COUNT = 64

/** Vehicles about which only this transaction concludes anything until it ends. Only taking the locks makes one, here. */
class HeldVehicles {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  get transaction(): Transaction {
    return this.#transaction
  }
}

export type { HeldVehicles }

/**
 * Waits until this transaction is the only one that concludes what follows from the trips of these vehicles: which of them
 * count, and their days. Dongles have shards of their own (`shards.ts`), but two dongles can be in one vehicle, and their
 * batches in two transactions: neither sees the trips of the other before it commits. With the shard held, whatever the
 * other one wrote is committed and seen by the next statement. Taken in ascending order and after all other locks, so that
 * two transactions cannot wait for each other.
 */
export function lockVehicles(transaction: Transaction, vehicleIds: Iterable<number>): Promise<HeldVehicles> {
  return holdVehicles(transaction, shardsOf(vehicleIds))
}

/** Waits until this transaction is the only one that concludes anything about any vehicle. */
export function lockAllVehicles(transaction: Transaction): Promise<HeldVehicles> {
  return holdVehicles(
    transaction,
    Array.from({ length: SHARD_COUNT }, (_, shard) => shard),
  )
}

async function holdVehicles(transaction: Transaction, shards: readonly number[]): Promise<HeldVehicles> {
  await lockShards(transaction, LOCK_KIND_OF_CONCLUDING, shards)
  return new HeldVehicles(transaction)
}

/**
 * Waits until this transaction is the only one that writes trips of these vehicles, in which several dongles are. Who
 * concludes writes rows of the other dongles too: were one of them being written at that moment, by somebody who waits
 * to conclude, both would wait for ever. So whoever knows that a vehicle is shared takes this before it writes any of its
 * rows; who does not know yet gets into a deadlock at worst, which is found and tried again. Nothing to do for none.
 */
export async function lockSharedVehicles(transaction: Transaction, vehicleIds: Iterable<number>): Promise<void> {
  const shards = shardsOf(vehicleIds)
  if (shards.length > 0) await lockShards(transaction, LOCK_KIND_OF_SHARED_VEHICLES, shards)
}

function shardsOf(vehicleIds: Iterable<number>): number[] {
  return [...new Set([...vehicleIds].map(id => id % SHARD_COUNT))].sort((a, b) => a - b)
}

async function lockShards(transaction: Transaction, kind: number, shards: readonly number[]): Promise<void> {
  await transaction.rows(sql`select pg_advisory_xact_lock(${kind}, shard) from unnest(${shards}::integer[]) as shard`, {
    prepareAs: 'lock-vehicles',
  })
}
