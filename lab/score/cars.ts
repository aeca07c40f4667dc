import type { KnownTruth } from './known-truth.ts'

/** Which cars of the truth the vehicles of the API are. */
export interface Cars {
  /** The VIN of the car, undefined when no car of the fleet is meant. */
  vinOf(vehicleId: string): string | undefined
  /** Every car of which a dongle told something. */
  readonly vins: ReadonlySet<string>
}

/** A vehicle is named after its VIN, or after its first dongle as long as nobody read one. */
export function carsOf({ dongles, faults }: Pick<KnownTruth, 'dongles' | 'faults'>): Cars {
  const vinByVehicleId = new Map<string, string>()
  const told = [...dongles.flatMap(({ trips }) => trips), ...faults.filter(({ listed }) => listed !== null)]
  for (const { deviceId, vin } of told) {
    vinByVehicleId.set(`VIN${vin}`, vin)
    if (!vinByVehicleId.has(`IMEI_${deviceId}`)) vinByVehicleId.set(`IMEI_${deviceId}`, vin)
  }
  return { vinOf: vehicleId => vinByVehicleId.get(vehicleId), vins: new Set(vinByVehicleId.values()) }
}
