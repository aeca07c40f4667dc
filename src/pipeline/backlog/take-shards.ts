import { readUnderivedSamples } from '../../db/samples/underived.ts'
import { writeLeaseOwner } from '../../db/shards/kept-shards.ts'
import { holdShards, type KeptShard, shardsOf } from '../../db/shards/shards.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { deriveStored } from '../derive-stored.ts'
import { leaveOutOfOrder, tryApart } from './leave-out-of-order.ts'

/**
 * Holds shards, and makes sure that what waits in them is known here: what another process remembered, or one that ended,
 * is found in the samples and derived at once.
 * @param as an owner goes on to remember what waits; a guest leaves the shards to whoever comes next
 * @param shards ascending
 */
export async function takeShards(
  transaction: Transaction,
  shards: readonly number[],
  as: 'owner' | 'guest',
): Promise<void> {
  const { backlog } = transaction
  const strange = (await holdShards(transaction, shards)).filter(({ leaseOwner }) => leaseOwner !== backlog.leaseOwner)
  for (const { shard } of strange) backlog.forgetShard(shard)
  await deriveWhatWaits(transaction, strange)
  const changed =
    as === 'owner'
      ? strange
      : strange.filter(({ leaseOwner, backlogSince }) => leaseOwner !== undefined || backlogSince !== undefined)
  if (changed.length === 0) return
  await writeLeaseOwner(
    transaction,
    changed.map(({ shard }) => shard),
    as === 'owner' ? backlog.leaseOwner : undefined,
  )
}

/**
 * Holds the shards of devices, with all records of them up to date: what waits of them is derived first. Every writer of
 * records begins with this.
 */
export async function holdDevices(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<void> {
  await takeShards(transaction, shardsOf(deviceIds), 'guest')
  await deriveWaitingOf(transaction, deviceIds)
}

/** Derives what waits of some devices. The caller has taken their shards. */
export async function deriveWaitingOf(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<void> {
  const { backlog } = transaction
  const behind = deviceIds.filter(deviceId => backlog.isDeviceWaiting(deviceId))
  await deriveStored(transaction, behind, deviceId => backlog.of(deviceId))
  transaction.whenEnded(end => {
    if (end === 'committed') backlog.derived(behind)
  })
}

async function deriveWhatWaits(transaction: Transaction, shards: readonly KeptShard[]): Promise<void> {
  const behind = shards.flatMap(({ shard, backlogSince }) =>
    backlogSince === undefined ? [] : [{ shard, backlogSince }],
  )
  if (behind.length === 0) return
  const samples = await readUnderivedSamples(transaction, behind)
  const derive = (deviceIds: readonly DeviceId[]) =>
    tryApart(transaction, () => deriveStored(transaction, deviceIds, deviceId => samples.get(deviceId) ?? []))
  if (await derive([...samples.keys()])) return
  // One device of which nothing can be derived must not keep all others of its shard from being stored.
  for (const [deviceId, ofDevice] of samples)
    if (!(await derive([deviceId]))) await leaveOutOfOrder(transaction, deviceId, ofDevice)
}
