import { sql } from '../../db/sql.ts'
import { vehicleName } from '../derived-rows.ts'
import type { Fact } from '../fact.ts'
import {
  identityChanges,
  refreshDeviceIdentities,
  refreshFuelTypes,
  statusChanges,
  writeStatuses,
} from './write-identity.ts'

/** The status of dongles, and all that they report about themselves and the fuel of their cars, from their latest values. */
export const identity: Fact = {
  name: 'identity',
  async follow(held, devices) {
    await writeStatuses(held.transaction, statusChanges(devices))
    const { deviceIds, vehicleIds } = identityChanges(devices)
    await refreshDeviceIdentities(held.devices(deviceIds))
    await refreshFuelTypes(held.transaction, vehicleIds)
  },
  move: ({ transaction }, { vehicleIds }) => refreshFuelTypes(transaction, vehicleIds),
  async rebuild(held, assignments) {
    await refreshDeviceIdentities(held)
    await refreshFuelTypes(held.transaction, [...new Set(assignments.map(({ vehicleId }) => vehicleId))])
  },
  readDerived: (transaction, deviceId) =>
    transaction.rows(sql`
      select 'device' as name, jsonb_build_object('manufacturer', d.manufacturer, 'hardware_type', d.hardware_type,
        'hardware_version', d.hardware_version, 'firmware_version', d.firmware_version) as fields
      from devices d where d.id = ${deviceId}
      union all
      select 'vehicle ' || ${vehicleName(deviceId)}, jsonb_build_object('make', v.make, 'fuel_type', v.fuel_type)
      from vehicles v where v.id in (select vehicle_id from assignments where device_id = ${deviceId})`),
}
