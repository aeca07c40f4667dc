import { requiredEventType } from '../../catalogue/event-types.ts'
import { unnestOf } from '../../db/bulk-rows.ts'
import type { LockedVehicles } from '../../db/shards.ts'
import { type Statement, sql } from '../../db/sql.ts'
import { DAY_MS } from '../../model/time-range.ts'
import { COARSEST_STEP_M, FASTEST_M_PER_MS } from '../trips/rules.ts'

/** A trip of this vehicle that begins at this time began or ceased to count, or counts with other sums. */
export interface TouchedDay {
  readonly accountId: number
  readonly vehicleId: number
  readonly timeMs: number
}

/** Computes the `vehicle_days` of changed trips again (a moved trip has two), and notes due days of accounts. */
export async function refreshDays({ transaction }: LockedVehicles, touched: readonly TouchedDay[]): Promise<void> {
  if (touched.length === 0) return
  const days = distinctDays(touched)
  await transaction.rows(
    workOutDays(
      sql`
        select account_id, vehicle_id, date '1970-01-01' + day as day
        from ${unnestOf({ account_id: 'integer', vehicle_id: 'bigint', day: 'integer' }, days)}`,
      sql`item.vehicle_id = touched.vehicle_id
        and item.start_time >= (touched.day::timestamp at time zone 'UTC')
        and item.start_time < ((touched.day + 1)::timestamp at time zone 'UTC')`,
    ),
    { prepareAs: 'refresh-vehicle-days' },
  )
}

interface VehicleDay {
  readonly account_id: number
  readonly vehicle_id: number
  /** Days since 1970-01-01, UTC. */
  readonly day: number
}

function distinctDays(touched: readonly TouchedDay[]): VehicleDay[] {
  const byKey = new Map<string, VehicleDay>()
  for (const { accountId, vehicleId, timeMs } of touched) {
    const day = Math.floor(timeMs / DAY_MS)
    byKey.set(`${vehicleId} ${day}`, { account_id: accountId, vehicle_id: vehicleId, day })
  }
  return [...byKey.values()]
}

/** Computes all days of vehicles again, in one statement. @returns how many were wrong */
export async function rebuildDaysOf({ transaction }: LockedVehicles, vehicleIds: readonly number[]): Promise<number> {
  const isWanted = sql`vehicle_id = any(${vehicleIds}::bigint[])`
  const [result] = await transaction.rows<{ changed: number }>(
    workOutDays(
      sql`
        select account_id, vehicle_id, (start_time at time zone 'UTC')::date as day from trips
        where deleted is null and not is_open and ${isWanted}
        union
        select account_id, vehicle_id, day from vehicle_days where ${isWanted}`,
      sql`item.vehicle_id = touched.vehicle_id and (item.start_time at time zone 'UTC')::date = touched.day`,
    ),
  )
  return result?.changed ?? 0
}

/** Updates `vehicle_days` from the trips, and makes changed days of accounts due. @param touched rows of account_id,
 * vehicle_id and day, each day once @param isOfDay the trip `item` belongs to `touched` */
function workOutDays(touched: Statement, isOfDay: Statement): Statement {
  return sql`
    with touched as (${touched}),
    trip as (
      select touched.*, item.id, item.start_time, item.distance_m, item.duration_s, ${ODOMETER_OF_TRIP},
        coalesce(sum(item.distance_m) over earlier, 0) as metres_before,
        sum(item.distance_m) over so_far as metres_after, sum(item.distance_m) over whole_day as metres_of_day
      from touched
      left join trips item on ${isOfDay} and item.deleted is null and not item.is_open
      left join lateral (${READINGS}) reading on true
      window whole_day as (partition by touched.vehicle_id, touched.day),
        so_far as (whole_day order by item.start_time, item.id rows unbounded preceding),
        earlier as (whole_day order by item.start_time, item.id rows between unbounded preceding and 1 preceding)
    ),
    joined as (
      select trip.*, ${JUMP_BETWEEN} as jump_before from trip
      window with_readings as (partition by vehicle_id, day, first_reading is null order by start_time, id)
    ),
    worked_out as (
      select account_id, vehicle_id, day, count(id) as trips,
        min(distance_m) as metres_min, max(distance_m) as metres_max, sum(distance_m) as metres_sum,
        min(duration_s) as seconds_min, max(duration_s) as seconds_max, sum(duration_s) as seconds_sum,
        ${first(sql`odometer_start - metres_before`)} as odometer_start,
        ${last(sql`odometer_end + (metres_of_day - metres_after)`)} as odometer_end,
        ${first(sql`first_reading`)} as first_reading, ${last(sql`last_reading`)} as last_reading,
        ${first(sql`first_read_at`)} as first_read_at, ${last(sql`last_read_at`)} as last_read_at,
        sum(odometer_jump + jump_before) as odometer_jump
      from joined group by account_id, vehicle_id, day
    ),
    written as (
      insert into vehicle_days as d (account_id, vehicle_id, day, trips, metres_min, metres_max, metres_sum,
        seconds_min, seconds_max, seconds_sum, odometer_start, odometer_end, first_reading, last_reading,
        first_read_at, last_read_at, odometer_jump)
      select account_id, vehicle_id, day, trips, metres_min, metres_max, metres_sum,
        seconds_min, seconds_max, seconds_sum, odometer_start, odometer_end, first_reading, last_reading,
        first_read_at, last_read_at, odometer_jump
      from worked_out where trips > 0
      on conflict (vehicle_id, day) do update set
        account_id = excluded.account_id, trips = excluded.trips, metres_min = excluded.metres_min,
        metres_max = excluded.metres_max, metres_sum = excluded.metres_sum, seconds_min = excluded.seconds_min,
        seconds_max = excluded.seconds_max, seconds_sum = excluded.seconds_sum,
        odometer_start = excluded.odometer_start, odometer_end = excluded.odometer_end,
        first_reading = excluded.first_reading, last_reading = excluded.last_reading,
        first_read_at = excluded.first_read_at, last_read_at = excluded.last_read_at,
        odometer_jump = excluded.odometer_jump
      where d is distinct from excluded
      returning account_id, vehicle_id, day
    ),
    emptied as (
      delete from vehicle_days d using worked_out w
      where w.trips = 0 and d.vehicle_id = w.vehicle_id and d.day = w.day
      returning d.account_id, d.vehicle_id, d.day
    ),
    changed as (select * from written union all select * from emptied),
    due as (insert into due_account_days (account_id, day) select distinct account_id, day from changed)
    select count(*) as changed from changed`
}

