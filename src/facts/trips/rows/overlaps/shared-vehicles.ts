import { lockSharedVehicles } from '../../../../db/shards/vehicle-shards.ts'
import type { Transaction } from '../../../../db/transaction.ts'
import { assignmentAt, type DeviceRecord } from '../../../device-records/device-records.ts'

/**
 * A trip belongs to the vehicle in which its dongle was when it began, and may go on behind that: where only a VIN tells of
 * another car. So a dongle that left a vehicle counts as being there for so much longer.
 */
export const LONGEST_BEYOND_MS = 24 * 3_600_000

/** Whether a trip of this device that begins then may overlap one of another device in the vehicle. */
export function isShared(record: Pick<DeviceRecord, 'assignments' | 'othersUntilMs'>, startMs: number): boolean {
  if (record.othersUntilMs.size === 0) return false
  const assignment = assignmentAt(record, startMs)
  const untilMs = assignment && record.othersUntilMs.get(assignment.vehicleId)
  return untilMs !== undefined && startMs < untilMs + LONGEST_BEYOND_MS
}

/** A device, and when trips of it began that are going to be written. */
export interface TripStarts {
  readonly record: Pick<DeviceRecord, 'assignments' | 'othersUntilMs'>
  readonly startsMs: readonly number[]
}

/** Before trips are written: no other device that is in one of their vehicles has its trips written from here on. */
export async function lockWhereShared(transaction: Transaction, starts: readonly TripStarts[]): Promise<void> {
  const vehicleIds = starts.flatMap(({ record, startsMs }) =>
    startsMs.flatMap(startMs => (isShared(record, startMs) ? (assignmentAt(record, startMs)?.vehicleId ?? []) : [])),
  )
  await lockSharedVehicles(transaction, vehicleIds)
}
