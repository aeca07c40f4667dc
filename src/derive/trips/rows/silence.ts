import type { Connection } from '../../../db/database.ts'
import { isNobodyElses } from '../../../db/shards/kept-shards.ts'
import { sql } from '../../../db/sql.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { DerivedTrip } from '../derive/trip.ts'

/**
 * Whether the dongle of an open trip has been silent for long enough to end it, unless a later sample continues it.
 * @param nowMs by the clock of the database
 */
export function isSilentAt(trip: DerivedTrip, nowMs: number): boolean {
  return trip.silentFromMs <= nowMs
}

/**
 * Devices after `after`, by id, whose open trip has been silent for that long. A device from which anything arrived within
 * `pauseMs` is sending a backlog. After the clock was set back, the last arrival may seem to lie in the future.
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
  const rows = await connection.rows<{ device_id: DeviceId }>(
    sql`
      select s.device_id from device_states s
      where s.device_id > ${after}
        and s.trip_silent_from < clock_timestamp()
        and s.last_received not between clock_timestamp() - ${pauseMs} * interval '1 millisecond'
          and clock_timestamp() + ${pauseMs} * interval '1 millisecond'
        and ${isNobodyElses(sql`s.device_id`, leaseOwner)}
        -- Of hardly any: joined, the trip of every dongle on the road is looked up.
        and (select t.is_open from trips t where t.device_id = s.device_id and t.id = s.trip_id)
      order by s.device_id limit ${most}`,
    { prepareAs: 'devices-silent-on-a-trip' },
  )
  return rows.map(row => row.device_id)
}
