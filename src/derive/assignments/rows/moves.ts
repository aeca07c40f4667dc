import { upsertOf } from '../../../db/bulk-rows.ts'
import type { LockedDevices } from '../../../db/shards/locked-devices.ts'
import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { instantMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'

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

/**
 * A vehicle that stood for a dongle turned out to be a known car: dongles that were moved into it are in that car.
 * @returns the other devices that were moved into it.
 */
export async function redirectMoves(
  transaction: Transaction,
  vehicleId: number,
  heirId: number,
): Promise<ReadonlySet<DeviceId>> {
  const moved = await transaction.rows<{ device_id: DeviceId }>(sql`
    update operator_moves set vehicle_id = ${heirId} where vehicle_id = ${vehicleId} returning device_id`)
  return new Set(moved.map(row => row.device_id))
}
