import { writeLeaseOwner } from '../../db/shards/kept-shards.ts'
import {
  type KeptShard,
  type LockedDevice,
  type LockedDevices,
  type LockedShards,
  lockShards,
} from '../../db/shards/locked-devices.ts'
import { shardsOf } from '../../db/shards/shards.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { readUnderivedSamples } from '../../store/index.ts'
import { deriveStored } from '../derive-stored.ts'
import type { Backlog } from './backlog.ts'
import { leaveOutOfOrder, tryApart } from './leave-out-of-order.ts'

/**
 * Locks shards and makes sure that their backlog is known here: what another process remembers, or one that ended remembered,
 * is found in the samples and derived at once.
 * @param shards ascending
 * @param backlog of this process; undefined if it has none
 * @param as an owner takes the lease; a guest leaves the shards to the next one
 */
export async function takeShards(
  transaction: Transaction,
  shards: readonly number[],
  backlog: Backlog | undefined,
  as: 'owner' | 'guest',
): Promise<LockedShards> {
  const { locked, kept } = await lockShards(transaction, shards)
  await backlog?.hold(shards, transaction)
  const strange = kept.filter(({ leaseOwner }) => leaseOwner === undefined || leaseOwner !== backlog?.leaseOwner)
  for (const { shard } of strange) backlog?.forgetShard(shard)
  await deriveWhatWaits(locked, strange)
  const changed =
    as === 'owner'
      ? strange
      : strange.filter(({ leaseOwner, backlogSince }) => leaseOwner !== undefined || backlogSince !== undefined)
  if (changed.length > 0)
    await writeLeaseOwner(
      locked,
      changed.map(({ shard }) => shard),
      as === 'owner' ? backlog?.leaseOwner : undefined,
    )
  return locked
}

/**
 * Locks the shards of devices, with all their records up to date: their backlog is derived first. Every writer of
 * records begins with this.
 * @param backlog of the process that stores samples; without it, what waits is found in the samples
 */
export async function lockUpToDate(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
  backlog?: Backlog,
): Promise<LockedDevices> {
  const locked = (await takeShards(transaction, shardsOf(deviceIds), backlog, 'guest')).devices(deviceIds)
  if (backlog) await deriveWaitingOf(locked, backlog)
  return locked
}

/** The same for one device. */
export async function lockUpToDateDevice(
  transaction: Transaction,
  deviceId: DeviceId,
  backlog?: Backlog,
): Promise<LockedDevice> {
  return (await lockUpToDate(transaction, [deviceId], backlog)).device(deviceId)
}

/** Derives the backlog of some devices. What follows may change them, so what was derived of them is forgotten. */
export async function deriveWaitingOf(locked: LockedDevices, backlog: Backlog): Promise<void> {
  const { transaction, deviceIds } = locked
  const behind = deviceIds.filter(deviceId => backlog.isDeviceWaiting(deviceId))
  await deriveStored(locked.devices(behind), backlog.of, backlog.records.take(deviceIds))
  transaction.whenEnded(end => {
    if (end === 'committed') backlog.derived(behind)
  })
}

async function deriveWhatWaits(locked: LockedShards, shards: readonly KeptShard[]): Promise<void> {
  const behind = shards.flatMap(({ shard, backlogSince }) =>
    backlogSince === undefined ? [] : [{ shard, backlogSince }],
  )
  if (behind.length === 0) return
  const samples = await readUnderivedSamples(locked, behind)
  const derive = (deviceIds: readonly DeviceId[]) =>
    tryApart(locked.transaction, () => deriveStored(locked.devices(deviceIds), deviceId => samples.get(deviceId) ?? []))
  if (await derive([...samples.keys()])) return
  // One device whose derivation fails must not keep all others of its shard from being stored.
  for (const [deviceId, ofDevice] of samples)
    if (!(await derive([deviceId]))) await leaveOutOfOrder(locked.device(deviceId), ofDevice)
}
