import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { Assignment } from '../../device-records.ts'
import type { StoredInterval } from '../derive/difference.ts'
import type { DtcEncoding } from '../derive/entry.ts'
import type { ListKind } from '../derive/list.ts'

/** A series of lists that are compared with each other: one kind, from one device, while it was in one vehicle. */
export interface ListSeries {
  readonly deviceId: DeviceId
  readonly assignment: Assignment
  readonly kind: ListKind
}

/** The device, car and kind of lists of a code. */
export interface CodePlace {
  readonly deviceId: DeviceId
  readonly accountId: number
  readonly vehicleId: number
  readonly kind: ListKind
}

/** Where the codes of a series belong. */
export function placeOf({ deviceId, assignment: { accountId, vehicleId }, kind }: ListSeries): CodePlace {
  return { deviceId, accountId, vehicleId, kind }
}

interface DtcRow {
  readonly id: number
  readonly ecu_type_id: number
  readonly code: string
  readonly encoded: string
  readonly encoding: DtcEncoding
  readonly is_frame: boolean
  readonly recorded: string
  readonly deleted: string | null
}

const COLUMNS = sql`
  d.id, d.ecu_type_id, d.code, d.encoded, d.encoding, d.dtc_type = 'FREEZEFRAME' as is_frame, d.recorded, d.deleted`

/**
 * The stored intervals of each series that were current at an instant or began later, for each in the order of
 * `wanted`. Retracted ones are left out.
 */
export async function readIntervals(
  transaction: Transaction,
  wanted: readonly (ListSeries & { readonly fromMs: number })[],
): Promise<StoredInterval[][]> {
  const rows = await transaction.rows<DtcRow & { readonly series: number }>(
    sql`
      select w.series, ${COLUMNS}
      from unnest(
        ${wanted.map(item => item.deviceId)}::bigint[],
        ${wanted.map(item => item.assignment.vehicleId)}::bigint[],
        ${wanted.map(item => instantOfMs(item.assignment.fromMs))}::timestamptz[],
        ${wanted.map(item => instantOfMs(item.assignment.toMs))}::timestamptz[],
        ${wanted.map(item => item.kind)}::text[],
        ${wanted.map(item => instantOfMs(item.fromMs))}::timestamptz[]
      ) with ordinality as w (device_id, vehicle_id, assigned, moved, kind, from_time, series)
      join dtcs d on d.device_id = w.device_id and d.vehicle_id = w.vehicle_id and not d.is_retracted
        and d.recorded >= w.assigned and d.recorded < w.moved and coalesce(d.frame_list, d.dtc_type) = w.kind
        and (d.deleted is null or d.deleted >= w.from_time)
      order by d.recorded, d.id`,
    { prepareAs: 'dtc-intervals' },
  )
  const intervals: StoredInterval[][] = wanted.map(() => [])
  for (const row of rows) intervals[row.series - 1]?.push(intervalOf(row))
  return intervals
}

/**
 * The stored intervals of a device that began at an instant or later, in a vehicle that the device was not in then:
 * the assignments changed after they were stored.
 */
export async function readMisplaced(
  transaction: Transaction,
  deviceId: DeviceId,
  assignments: readonly Assignment[],
  fromMs: number,
): Promise<(CodePlace & { readonly interval: StoredInterval })[]> {
  const rows = await transaction.rows<DtcRow & PlaceRow>(sql`
    select d.account_id, d.vehicle_id, coalesce(d.frame_list, d.dtc_type) as kind, ${COLUMNS}
    from dtcs d
    where d.device_id = ${deviceId} and not d.is_retracted and d.recorded >= ${instantOfMs(fromMs)} and not exists (
      select from unnest(
        ${assignments.map(item => item.vehicleId)}::bigint[],
        ${assignments.map(item => instantOfMs(item.fromMs))}::timestamptz[],
        ${assignments.map(item => instantOfMs(item.toMs))}::timestamptz[]
      ) as a (vehicle_id, from_time, to_time)
      where a.vehicle_id = d.vehicle_id and d.recorded >= a.from_time and d.recorded < a.to_time)
    order by d.recorded, d.id`)
  return rows.map(row => ({
    deviceId,
    accountId: row.account_id,
    vehicleId: row.vehicle_id,
    kind: row.kind,
    interval: intervalOf(row),
  }))
}

interface PlaceRow {
  readonly account_id: number
  readonly vehicle_id: number
  readonly kind: ListKind
}

function intervalOf(row: DtcRow): StoredInterval {
  return {
    id: row.id,
    code: row.code,
    encoded: row.encoded,
    encoding: row.encoding,
    ecuTypeId: row.ecu_type_id,
    isFreezeFrame: row.is_frame,
    recordedMs: instantMs(row.recorded),
    deletedMs: row.deleted === null ? undefined : instantMs(row.deleted),
  }
}
