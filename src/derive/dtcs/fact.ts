import { sql } from '../../db/sql.ts'
import { vehicleName } from '../derived-rows.ts'
import type { Fact } from '../fact.ts'
import { applyDtcLists, changedDtcLists, moveDtcs, rederiveDtcs } from './stored-dtcs.ts'

/** Trouble codes: current from the first list with them until the first later one without. */
export const dtcs: Fact = {
  name: 'dtcs',
  follow: (held, devices) => applyDtcLists(held, changedDtcLists(devices)),
  async move(held, { assignments }) {
    await moveDtcs(held, assignments)
    await rederiveDtcs(held, assignments)
  },
  async rebuild(held, assignments) {
    await rederiveDtcs(held, assignments)
  },
  readDerived: (transaction, deviceId) =>
    transaction.rows(sql`
      select 'code ' || d.id as name, jsonb_build_object(
        'vehicle', ${vehicleName(deviceId)}, 'code', d.code, 'encoded', d.encoded, 'encoding', d.encoding,
        'type', d.dtc_type, 'list', d.frame_list, 'ecu', d.ecu_type_id, 'recorded', d.recorded, 'deleted', d.deleted,
        'retracted', d.is_retracted) as fields
      from dtcs d join vehicles v on v.id = d.vehicle_id where d.device_id = ${deviceId}`),
}
