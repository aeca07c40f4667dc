import { lockSharedVehicles } from '../../../../db/shards.ts'
import type { Transaction } from '../../../../db/transaction.ts'
import { assignmentAt, type DeviceRecord } from '../../../device-records.ts'

/**
 * A trip belongs to the vehicle in which its dongle was when the trip began, but may continue after the dongle left, if only a VIN
 * shows that. So a dongle that left a vehicle counts as being there for this long afterwards.
 */
export const LONGEST_BEYOND_MS = 24 * 3_600_000

/** Whether a trip of this device that begins at that time may overlap one of another device in the vehicle. */
export function isShared(record: Pick<DeviceRecord, 'assignments' | 'othersUntilMs'>, startMs: number): boolean {
  if (record.othersUntilMs.size === 0) return false
  const assignment = assignmentAt(record, startMs)
  const untilMs = assignment && record.othersUntilMs.get(assignment.vehicleId)
  return untilMs !== undefined && startMs < untilMs + LONGEST_BEYOND_MS
}

/** A device, and the starts of its trips that will be written. */
interface TripStarts {
  readonly record: Pick<DeviceRecord, 'assignments' | 'othersUntilMs' | 'rules'>
  readonly startsMs: readonly number[]
}

/** Called before trips are written: from then on, no other device in one of their vehicles has its trips written. */
export async function lockWhereShared(transaction: Transaction, starts: readonly TripStarts[]): Promise<void> {
  const vehicleIds = starts.flatMap(({ record, startsMs }) =>
    // What rules find is written afterwards: all locks are taken at once, so that two transactions can not wait for each other.
    record.rules.assignments.length > 0
      ? [...record.othersUntilMs.keys()]
      : startsMs.flatMap(startMs =>
          isShared(record, startMs) ? (assignmentAt(record, startMs)?.vehicleId ?? []) : [],
        ),
  )
  await lockSharedVehicles(transaction, vehicleIds)
}
