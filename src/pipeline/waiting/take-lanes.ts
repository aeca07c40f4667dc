import { writeKeeper } from '../../db/lanes/kept-lanes.ts'
import { holdLanes, type KeptLane, lanesOf } from '../../db/lanes/lanes.ts'
import { readUnderivedSamples } from '../../db/samples/underived.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { TouchedTrip } from '../../facts/trips/rows/settle-vehicles.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'
import { deriveStored } from '../derive-stored.ts'
import { leaveToLate, tryApart } from './leave-to-late.ts'

/**
 * Holds lanes, and makes sure that what waits in them is known here: what another process remembered, or one that ended,
 * is found in the samples and derived at once.
 * @param as a keeper goes on to remember what waits; a guest leaves the lanes to whoever comes next
 * @param lanes ascending
 * @returns what is for `settleVehicles`, last in the transaction
 */
export async function takeLanes(
  transaction: Transaction,
  lanes: readonly number[],
  as: 'keeper' | 'guest',
): Promise<readonly TouchedTrip[]> {
  const { waiting } = transaction
  const strange = (await holdLanes(transaction, lanes)).filter(({ keeper }) => keeper !== waiting.keeper)
  for (const { lane } of strange) waiting.forgetLane(lane)
  const touched = await deriveWhatWaits(transaction, strange)
  const changed =
    as === 'keeper'
      ? strange
      : strange.filter(({ keeper, waitingSince }) => keeper !== undefined || waitingSince !== undefined)
  if (changed.length === 0) return touched
  await writeKeeper(
    transaction,
    changed.map(({ lane }) => lane),
    as === 'keeper' ? waiting.keeper : undefined,
  )
  return touched
}

/**
 * Holds the lanes of devices, with all records of them up to date: what waits of them is derived first. Every writer of
 * records begins with this.
 * @returns what is for `settleVehicles`, last in the transaction
 */
export async function holdDevices(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
): Promise<readonly TouchedTrip[]> {
  const foreign = await takeLanes(transaction, lanesOf(deviceIds), 'guest')
  return [...foreign, ...(await deriveWaitingOf(transaction, deviceIds))]
}

/** Derives what waits of some devices. The caller has taken their lanes. @returns what is for `settleVehicles` */
export async function deriveWaitingOf(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
): Promise<readonly TouchedTrip[]> {
  const { waiting } = transaction
  const behind = deviceIds.filter(deviceId => waiting.isDeviceWaiting(deviceId))
  const touched = await deriveStored(transaction, behind, deviceId => waiting.of(deviceId))
  transaction.whenEnded(end => {
    if (end === 'committed') waiting.derived(behind)
  })
  return touched
}

async function deriveWhatWaits(transaction: Transaction, lanes: readonly KeptLane[]): Promise<readonly TouchedTrip[]> {
  const behind = lanes.flatMap(({ lane, waitingSince }) => (waitingSince === undefined ? [] : [{ lane, waitingSince }]))
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

/** One device of which nothing can be derived must not keep all others of its lane from being stored. */
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
