import { sql } from '../../db/sql.ts'
import { vehicleName } from '../derived-rows.ts'
import type { Fact } from '../fact.ts'

/** In which cars a dongle was: `reconcileAssignments` works it out, and then moves all other facts. */
export const assignments: Fact = {
  name: 'assignments',
  readDerived: (transaction, deviceId) =>
    transaction.rows(sql`
      select 'assignment from ' || a.from_time as name,
        jsonb_build_object('vehicle', ${vehicleName(deviceId)}, 'to', a.to_time) as fields
      from assignments a join vehicles v on v.id = a.vehicle_id where a.device_id = ${deviceId}
      union all
      select 'VIN read from ' || r.first_time, jsonb_build_object(
        'vin', r.vin, 'boundary', r.boundary, 'confirmed', r.is_confirmed)
      from vin_runs r where r.device_id = ${deviceId}`),
}
