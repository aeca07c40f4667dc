import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import { writeBacklogSince } from '../../db/shards/kept-shards.ts'
import { shardOf } from '../../db/shards/shards.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { deriveStored } from '../derive-stored.ts'
import type { Backlog } from './backlog.ts'
import { leaveOutOfOrder } from './leave-out-of-order.ts'
import { lockUpToDateDevice, takeShards } from './take-shards.ts'

/** A process that stores samples, with its backlog. */
export interface LeaseOwner {
  readonly database: Database
  readonly backlog: Backlog
  readonly log: Logger
}

/**
 * Derives the backlog of some shards, in one transaction. One device that fails must not keep the others waiting: then each
 * gets its own transaction, and the samples of one that fails are marked as out of order.
 * @throws ClientError when the database can not do it now; then everything still waits.
 */
export async function deriveShards(owner: LeaseOwner, shards: readonly number[]): Promise<void> {
  const { log } = owner
  try {
    await deriveAtOnce(owner, shards)
  } catch (error) {
    const clientError = clientErrorOf(error)
    if (clientError) throw clientError
    log.error({ err: error, shards }, 'what waits could not be derived at once; each device is tried by itself')
    await deriveOneByOne(owner, shards)
  }
}

function deriveAtOnce({ database, backlog }: LeaseOwner, shards: readonly number[]): Promise<void> {
  return writeTransaction(database, async transaction => {
    const locked = await takeShards(transaction, shards, backlog, 'owner')
    const deviceIds = backlog.devicesIn(shards)
    const derived = await deriveStored(locked.devices(deviceIds), backlog.of, backlog.records.take(deviceIds))
    await writeBacklogSince(locked, shards, undefined)
    transaction.whenEnded(end => {
      if (end !== 'committed') return
      backlog.records.put(derived)
      backlog.derived(deviceIds)
      backlog.cleared(shards)
    })
  })
}

async function deriveOneByOne(owner: LeaseOwner, shards: readonly number[]): Promise<void> {
  const { database, backlog, log } = owner
  for (const deviceId of backlog.devicesIn(shards)) {
    try {
      await writeTransaction(database, transaction => lockUpToDateDevice(transaction, deviceId, backlog))
    } catch (error) {
      if (clientErrorOf(error)) throw error
      log.error({ err: error, deviceId }, 'samples of a device could not be derived; they count as out of order')
      await leaveDeviceOutOfOrder(owner, deviceId)
    }
  }
  await deriveAtOnce(owner, shards)
}

function leaveDeviceOutOfOrder({ database, backlog }: LeaseOwner, deviceId: DeviceId): Promise<void> {
  return writeTransaction(database, async transaction => {
    const locked = await takeShards(transaction, [shardOf(deviceId)], backlog, 'owner')
    backlog.records.take([deviceId])
    await leaveOutOfOrder(locked.device(deviceId), backlog.of(deviceId))
    transaction.whenEnded(end => {
      if (end === 'committed') backlog.derived([deviceId])
    })
  })
}
