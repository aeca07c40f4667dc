import type { DongleTruth } from './known-truth.ts'

/** Which cars of the truth the vehicles of the API are. */
export interface Cars {
  /** The VIN of the car, undefined when no car of the fleet is meant. */
  vinOf(vehicleId: string): string | undefined
  /** Every car that was driven. */
  readonly vins: ReadonlySet<string>
}

/** A vehicle is named after its VIN, or after its first dongle as long as nobody read one. */
export function carsOf(dongles: readonly DongleTruth[]): Cars {
  const vinByVehicleId = new Map<string, string>()
  for (const { deviceId, trips } of dongles)
    for (const { vin } of trips) {
      vinByVehicleId.set(`VIN${vin}`, vin)
      if (!vinByVehicleId.has(`IMEI_${deviceId}`)) vinByVehicleId.set(`IMEI_${deviceId}`, vin)
    }
  return { vinOf: vehicleId => vinByVehicleId.get(vehicleId), vins: new Set(vinByVehicleId.values()) }
}
