import { readUnderivedSamples } from '../../db/samples/underived.ts'
import { writeLeaseOwner } from '../../db/shards/kept-shards.ts'
import { holdShards, type KeptShard, shardsOf } from '../../db/shards/shards.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { TouchedTrip } from '../../facts/trips/rows/reconcile-vehicles.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'
import { deriveStored } from '../derive-stored.ts'
import { leaveToLate, tryApart } from './leave-to-late.ts'

/**
 * Holds shards, and makes sure that what waits in them is known here: what another process remembered, or one that ended,
 * is found in the samples and derived at once.
 * @param as an owner goes on to remember what waits; a guest leaves the shards to whoever comes next
 * @param shards ascending
 * @returns what is for `reconcileVehicles`, last in the transaction
 */
export async function takeShards(
  transaction: Transaction,
  shards: readonly number[],
  as: 'owner' | 'guest',
): Promise<readonly TouchedTrip[]> {
  const { backlog } = transaction
  const strange = (await holdShards(transaction, shards)).filter(({ leaseOwner }) => leaseOwner !== backlog.leaseOwner)
  for (const { shard } of strange) backlog.forgetShard(shard)
  const touched = await deriveWhatWaits(transaction, strange)
  const changed =
    as === 'owner'
      ? strange
      : strange.filter(({ leaseOwner, backlogSince }) => leaseOwner !== undefined || backlogSince !== undefined)
  if (changed.length === 0) return touched
  await writeLeaseOwner(
    transaction,
    changed.map(({ shard }) => shard),
    as === 'owner' ? backlog.leaseOwner : undefined,
  )
  return touched
}

/**
 * Holds the shards of devices, with all records of them up to date: what waits of them is derived first. Every writer of
 * records begins with this.
 * @returns what is for `reconcileVehicles`, last in the transaction
 */
export async function holdDevices(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
): Promise<readonly TouchedTrip[]> {
  const foreign = await takeShards(transaction, shardsOf(deviceIds), 'guest')
  return [...foreign, ...(await deriveWaitingOf(transaction, deviceIds))]
}

/** Derives what waits of some devices. The caller has taken their shards. @returns what is for `reconcileVehicles` */
export async function deriveWaitingOf(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
): Promise<readonly TouchedTrip[]> {
  const { backlog } = transaction
  const behind = deviceIds.filter(deviceId => backlog.isDeviceWaiting(deviceId))
  const touched = await deriveStored(transaction, behind, deviceId => backlog.of(deviceId))
  transaction.whenEnded(end => {
    if (end === 'committed') backlog.derived(behind)
  })
  return touched
}

async function deriveWhatWaits(
  transaction: Transaction,
  shards: readonly KeptShard[],
): Promise<readonly TouchedTrip[]> {
  const behind = shards.flatMap(({ shard, backlogSince }) =>
    backlogSince === undefined ? [] : [{ shard, backlogSince }],
  )
  if (behind.length === 0) return []
  const samples = await readUnderivedSamples(transaction, behind)
  return (
    (await tryApart(transaction, () => deriveRead(transaction, [...samples.keys()], samples))) ??
    deriveEachApart(transaction, samples)
  )
}

function deriveRead(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
  samples: ReadonlyMap<DeviceId, readonly Sample[]>,
): Promise<readonly TouchedTrip[]> {
  return deriveStored(transaction, deviceIds, deviceId => samples.get(deviceId) ?? [])
}

/** One device of which nothing can be derived must not keep all others of its shard from being stored. */
async function deriveEachApart(
  transaction: Transaction,
  samples: ReadonlyMap<DeviceId, readonly Sample[]>,
): Promise<readonly TouchedTrip[]> {
  const touched: TouchedTrip[] = []
  for (const [deviceId, ofDevice] of samples) {
    const derived = await tryApart(transaction, () => deriveRead(transaction, [deviceId], samples))
    if (derived) touched.push(...derived)
    else await leaveToLate(transaction, deviceId, ofDevice)
  }
  return touched
}
