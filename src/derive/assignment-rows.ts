import { insertOf, TABLES, unnestOf, upsertOf } from '../db/bulk-rows.ts'
import type { LockedDevice, LockedDevices } from '../db/shards.ts'
import { type Statement, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantMs } from '../db/values.ts'
import type { DeviceId } from '../model/sample.ts'
import { type Assignment, assignmentOf } from './device-records.ts'

export interface DeviceAssignments {
  readonly deviceId: DeviceId
  /** In the order of time. */
  readonly spans: readonly [Assignment, ...Assignment[]]
}

/** The time in which a device belonged to an account. */
export interface Tenure {
  readonly accountId: number
  readonly fromMs: number
  readonly toMs: number
  readonly firstVehicleId: number
}

/** @returns undefined when the device was never in a vehicle. */
export async function readAssignments(
  transaction: Transaction,
  deviceId: DeviceId,
): Promise<DeviceAssignments | undefined> {
  const rows = await transaction.rows<Parameters<typeof assignmentOf>[0]>(sql`
    select account_id, vehicle_id, from_time, to_time from assignments
    where device_id = ${deviceId} order by from_time`)
  const [first, ...others] = rows.map(assignmentOf)
  return first && { deviceId, spans: [first, ...others] }
}

/** The accounts that a device belonged to, in the order of time. */
export function tenuresOf(spans: readonly Assignment[]): Tenure[] {
  const tenures: Tenure[] = []
  for (const { accountId, vehicleId, fromMs, toMs } of spans) {
    const last = tenures.at(-1)
    if (last?.accountId === accountId) tenures.splice(-1, 1, { ...last, toMs })
    else tenures.push({ accountId, fromMs, toMs, firstVehicleId: vehicleId })
  }
  return tenures
}

/** Deletes all old ones before it inserts new ones, because a constraint forbids overlaps. */
export async function replaceAssignments(
  { transaction, deviceId }: LockedDevice,
  spans: readonly Assignment[],
): Promise<void> {
  await transaction.rows(sql`delete from assignments where device_id = ${deviceId}`)
  const rows = spans.map(span => ({ device_id: deviceId, ...columnsOf(span) }))
  if (rows.length > 0) await transaction.rows(insertOf('assignments', rows))
}

/** Assignments as the table `u` of a statement. */
export function unnestSpans(spans: readonly Assignment[]): Statement {
  const { device_id: _, ...columns } = TABLES.assignments
  return unnestOf(columns, spans.map(columnsOf))
}

function columnsOf({ accountId, vehicleId, fromMs, toMs }: Assignment) {
  return { account_id: accountId, vehicle_id: vehicleId, from_time: fromMs, to_time: toMs }
}

/** Where in the same account the device is now known to have been when its former assignment to that vehicle began. */
export function successorOf(before: DeviceAssignments, spans: readonly Assignment[], vehicleId: number): Assignment {
  const was = before.spans.find(span => span.vehicleId === vehicleId)
  const ofAccount = spans.filter(span => span.accountId === was?.accountId)
  const successor = ofAccount.findLast(({ fromMs }) => was && fromMs <= was.fromMs) ?? ofAccount[0]
  if (!successor) throw new Error(`nothing took over from the vehicle ${vehicleId}`)
  return successor
}

/** An operator put the dongle into that vehicle at this instant. */
export interface OperatorMove {
  /** Minus infinity: it was always there. */
  readonly atMs: number
  readonly vehicleId: number
  /** The vehicle was made for this move. */
  readonly isNewVehicle: boolean
}

/** The moves of a device, in the order of time. */
export async function readMoves(transaction: Transaction, deviceId: DeviceId): Promise<OperatorMove[]> {
  const rows = await transaction.rows<{ at_time: string; vehicle_id: number; is_new_vehicle: boolean }>(sql`
    select at_time, vehicle_id, is_new_vehicle from operator_moves where device_id = ${deviceId} order by at_time`)
  return rows.map(row => ({
    atMs: instantMs(row.at_time),
    vehicleId: row.vehicle_id,
    isNewVehicle: row.is_new_vehicle,
  }))
}

/** Stores moves, and replaces those of the same instants. */
export async function writeMoves(
  locked: LockedDevices,
  moves: readonly (OperatorMove & { readonly deviceId: DeviceId })[],
): Promise<void> {
  if (moves.length === 0) return
  const transaction = locked.transactionFor(moves)
  const rows = moves.map(move => ({
    device_id: move.deviceId,
    at_time: move.atMs,
    vehicle_id: move.vehicleId,
    is_new_vehicle: move.isNewVehicle,
  }))
  await transaction.rows(upsertOf('operator_moves', ['device_id', 'at_time'], rows))
}

/** Dongles that were moved into a vehicle that proves to be a known car are in that car.
 * @returns the other devices among them */
export async function redirectMoves(
  transaction: Transaction,
  vehicleId: number,
  successorId: number,
): Promise<ReadonlySet<DeviceId>> {
  const moved = await transaction.rows<{ device_id: DeviceId }>(sql`
    update operator_moves set vehicle_id = ${successorId} where vehicle_id = ${vehicleId} returning device_id`)
  return new Set(moved.map(row => row.device_id))
}
