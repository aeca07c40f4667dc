import { sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { ODOMETER_END, ODOMETER_START } from './odometer.ts'
import { lockVehicleDays } from './vehicle-day-lanes.ts'

/** A trip of this vehicle that begins at this time was added, changed, taken away, opened or closed. */
export interface TouchedTrip {
  readonly accountId: number
  readonly vehicleId: number
  readonly timeMs: number
}

const DAY_MS = 24 * 3_600_000

/**
 * Works out the rows of `vehicle_days` anew that changed trips belong to (a trip that moved belongs to two), and notes
 * which days of their accounts are due. The trips must be written already, and the caller holds the lanes of their
 * devices. Call it once and last in a transaction: the lanes of vehicles are taken after all other locks, so that two
 * transactions can not wait for each other.
 */
export async function refreshDays(transaction: Transaction, touched: readonly TouchedTrip[]): Promise<void> {
  if (touched.length === 0) return
  const days = distinctDays(touched)
  await lockVehicleDays(
    transaction,
    days.map(day => day.vehicleId),
  )
  // A statement of its own: its snapshot is taken after the lock was given.
  await transaction.rows(
    sql`
      with touched as (
        select account_id, vehicle_id, date '1970-01-01' + day as day
        from unnest(
          ${days.map(day => day.accountId)}::integer[],
          ${days.map(day => day.vehicleId)}::bigint[],
          ${days.map(day => day.day)}::integer[]
        ) as t (account_id, vehicle_id, day)
      ),
      trip as (
        select touched.*, item.id, item.start_time, item.distance_m, item.duration_s,
          ${ODOMETER_START} as odometer_start, ${ODOMETER_END} as odometer_end,
          sum(item.distance_m) over so_far as metres_so_far, sum(item.distance_m) over whole_day as metres_of_day
        from touched join trips item on item.vehicle_id = touched.vehicle_id
          and item.start_time >= (touched.day::timestamp at time zone 'UTC')
          and item.start_time < ((touched.day + 1)::timestamp at time zone 'UTC')
        where item.deleted is null and not item.is_open
        window whole_day as (partition by touched.vehicle_id, touched.day),
          so_far as (whole_day order by item.start_time, item.id rows unbounded preceding)
      ),
      worked_out as (
        select account_id, vehicle_id, day, count(*) as trips,
          min(distance_m) as metres_min, max(distance_m) as metres_max, sum(distance_m) as metres_sum,
          min(duration_s) as seconds_min, max(duration_s) as seconds_max, sum(duration_s) as seconds_sum,
          (array_agg(odometer_start - (metres_so_far - distance_m) order by start_time, id)
            filter (where odometer_start is not null))[1] as odometer_start,
          (array_agg(odometer_end + (metres_of_day - metres_so_far) order by start_time desc, id desc)
            filter (where odometer_end is not null))[1] as odometer_end
        from trip group by account_id, vehicle_id, day
      ),
      written as (
        insert into vehicle_days as d (account_id, vehicle_id, day, trips, metres_min, metres_max, metres_sum,
          seconds_min, seconds_max, seconds_sum, odometer_start, odometer_end)
        select account_id, vehicle_id, day, trips, metres_min, metres_max, metres_sum, seconds_min, seconds_max,
          seconds_sum, odometer_start, odometer_end
        from worked_out
        on conflict (vehicle_id, day) do update set
          account_id = excluded.account_id, trips = excluded.trips, metres_min = excluded.metres_min,
          metres_max = excluded.metres_max, metres_sum = excluded.metres_sum, seconds_min = excluded.seconds_min,
          seconds_max = excluded.seconds_max, seconds_sum = excluded.seconds_sum,
          odometer_start = excluded.odometer_start, odometer_end = excluded.odometer_end
        where d is distinct from excluded
        returning account_id, day
      ),
      emptied as (
        delete from vehicle_days d using touched t
        where d.vehicle_id = t.vehicle_id and d.day = t.day
          and not exists (select from worked_out w where w.vehicle_id = d.vehicle_id and w.day = d.day)
        returning d.account_id, d.day
      )
      insert into due_account_days (account_id, day)
      select account_id, day from written union select account_id, day from emptied`,
    { prepareAs: 'refresh-vehicle-days' },
  )
}

interface VehicleDay {
  readonly accountId: number
  readonly vehicleId: number
  /** Days since 1970-01-01, UTC. */
  readonly day: number
}

function distinctDays(touched: readonly TouchedTrip[]): VehicleDay[] {
  const byKey = new Map<string, VehicleDay>()
  for (const { accountId, vehicleId, timeMs } of touched) {
    const day = Math.floor(timeMs / DAY_MS)
    byKey.set(`${vehicleId} ${day}`, { accountId, vehicleId, day })
  }
  return [...byKey.values()]
}
