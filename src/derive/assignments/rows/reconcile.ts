import { type LockedDevice, lockDevices } from '../../../db/shards/locked-devices.ts'
import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { Assignment } from '../../device-records.ts'
import { touchTrips } from '../../trips/rows/reconcile-vehicles.ts'
import { readVinRuns } from '../../trips/rows/vin-runs.ts'
import { type DeviceAssignments, heirOf, readAssignments, replaceAssignments, tenuresOf } from './assignment-rows.ts'
import { inheritSettings } from './inherit-settings.ts'
import { lockVins } from './locked-vins.ts'
import { lookAgainAtOthers } from './look-again.ts'
import { moveWhatFollows } from './move-what-follows.ts'
import { readMoves, redirectMoves } from './moves.ts'
import { nameHome } from './name-home.ts'
import { type PlacedTenure, placeTenure } from './place-tenure.ts'
import { keepPlaceholderId, lockUnusedVehicles, readDaysOf, retireVehicles } from './retire.ts'

/**
 * Updates the assignments of a device from its VIN readings (docs/adr/0009) and the moves that operators entered
 * (docs/adr/0011), with everything that follows from them: vehicles are named, created and retired, and trips, fault
 * codes, latest values and statistics move along. The same readings and moves lead to the same state in any
 * order; calling it again changes nothing. The caller has written its `vin_runs`.
 */
export async function reconcileAssignments(locked: LockedDevice): Promise<void> {
  const stored = await readAssignments(locked.transaction, locked.deviceId)
  if (stored) await reconcileWithin(locked, stored, stored.spans)
}

/** From then on the device belongs to that account, and is in that vehicle. */
interface Handover {
  readonly accountId: number
  readonly vehicleId: number
  readonly atMs: number
}

/**
 * The same for a device that belongs to another account from an instant on, which does not follow from anything that was measured.
 * The move is in `operator_moves`; there is no later change of account.
 */
export async function handOver(locked: LockedDevice, to: Handover): Promise<void> {
  const stored = await readAssignments(locked.transaction, locked.deviceId)
  if (!stored) throw new Error(`the device ${locked.deviceId} belongs to no account`)
  const kept = stored.spans
    .filter(({ fromMs }) => fromMs < to.atMs)
    .map(span => ({ ...span, toMs: Math.min(span.toMs, to.atMs) }))
  const added = { accountId: to.accountId, vehicleId: to.vehicleId, fromMs: to.atMs, toMs: Number.POSITIVE_INFINITY }
  await reconcileWithin(locked, stored, [...kept, added])
}

/** @param belonging the accounts that the device belonged to, which stay as they are; its vehicles are derived again. */
async function reconcileWithin(
  locked: LockedDevice,
  before: DeviceAssignments,
  belonging: readonly Assignment[],
): Promise<void> {
  const { transaction, deviceId } = locked
  const tenures = tenuresOf(belonging)
  const vins = await lockVins(
    transaction,
    [...before.spans, ...belonging].map(({ accountId }) => accountId),
  )
  const moves = await readMoves(transaction, deviceId)
  const placed: PlacedTenure[] = []
  for (const tenure of tenures) {
    const { accountId, fromMs, toMs } = tenure
    const runs = await readVinRuns(transaction, deviceId, fromMs, toMs)
    const ofTenure = moves.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    const now = await placeTenure(vins, { deviceId, tenure, runs, moves: ofTenure })
    const [first] = now.spans
    if (first && tenures.find(item => item.accountId === accountId) === tenure)
      await keepPlaceholderId(transaction, deviceId, first)
    placed.push(now)
  }
  const spans = placed.flatMap(item => item.spans)
  if (!isSame(before.spans, spans)) await replaceWith(locked, before, spans)
  for (const { accountId, vehicleId, vin } of placed.flatMap(item => item.namedLater))
    await nameHome(vins, { accountId, deviceId: undefined }, { vehicleId }, vin)
}

async function replaceWith(
  locked: LockedDevice,
  before: DeviceAssignments,
  spans: readonly Assignment[],
): Promise<void> {
  const { transaction, deviceId } = locked
  await replaceAssignments(locked, spans)
  await moveWhatFollows(locked, before, spans)
  await inheritSettings(transaction, before, spans)
  const followers = await redirectToCars(transaction, before, spans)
  const unused = await lockUnusedVehicles(transaction, before)
  await lookAgainAtOthers(
    transaction,
    [deviceId],
    spans.map(({ vehicleId }) => vehicleId),
  )
  touchTrips(transaction, await readDaysOf(transaction, unused))
  await transaction.doWhatIsLeft()
  await retireVehicles(transaction, before, spans, unused)
  if (followers.length === 0) return
  // Locked late, because it is seldom needed: after a deadlock, the transaction is retried.
  const lockedToo = await lockDevices(transaction, followers)
  for (const follower of followers) await reconcileAssignments(lockedToo.device(follower))
}

/**
 * The vehicle that stood for the device turned out to be a known car: dongles that were moved into it are in that car.
 * @returns the other devices that were moved into it.
 */
async function redirectToCars(
  transaction: Transaction,
  before: DeviceAssignments,
  spans: readonly Assignment[],
): Promise<DeviceId[]> {
  const { deviceId } = before
  const left = await transaction.rows<{ id: number }>(sql`
    select id from vehicles v
    where id = any(${before.spans.map(({ vehicleId }) => vehicleId)}::bigint[]) and vin is null
      and first_device_id = ${deviceId}
      and not exists (select from assignments a where a.vehicle_id = v.id and a.device_id = ${deviceId})`)
  const followers = new Set<DeviceId>()
  for (const { id } of left) {
    const moved = await redirectMoves(transaction, id, heirOf(before, spans, id).vehicleId)
    for (const follower of moved) if (follower !== deviceId) followers.add(follower)
  }
  return [...followers].sort((a, b) => a - b)
}

function isSame(a: readonly Assignment[], b: readonly Assignment[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ vehicleId, fromMs, toMs }, index) => {
      const other = b[index]
      return other?.vehicleId === vehicleId && other.fromMs === fromMs && other.toMs === toMs
    })
  )
}
