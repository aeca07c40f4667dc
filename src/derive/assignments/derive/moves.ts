import type { Home, VehicleChoice } from './placement.ts'
import type { Stay } from './stays.ts'

/** The vehicles of VINs. */
interface KnownVins {
  readonly vehicleOfVin: ReadonlyMap<string, number>
  /** VINs for which vehicles must be created. */
  readonly ofNewVehicles: ReadonlySet<string>
}

interface MovedPlacement {
  /** The VIN of the vehicle, as far as this dongle can tell; undefined for none. */
  readonly vin: string | undefined
  /** At least one; the first begins with the move. */
  readonly placed: readonly { readonly fromMs: number; readonly vehicle: VehicleChoice }[]
}

/**
 * Where a dongle was after an operator moved it to a vehicle (docs/adr/0011): there, until it read the VIN of
 * another one.
 * - The VIN of a known vehicle means that the dongle is in that one.
 * - The first unknown VIN is that of the vehicle to which it was moved, which gets it. If an operator entered
 *   another VIN for that vehicle, the dongle still counts as being there (settings win), unless that VIN is read later.
 * - For any other VIN, a new vehicle is created.
 * @param atMs the instant of the move
 * @param stays what it read from then on; the first stay begins with its arrival in that vehicle
 * @param vehicle the one to which it was moved
 */
export function placeMoved(
  atMs: number,
  stays: readonly Stay[],
  vehicle: Home,
  { vehicleOfVin, ofNewVehicles }: KnownVins,
): MovedPlacement {
  const isRead = (vin: string) => vin === vehicle.vin || vehicleOfVin.get(vin) === vehicle.vehicleId
  const isItself = stays.some(({ vin }) => isRead(vin))
  const [first] = stays
  const isUnknown = first !== undefined && !vehicleOfVin.has(first.vin) && !ofNewVehicles.has(first.vin)
  const isNamed = isUnknown && vehicle.vin === undefined
  const isKept = isUnknown && !isItself && (isNamed || vehicle.isByOperator)
  const choose = (vin: string): VehicleChoice => {
    if (isRead(vin) || (isKept && vin === first.vin)) return { kind: 'known', vehicleId: vehicle.vehicleId }
    const vehicleId = vehicleOfVin.get(vin)
    return vehicleId === undefined ? { kind: 'new', vin } : { kind: 'known', vehicleId }
  }
  return {
    vin: isNamed ? first.vin : vehicle.vin,
    placed: [
      { fromMs: atMs, vehicle: { kind: 'known', vehicleId: vehicle.vehicleId } },
      ...stays.map(({ vin, fromMs }) => ({ fromMs, vehicle: choose(vin) })),
    ],
  }
}
