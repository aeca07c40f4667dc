import { type Statement, sql } from '../../db/sql.ts'

/**
 * The dongle that a vehicle shows, as a value within a statement: of those that are in it now the one whose data is newest
 * (decisions.md, *Vehicles and devices*). What a dongle measured before it came into this vehicle is not data of it. While
 * none has told anything, the one that came last; of equals the one with the lower IMEI. Null when none is in it.
 *
 * It changes only with a new latest value or with the dongles in the vehicle, and both give the vehicle a new revision.
 */
export function currentDeviceOf(vehicleId: Statement): Statement {
  return sql`(
    select a.device_id from assignments a left join device_states s on s.device_id = a.device_id
    where a.vehicle_id = ${vehicleId} and a.to_time = 'infinity'
    order by case when s.last_time >= a.from_time then s.last_time end desc nulls last, a.from_time desc, a.device_id
    limit 1)`
}