/** Of the first trip of the day that has a reading. */
function first(value: Statement): Statement {
  return sql`(array_agg(${value} order by start_time, id) filter (where first_reading is not null))[1]`
}

/** Of the last one. */
function last(value: Statement): Statement {
  return sql`(array_agg(${value} order by start_time desc, id desc) filter (where first_reading is not null))[1]`
}

/** The odometer over one trip or day (docs/adr/0008), in metres; null without readings. odometer_start, odometer_end:
 * extrapolated to the ends; *_read_at: bounds at a car's top speed; odometer_jump: not driven. */

const odometer = sql`item.meters -> ${String(requiredEventType('MILEAGE').id)}::text`

/** In metres; absurd readings are ignored, and would not fit. */
const metresOf = (km: Statement) => sql`
  case when abs((${km})::float8) < 1e9 then round((${km})::float8 * 1000)::bigint end`

/** The readings of the trip `item`, for a `lateral` join: start_reading and end_reading. */
export const READINGS = sql`
  select ${metresOf(sql`${odometer} ->> 'start'`)} as start_reading, ${metresOf(sql`${odometer} ->> 'end'`)} as end_reading
  -- Looked up once, however often they are used.
  offset 0`

/** decisions.md, *Trips*: no car is faster. The minimum time for a metre. */
const A_METRE = sql`(${1 / FASTEST_M_PER_MS}::float8 * interval '1 millisecond')`

/** The growth of the odometer during the trip; null with fewer than two readings. */
const GROWN = sql`(end_reading - start_reading)`

/** Length and odometer use the same readings, so the odometer grows by at most one kilometre more than the length.
 * Beyond that, or backwards, it jumped. It may grow by less, read some way from the ends of the trip. */
const IS_JUMP = sql`not ${GROWN} between 0 and item.distance_m + ${COARSEST_STEP_M}::integer`

/** How far the trip went on before its first and after its last reading, both together. */
const NOT_COVERED = sql`(case when ${IS_JUMP} then 0 else greatest(item.distance_m - ${GROWN}, 0) end)`

/** The columns of the trip `item` with its READINGS as a slice. Of two readings one is enough, with the distance. */
export const ODOMETER_OF_TRIP = sql`
  coalesce(start_reading, end_reading - item.distance_m) as odometer_start,
  coalesce(end_reading, start_reading + item.distance_m) as odometer_end,
  coalesce(start_reading, end_reading - item.distance_m) as first_reading,
  coalesce(end_reading, start_reading + item.distance_m) as last_reading,
  case when coalesce(start_reading, end_reading) is not null
    then item.start_time + coalesce(${NOT_COVERED}, 0) * ${A_METRE} end as first_read_at,
  case when coalesce(start_reading, end_reading) is not null
    then item.end_time - coalesce(${NOT_COVERED}, 0) * ${A_METRE} end as last_read_at,
  case when ${IS_JUMP} then ${GROWN} - item.distance_m else 0 end as odometer_jump`

/** The jump between two slices with readings. Plausible growth between them counts as driven, else the trips without a
 * reading. Wants `metres_before`, `metres_after` and the window `with_readings`, ordered by time. */
export const JUMP_BETWEEN = sql`
  case
    when first_reading - lag(last_reading) over with_readings >= 0
      and (first_reading - lag(last_reading) over with_readings) * ${A_METRE}
        <= greatest(first_read_at - lag(last_read_at) over with_readings, interval '0') then 0
    else coalesce((odometer_start - metres_before) - lag(odometer_end - metres_after) over with_readings, 0)
  end`
