import type { Connection } from '../../../db/database.ts'
import { isNobodyElses } from '../../../db/shards/kept-shards.ts'
import { sql } from '../../../db/sql.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { DerivedTrip } from '../derive/trip.ts'

/**
 * Whether nothing came of a trip for as long as cuts one of this dongle: it is over unless a later sample says otherwise.
 * @param nowMs by the clock of the database
 */
export function isSilentAt(trip: DerivedTrip, nowMs: number): boolean {
  return trip.silentFromMs <= nowMs
}

/**
 * Devices behind `after` with an open trip of which nothing came for so long, by their ids. One of which anything came
 * within `pauseMs` is sending a backlog; where the clock was set back, what came last seems to lie ahead.
 */
export async function readSilentDevices(
  connection: Connection,
  {
    after,
    pauseMs,
    leaseOwner,
    most,
  }: Readonly<Record<'after' | 'pauseMs' | 'most', number>> & { readonly leaseOwner: number | undefined },
): Promise<DeviceId[]> {
  const rows = await connection.rows<{ device_id: DeviceId }>(sql`
    select t.device_id from trips t join device_states s on s.device_id = t.device_id and s.trip_id = t.id
    where t.is_open and t.device_id > ${after}
      and s.trip_silent_from < clock_timestamp()
      and s.last_received not between clock_timestamp() - ${pauseMs} * interval '1 millisecond'
        and clock_timestamp() + ${pauseMs} * interval '1 millisecond'
      and ${isNobodyElses(sql`t.device_id`, leaseOwner)}
    order by t.device_id limit ${most}`)
  return rows.map(row => row.device_id)
}
