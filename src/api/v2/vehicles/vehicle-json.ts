import { millisecondText } from '../../../server/http/timestamps.ts'
import { lastEventsJson } from './last-events.ts'
import type { LatestRow, VehicleRow } from './query.ts'
import type { LastEventSelection } from './selection.ts'

/**
 * A vehicle as clients get it. Under a former id, only the fact that it is deleted is shown. Later changes of
 * the vehicle are not shown there, so the modifyTimestamp stays right.
 */
export function vehicleJson(row: VehicleRow, latest: readonly LatestRow[], selection: LastEventSelection): string {
  const fields = { id: row.public_id, ...(row.is_former ? NOTHING : describe(row)) }
  const lastEvents = row.is_former ? '[]' : lastEventsJson(row, latest, selection)
  const deleteTimestamp = row.deleted === null ? 'null' : `"${millisecondText(row.deleted)}"`
  return `${JSON.stringify(fields).slice(0, -1)},"lastEvents":${lastEvents},"modifyTimestamp":"${row.modified}","deleteTimestamp":${deleteTimestamp}}`
}

function describe(row: VehicleRow) {
  return {
    vin: row.vin ?? '',
    tecDocMakeId: row.tecdoc_make_id,
    tecDocModelId: row.tecdoc_model_id,
    tecDocVehicleId: row.tecdoc_vehicle_id,
    make: row.make,
    model: row.model,
    vehicle: row.vehicle,
    fuelType: row.fuel_type,
    kba: row.kba,
    licensePlate: row.license_plate,
    deviceId: row.device_id,
    tripId: row.trip_id ?? '',
    // Beyond the original document, so only where somebody set them.
    ...(row.color !== '' && { color: row.color }),
    ...(row.car_group !== '' && { group: row.car_group }),
  }
}

const NOTHING: ReturnType<typeof describe> = {
  vin: '',
  tecDocMakeId: 0,
  tecDocModelId: 0,
  tecDocVehicleId: 0,
  make: '',
  model: '',
  vehicle: '',
  fuelType: '',
  kba: '',
  licensePlate: '',
  deviceId: null,
  tripId: '',
}
