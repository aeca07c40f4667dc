import { eventTypeById } from '../../catalogue/event-types.ts'
import { sql } from '../../db/sql.ts'
import { vehicleName } from '../derived-rows.ts'
import { type LatestRow, latestValuesOf } from '../device-records.ts'
import type { Fact } from '../fact.ts'
import { followSamples, moveLatestValues, rederiveLatestValues } from './stored-latest-values.ts'

/** The newest value of each event type, by dongle and car. */
export const latestValues: Fact = {
  name: 'latest values',
  follow: followSamples,
  move: (held, { assignments, vehicleIds }) => moveLatestValues(held, assignments, vehicleIds),
  rebuild: rederiveLatestValues,
  async readDerived(transaction, deviceId) {
    const rows = await transaction.rows<LatestRow & { readonly public_id: string }>(sql`
      select l.device_id, l.vehicle_id, l.types, l.times, l.numbers, l.texts, ${vehicleName(deviceId)} as public_id
      from latest_values l join vehicles v on v.id = l.vehicle_id where l.device_id = ${deviceId}`)
    return rows.flatMap(row =>
      [...latestValuesOf(row)].map(([type, { timeMs, value }]) => ({
        name: `latest ${eventTypeById(type).name} in ${row.public_id}`,
        fields: { value, time: new Date(timeMs).toISOString() },
      })),
    )
  },
}
