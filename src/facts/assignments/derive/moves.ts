import type { Home, VehicleChoice } from './placement.ts'
import type { Stay } from './stays.ts'

/** Vehicles that VINs lead to. */
interface KnownVins {
  readonly vehicleOfVin: ReadonlyMap<string, number>
  /** VINs for which vehicles are made. */
  readonly ofNewVehicles: ReadonlySet<string>
}

interface MovedPlacement {
  /** The VIN that the vehicle has from now on as far as this dongle can tell; undefined for none. */
  readonly vin: string | undefined
  /** At least one, the first from the move on. */
  readonly placed: readonly { readonly fromMs: number; readonly vehicle: VehicleChoice }[]
}

/**
 * Where a dongle was after an operator put it into a vehicle (docs/adr/0011): in that one, until it read the VIN of
 * another one there.
 * - A VIN of a known vehicle means that it is in that one.
 * - The first VIN that leads nowhere is the one of the vehicle it was put into, which gets it; when an operator entered
 *   another VIN for that vehicle, it stays the vehicle (settings win), unless its own VIN is read later.
 * - Any other VIN makes a new vehicle.
 * @param atMs the instant of the move
 * @param stays what it read from there on; the first stay begins with its arrival in that car
 * @param vehicle the one it was put into
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
