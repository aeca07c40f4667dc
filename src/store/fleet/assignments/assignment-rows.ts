import type { DeviceId } from '../../../intake/sample.ts'
import { sql } from '../../sql.ts'
import type { Transaction } from '../../transaction.ts'
import { instantMs, instantOfMs } from '../../values.ts'

/** From (inclusive) and to (exclusive) a device was in that vehicle; milliseconds, infinite where open. */
export interface VehicleSpan {
  readonly vehicleId: number
  readonly fromMs: number
  readonly toMs: number
}

/** Where a device was since it belongs to its account. */
export interface DeviceAssignments {
  readonly deviceId: DeviceId
  readonly accountId: number
  /** Since when and until when it belongs to the account. */
  readonly fromMs: number
  readonly toMs: number
  /** By time. */
  readonly spans: readonly [VehicleSpan, ...VehicleSpan[]]
}

/** @returns undefined when the device was never in a vehicle. */
export async function readAssignments(
  transaction: Transaction,
  deviceId: DeviceId,
): Promise<DeviceAssignments | undefined> {
  const rows = await transaction.rows<AssignmentRow>(sql`
    select account_id, vehicle_id, from_time, to_time from assignments
    where device_id = ${deviceId} order by from_time`)
  const last = rows.at(-1)
  if (!last) return undefined
  const [first, ...others] = rows
    .slice(rows.findLastIndex(row => row.account_id !== last.account_id) + 1)
    .map(row => ({ vehicleId: row.vehicle_id, fromMs: instantMs(row.from_time), toMs: instantMs(row.to_time) }))
  if (!first) return undefined
  return {
    deviceId,
    accountId: last.account_id,
    fromMs: first.fromMs,
    toMs: instantMs(last.to_time),
    spans: [first, ...others],
  }
}

interface AssignmentRow {
  readonly account_id: number
  readonly vehicle_id: number
  readonly from_time: string
  readonly to_time: string
}

/** All old ones go before new ones come, because the database sees to it that they never overlap. */
export async function replaceAssignments(
  transaction: Transaction,
  { deviceId, accountId, fromMs }: DeviceAssignments,
  spans: readonly VehicleSpan[],
): Promise<void> {
  await transaction.rows(sql`
    delete from assignments where device_id = ${deviceId} and from_time >= ${instantOfMs(fromMs)}`)
  await transaction.rows(sql`
    insert into assignments (device_id, account_id, vehicle_id, from_time, to_time)
    select ${deviceId}::bigint, ${accountId}::integer, * from unnest(
      ${spans.map(span => span.vehicleId)}::bigint[],
      ${spans.map(span => instantOfMs(span.fromMs))}::timestamptz[],
      ${spans.map(span => instantOfMs(span.toMs))}::timestamptz[])`)
}

/** The vehicle that the device is in now at the time from which it was in that one before. */
export function heirOf(before: DeviceAssignments, spans: readonly VehicleSpan[], vehicleId: number): number {
  const since = before.spans.find(span => span.vehicleId === vehicleId)?.fromMs ?? before.fromMs
  const heir = spans.findLast(({ fromMs }) => fromMs <= since)
  if (!heir) throw new Error(`nothing took over from the vehicle ${vehicleId}`)
  return heir.vehicleId
}
