import { type LockedDevice, lockDevices } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'
import {
  type DeviceAssignments,
  readAssignments,
  readMoves,
  redirectMoves,
  replaceAssignments,
  successorOf,
  tenuresOf,
} from './assignment-rows.ts'
import { nameHome, type PlacedTenure, placeTenure } from './assignments/place-tenure.ts'
import {
  HAS_ALL,
  keepPlaceholderId,
  lockUnusedVehicles,
  lockVins,
  readDaysOf,
  readDisputedVins,
  retireVehicles,
  TAKEN_OVER,
  UNSET,
} from './assignments/vehicle-ids.ts'
import { type Assignment, assignmentAt, reviseDevice, reviseVehicles } from './device-records.ts'
import { markToFoldAgain } from './due.ts'
import { FACTS } from './facts.ts'
import { refreshFuelTypes } from './identity/write-identity.ts'
import { readVinRuns } from './trips/rows.ts'
import { touchTrips } from './trips/shared-cars.ts'

/** Updates the assignments from VIN readings (docs/adr/0009) and moves of operators (docs/adr/0011), and all that
 * follows. The order does not matter, and repeating changes nothing. `vin_runs` must be written already. */
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

/** The same for a device that another account has from an instant on. The move is in
 * `operator_moves`; no later change of account exists. */
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
  const disputed = await readDisputedVins(transaction, deviceId)
  const placed: PlacedTenure[] = []
  for (const tenure of tenures) {
    const { accountId, fromMs, toMs } = tenure
    const read = await readVinRuns(transaction, deviceId, fromMs, toMs)
    const runs = read.filter(({ vin }) => !disputed.has(vin))
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

/** Dongles that were moved into a vehicle that proves to be a known car are in that car.
 * @returns the other devices among them */
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
    const moved = await redirectMoves(transaction, id, successorOf(before, spans, id).vehicleId)
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

/** Other devices in the vehicles may be derived by transactions that do not know the overlap yet (docs/adr/0017), so
 * their current drives are folded again right afterwards. */
async function lookAgainAtOthers(
  transaction: Transaction,
  deviceIds: readonly DeviceId[],
  vehicleIds: readonly number[],
): Promise<void> {
  await markToFoldAgain(
    transaction,
    sql`
      select s.device_id, s.last_time as from_time from device_states s
      where s.fold is not null and s.device_id in (
        select device_id from assignments
        where vehicle_id = any(${vehicleIds}::bigint[]) and device_id <> all(${deviceIds}::bigint[]) and to_time = 'infinity')`,
  )
}

/** Called after the assignments of a device changed: moves everything to the vehicle in which the device was at its time. */
async function moveWhatFollows(
  locked: LockedDevice,
  before: DeviceAssignments,
  spans: readonly Assignment[],
): Promise<void> {
  const vehicleIds = changedVehicles(before.spans, spans)
  const fromMs = firstDifferenceMs(before.spans, spans)
  for (const { move } of FACTS) await move?.(locked, { assignments: spans, vehicleIds, fromMs })
  // They now show other dongles, latest values, or trips in progress.
  await reviseVehicles(locked.transaction, vehicleIds)
  if (before.spans.at(-1)?.vehicleId !== spans.at(-1)?.vehicleId) await reviseDevice(locked)
}

/** The first instant at which the device was in another vehicle than was known. */
function firstDifferenceMs(before: readonly Assignment[], after: readonly Assignment[]): number {
  const boundariesMs = [...before, ...after].flatMap(({ fromMs, toMs }) => [fromMs, toMs])
  const isElsewhere = (timeMs: number) => {
    const [former, now] = [assignmentAt({ assignments: before }, timeMs), assignmentAt({ assignments: after }, timeMs)]
    return former?.vehicleId !== now?.vehicleId || former?.accountId !== now?.accountId
  }
  return Math.min(...boundariesMs.filter(isElsewhere))
}

function changedVehicles(before: readonly Assignment[], after: readonly Assignment[]): number[] {
  const vehicleIds = [...new Set([...before, ...after].map(({ vehicleId }) => vehicleId))]
  const timesIn = (spans: readonly Assignment[], wanted: number) =>
    spans
      .filter(({ vehicleId }) => vehicleId === wanted)
      .map(({ fromMs, toMs }) => `${fromMs} ${toMs}`)
      .join()
  return vehicleIds.filter(id => timesIn(before, id) !== timesIn(after, id)).sort((a, b) => a - b)
}

/** A dongle turned out to be in a known car, which takes the settings that it lacks from the vehicle that stood for the
 * dongle. Others stay with the old vehicle, for the operator to decide. */
async function inheritSettings(
  transaction: Transaction,
  before: DeviceAssignments,
  spans: readonly Assignment[],
): Promise<void> {
  const placeholders = await transaction.rows<{ id: number }>(sql`
    select id from vehicles v
    where id = any(${before.spans.map(({ vehicleId }) => vehicleId)}::bigint[]) and vin is null
      and not exists (select from assignments a where a.vehicle_id = v.id)
    order by id for update`)
  for (const { id } of placeholders) {
    const { vehicleId: successorId } = successorOf(before, spans, id)
    await transaction.rows(sql`
      update vehicles successor set ${TAKEN_OVER} from vehicles old where successor.id = ${successorId} and old.id = ${id}`)
    await transaction.rows(sql`
      update vehicles old set ${UNSET} from vehicles successor where successor.id = ${successorId} and old.id = ${id} and ${HAS_ALL}`)
    await refreshFuelTypes(transaction, [successorId])
  }
}
