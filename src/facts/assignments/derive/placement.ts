import type { Stay } from './stays.ts'

/** The vehicle that stands for a dongle until a VIN is known: the one it joined with, or where its first stay is. */
export interface Home {
  readonly vehicleId: number
  /** undefined while it answers to `IMEI_…`. */
  readonly vin: string | undefined
  /** An operator entered the VIN. */
  readonly isByOperator: boolean
  /** It was made for this dongle; otherwise the dongle came into it by its VIN. */
  readonly isOwn: boolean
  /** Other dongles that are or were in it read its VIN, or this one while it belonged to the account another time. */
  readonly isShared: boolean
  /** An operator put dongles into it: then it is a separate car, whatever is read there. */
  readonly isChosen: boolean
}

/** A vehicle that exists, or one to be made; without a VIN it answers to the dongle's `IMEI_…`. */
export type VehicleChoice =
  | { readonly kind: 'known'; readonly vehicleId: number }
  | { readonly kind: 'new'; readonly vin: string | undefined }

/** From here until the next one the dongle is in that vehicle. */
export interface Placed {
  readonly fromMs: number
  readonly vehicle: VehicleChoice
}

interface Placement {
  /** The VIN that home has from now on; undefined for none. */
  readonly homeVin: string | undefined
  /** At least one, the first from minus infinity; neighbours are different vehicles. */
  readonly placed: readonly Placed[]
}

/**
 * Which vehicles the stays of a dongle are in (decisions.md, *Vehicles and devices*; docs/adr/0009):
 * - without a believed VIN it is at home, and home has no VIN unless it is an operator's;
 * - a VIN leads to the vehicle that has it;
 * - the first VIN gives home its name, or, when an operator named home, leads there whatever it reads (settings win),
 *   unless another stay is the one in the car that home is;
 * - any other VIN makes a new vehicle.
 * @param vehicleOfVin the vehicles of the account with these VINs, also with one that an operator replaced
 */
export function placeStays(stays: readonly Stay[], home: Home, vehicleOfVin: ReadonlyMap<string, number>): Placement {
  const atHome: VehicleChoice = { kind: 'known', vehicleId: home.vehicleId }
  const [first] = stays
  if (!first) return placeNowhere(home, atHome)
  const isHomeRead = stays.some(({ vin }) => vehicleOfVin.get(vin) === home.vehicleId)
  const namesHome = !isHomeRead && !home.isByOperator && !home.isShared && !vehicleOfVin.has(first.vin)
  const leadsHome = namesHome || (!isHomeRead && home.isByOperator && home.isOwn)
  const choose = (vin: string): VehicleChoice => {
    if (vin === first.vin && leadsHome) return atHome
    const vehicleId = vehicleOfVin.get(vin)
    return vehicleId === undefined ? { kind: 'new', vin } : { kind: 'known', vehicleId }
  }
  return {
    homeVin: namesHome ? first.vin : home.vin,
    placed: withoutRepeats(stays.map(({ vin, fromMs }) => ({ fromMs, vehicle: choose(vin) }))),
  }
}

function placeNowhere(home: Home, atHome: VehicleChoice): Placement {
  const isAnothers = home.vin !== undefined && (home.isByOperator ? !home.isOwn : home.isShared)
  const leaves = isAnothers && !home.isChosen
  return {
    homeVin: home.isByOperator || isAnothers ? home.vin : undefined,
    placed: [{ fromMs: Number.NEGATIVE_INFINITY, vehicle: leaves ? { kind: 'new', vin: undefined } : atHome }],
  }
}

function withoutRepeats(placed: readonly Placed[]): Placed[] {
  return placed.filter(({ vehicle }, index) => {
    const before = placed[index - 1]?.vehicle
    return before === undefined || !isSame(before, vehicle)
  })
}

function isSame(a: VehicleChoice, b: VehicleChoice): boolean {
  if (a.kind === 'known') return b.kind === 'known' && a.vehicleId === b.vehicleId
  return b.kind === 'new' && a.vin === b.vin
}
