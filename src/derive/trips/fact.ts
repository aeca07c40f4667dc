import { revised, unnestOf } from '../../db/bulk-rows.ts'
import { type LockedDevice, lockSharedVehicles } from '../../db/shards.ts'
import { sql } from '../../db/sql.ts'
import { instantMs } from '../../db/values.ts'
import { unnestSpans } from '../assignment-rows.ts'
import { vehicleName } from '../derived-rows.ts'
import { reviseDevice } from '../device-records.ts'
import type { Fact, Move } from '../fact.ts'
import { MEASURED_END, MEASURED_ROUTE, OPEN_STATE, retractTrips, STANDS } from './rows.ts'
import { touchTrips } from './shared-cars.ts'

/** `writeResults` writes trips with the fold. Compared, too: what clients do not see of one that does not count. */
export const trips: Fact = {
  name: 'trips',
  move: moveTrips,
  readDerived: (transaction, deviceId) =>
    transaction.rows(sql`
      select 'trip ' || t.id as name, jsonb_build_object(
        'vehicle', ${vehicleName(deviceId)}, 'start', t.start_time, 'end', ${MEASURED_END},
        'distance_m', coalesce(r.trip_distance_m, t.distance_m), 'duration_s', coalesce(r.trip_duration_s, t.duration_s),
        'start_address', t.start_address_id, 'end_address', t.end_address_id, 'open', t.is_open,
        'meters', coalesce(r.trip_meters, t.meters), 'route', md5(${MEASURED_ROUTE}),
        'fixes', case when not t.is_open then t.fix_count end,
        'deleted', t.deleted is not null, 'superseded_by', t.superseded_by) as fields
      from trips t ${OPEN_STATE} join vehicles v on v.id = t.vehicle_id where t.device_id = ${deviceId}`),
}

/** A trip belongs to the vehicle in which it began. Moved, it gets a new row, and the old one is marked as deleted: a
 * client that syncs one vehicle must learn that it left (decisions.md, *Sync*). */
async function moveTrips(locked: LockedDevice, { assignments }: Move): Promise<void> {
  const { transaction, deviceId } = locked
  const wrong = await transaction.rows<WrongTrip>(sql`
    select t.id, t.account_id as from_account_id, t.vehicle_id as from_id, u.account_id as to_account_id,
      u.vehicle_id as to_id, t.start_time, t.is_open
    from ${unnestSpans(assignments)}
    join trips t on t.device_id = ${deviceId} and t.start_time >= u.from_time and t.start_time < u.to_time
      and t.vehicle_id <> u.vehicle_id and ${STANDS}
    order by t.start_time, t.id`)
  if (wrong.length === 0) return
  await lockSharedVehicles(
    transaction,
    wrong.flatMap(row => [row.from_id, row.to_id]),
  )
  const right = await revised(transaction, wrong)
  const moved = await transaction.rows<{ id: number; start_time: string }>(sql`
    with moved as (
      insert into trips (device_id, account_id, vehicle_id, start_time, end_time, is_open, distance_m, duration_s,
        start_address_id, end_address_id, meters, polyline, fix_count, modified)
      select t.device_id, u.to_account_id, u.to_id, t.start_time, t.end_time, t.is_open, t.distance_m, t.duration_s,
        t.start_address_id, t.end_address_id, t.meters, t.polyline, t.fix_count, u.modified
      from ${unnestOf({ id: 'bigint', to_account_id: 'integer', to_id: 'bigint', modified: 'timestamptz' }, right)}
      join trips t on t.device_id = ${deviceId} and t.id = u.id
      returning id, start_time
    ), pointed as (
      update device_states s set trip_id = moved.id
      from moved where s.device_id = ${deviceId} and s.trip_id is not null and s.trip_start = moved.start_time
    )
    select id, start_time from moved`)
  await retractTrips(
    locked,
    wrong.map(({ id }) => ({ deviceId, id })),
  )
  const idByStart = new Map(moved.map(row => [row.start_time, row.id]))
  const touched = wrong.flatMap(row => {
    const timeMs = instantMs(row.start_time)
    return [
      { tripId: row.id, accountId: row.from_account_id, vehicleId: row.from_id, timeMs },
      { tripId: newId(idByStart, row), accountId: row.to_account_id, vehicleId: row.to_id, timeMs },
    ]
  })
  touchTrips(transaction, touched)
  // It shows the trip in progress, which has a new id.
  if (wrong.some(row => row.is_open)) await reviseDevice(locked)
}

function newId(idByStart: ReadonlyMap<string, number>, row: WrongTrip): number {
  const id = idByStart.get(row.start_time)
  if (id === undefined) throw new Error(`the trip ${row.id} got no row in another vehicle`)
  return id
}

interface WrongTrip {
  readonly id: number
  readonly from_account_id: number
  readonly from_id: number
  readonly to_account_id: number
  readonly to_id: number
  readonly start_time: string
  readonly is_open: boolean
}
