import { sql } from '../../db/sql.ts'
import { vehicleName } from '../derived-rows.ts'
import type { Fact } from '../fact.ts'
import { MEASURED_END, MEASURED_ROUTE, OPEN_STATE } from './rows/measured-rows.ts'
import { moveTrips } from './rows/move-trips.ts'

/**
 * Trips are written with the fold of their device, in order (`writeFolds`) or again. Of one it is also compared what clients
 * do not see while another dongle's counts in its place.
 */
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
