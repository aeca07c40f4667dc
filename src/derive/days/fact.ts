import { sql } from '../../db/sql.ts'
import { vehicleName } from '../derived-rows.ts'
import type { Fact } from '../fact.ts'

/** Sums of a vehicle over days, which are worked out last in each transaction that touched its trips (`touchTrips`). */
export const days: Fact = {
  name: 'days',
  readDerived: (transaction, deviceId) =>
    transaction.rows(sql`
      select 'day ' || d.day || ' of ' || ${vehicleName(deviceId)} as name,
        to_jsonb(d) - array['account_id', 'vehicle_id', 'day'] as fields
      from vehicle_days d join vehicles v on v.id = d.vehicle_id
      where d.vehicle_id in (select vehicle_id from assignments where device_id = ${deviceId})`),
}
