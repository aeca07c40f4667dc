import { type Statement, sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantOfMs } from '../../db/values.ts'

const MOST_AT_ONCE = 1000

/**
 * Sweeps what dongles left that were deleted before an instant, some of it: again until nothing is left. First the empty rows
 * of trips, fault codes and incidents, then the cars to which they belonged, with the ids that led to these, and the dongles
 * (docs/adr/0023). What is locked is left for the next time.
 * @returns how many rows there were
 */
export async function sweepTombstones(transaction: Transaction, beforeMs: number): Promise<number> {
  const before = sql`${instantOfMs(beforeMs)}::timestamptz`
  const swept = async (statement: Statement) => (await transaction.rows(statement)).length
  const some = sql`limit ${MOST_AT_ONCE} for update skip locked`
  const trips = await swept(sql`
    delete from trips where (device_id, id) in (
      select device_id, id from trips where deleted < ${before} and start_time = deleted ${some})
    returning id`)
  const codes = await swept(sql`
    delete from dtcs where (device_id, id) in (
      select device_id, id from dtcs where deleted < ${before} and code = '' ${some})
    returning id`)
  const incidents = await swept(sql`
    delete from incidents where (device_id, id) in (
      select device_id, id from incidents where deleted < ${before} and is_erased ${some})
    returning id`)
  // A car that an operator marked as deleted has, or had, a dongle in it.
  const cars = await transaction.rows<{ id: number }>(sql`
    select id from vehicles v where deleted < ${before}
      and not exists (select from assignments where vehicle_id = v.id)
      and not exists (select from operator_moves where vehicle_id = v.id)
      and not exists (select from latest_values where vehicle_id = v.id)
      and not exists (select from trips where vehicle_id = v.id)
      and not exists (select from dtcs where vehicle_id = v.id)
      and not exists (select from incidents where vehicle_id = v.id) ${some}`)
  const carIds = sql`${cars.map(({ id }) => id)}::bigint[]`
  const ids = await swept(sql`delete from former_vehicle_ids where vehicle_id = any(${carIds}) returning 1`)
  await transaction.rows(sql`delete from vehicles where id = any(${carIds})`)
  const dongles = await swept(sql`
    delete from devices where id in (
      select id from devices d where deleted < ${before}
        and not exists (select from vehicles where first_device_id = d.id)
        and not exists (select from trips where device_id = d.id)
        and not exists (select from dtcs where device_id = d.id)
        and not exists (select from incidents where device_id = d.id) ${some})
    returning id`)
  return trips + codes + incidents + cars.length + ids + dongles
}
