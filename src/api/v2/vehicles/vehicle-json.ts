import { millisecondText } from '../../../http/timestamps.ts'
import { lastEventsJson } from './last-events.ts'
import type { LatestRow, VehicleRow } from './query.ts'

/** A vehicle as clients get it. Under a former id there is nothing left but the word that it is deleted. */
export function vehicleJson(row: VehicleRow, latest: readonly LatestRow[], hidesPositions: boolean): string {
  const { is_former: isFormer } = row
  const fields = {
    id: row.public_id,
    vin: isFormer ? '' : (row.vin ?? ''),
    tecDocMakeId: row.tecdoc_make_id,
    tecDocModelId: row.tecdoc_model_id,
    tecDocVehicleId: row.tecdoc_vehicle_id,
    make: row.make,
    model: row.model,
    vehicle: row.vehicle,
    fuelType: row.fuel_type,
    kba: row.kba,
    licensePlate: row.license_plate,
    deviceId: isFormer ? null : row.device_id,
    tripId: isFormer ? '' : (row.trip_id ?? ''),
  }
  const lastEvents = isFormer ? '[]' : lastEventsJson(row, latest, hidesPositions)
  const deleteTimestamp = row.deleted === null ? 'null' : `"${millisecondText(row.deleted)}"`
  return `${JSON.stringify(fields).slice(0, -1)},"lastEvents":${lastEvents},"modifyTimestamp":"${row.modified}","deleteTimestamp":${deleteTimestamp}}`
}
