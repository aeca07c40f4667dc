import { eventTypeById } from '../../catalogue/event-types.ts'
import { type Statement, sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { type LatestRow, latestValuesOf } from '../../facts/device-records/device-records.ts'
import { parseState, serialiseState, withStoredRoute } from '../../facts/trips/derive/fold.ts'
import { MEASURED_END, MEASURED_ROUTE, OPEN_STATE } from '../../facts/trips/rows/measured-rows.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { DerivedRow } from './rebuild-difference.ts'

/**
 * Everything that is derived from the samples of a device, as clients see it, and the states of its fold; of a trip also
 * what clients do not see while another dongle's counts in its place.
 */
export async function readDerivedRows(transaction: Transaction, deviceId: DeviceId): Promise<DerivedRow[]> {
  const vehicle = vehicleName(deviceId)
  const named = await transaction.rows<DerivedRow>(sql`
    select 'trip ' || t.id as name, jsonb_build_object(
      'vehicle', ${vehicle}, 'start', t.start_time, 'end', ${MEASURED_END},
      'distance_m', coalesce(r.trip_distance_m, t.distance_m), 'duration_s', coalesce(r.trip_duration_s, t.duration_s),
      'start_address', t.start_address_id, 'end_address', t.end_address_id, 'open', t.is_open,
      'meters', coalesce(r.trip_meters, t.meters), 'route', md5(${MEASURED_ROUTE}),
      'fixes', case when not t.is_open then t.fix_count end,
      'deleted', t.deleted is not null, 'superseded_by', t.superseded_by) as fields
    from trips t ${OPEN_STATE} join vehicles v on v.id = t.vehicle_id where t.device_id = ${deviceId}
    union all
    select 'code ' || d.id, jsonb_build_object(
      'vehicle', ${vehicle}, 'code', d.code, 'encoded', d.encoded, 'encoding', d.encoding, 'type', d.dtc_type,
      'list', d.frame_list, 'ecu', d.ecu_type_id, 'recorded', d.recorded, 'deleted', d.deleted,
      'retracted', d.is_retracted)
    from dtcs d join vehicles v on v.id = d.vehicle_id where d.device_id = ${deviceId}
    union all
    select 'assignment from ' || a.from_time, jsonb_build_object('vehicle', ${vehicle}, 'to', a.to_time)
    from assignments a join vehicles v on v.id = a.vehicle_id where a.device_id = ${deviceId}
    union all
    select 'VIN read from ' || r.first_time, jsonb_build_object(
      'vin', r.vin, 'boundary', r.boundary, 'confirmed', r.is_confirmed)
    from vin_runs r where r.device_id = ${deviceId}
    union all
    select 'day ' || d.day || ' of ' || ${vehicle}, to_jsonb(d) - array['account_id', 'vehicle_id', 'day']
    from vehicle_days d join vehicles v on v.id = d.vehicle_id
    where d.vehicle_id in (select vehicle_id from assignments where device_id = ${deviceId})
    union all
    select 'checkpoint ' || c.before_time, jsonb_build_object('state', md5(c.state))
    from fold_checkpoints c where c.device_id = ${deviceId}
    union all
    select 'device', jsonb_build_object('manufacturer', d.manufacturer, 'hardware_type', d.hardware_type,
      'hardware_version', d.hardware_version, 'firmware_version', d.firmware_version)
    from devices d where d.id = ${deviceId}
    union all
    select 'vehicle ' || ${vehicle}, jsonb_build_object('make', v.make, 'fuel_type', v.fuel_type)
    from vehicles v where v.id in (select vehicle_id from assignments where device_id = ${deviceId})`)
  return [...named, ...(await readLatest(transaction, deviceId)), ...(await readFold(transaction, deviceId))]
}

/** The name of the vehicle `v`: two accounts that a device belonged to may know the same car. */
function vehicleName(deviceId: DeviceId): Statement {
  return sql`v.public_id || case when v.account_id = (
    select account_id from assignments where device_id = ${deviceId} and to_time = 'infinity'
  ) then '' else ' of account ' || v.account_id end`
}

async function readLatest(transaction: Transaction, deviceId: DeviceId): Promise<DerivedRow[]> {
  const rows = await transaction.rows<LatestRow & { readonly public_id: string }>(sql`
    select l.device_id, l.vehicle_id, l.types, l.times, l.numbers, l.texts, ${vehicleName(deviceId)} as public_id
    from latest_values l join vehicles v on v.id = l.vehicle_id where l.device_id = ${deviceId}`)
  return rows.flatMap(row =>
    [...latestValuesOf(row)].map(([type, { timeMs, value }]) => ({
      name: `latest ${eventTypeById(type).name} in ${row.public_id}`,
      fields: { value, time: new Date(timeMs).toISOString() },
    })),
  )
}

/** Where the fold stands, however much of the route was already moved into the row of the trip. */
async function readFold(transaction: Transaction, deviceId: DeviceId): Promise<DerivedRow[]> {
  const rows = await transaction.rows<{ fold: string; trip_id: number | null }>(sql`
    select fold, trip_id from device_states where device_id = ${deviceId} and fold is not null`)
  return rows.map(({ fold, trip_id }) => ({
    name: 'state of the fold',
    fields: { state: serialiseState(withStoredRoute(parseState(fold))), trip: trip_id },
  }))
}
