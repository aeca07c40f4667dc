import type { Stay } from './stays.ts'

/** The vehicle that stands for a dongle until a VIN is known: the one with which it joined, or that of its first stay. */
export interface Home {
  readonly vehicleId: number
  /** undefined while its id is `IMEI_…`. */
  readonly vin: string | undefined
  /** An operator entered the VIN. */
  readonly isByOperator: boolean
  /** It was created for this dongle; otherwise the dongle was found to be in it by its VIN. */
  readonly isOwn: boolean
  /** Its VIN was read by other dongles in it, or by this one during another tenure. */
  readonly isShared: boolean
  /** An operator moved dongles into it: then it is a car of its own, whatever is read there. */
  readonly isChosen: boolean
}

/** An existing vehicle, or one to be created; without a VIN, its id is the dongle's `IMEI_…`. */
export type VehicleChoice =
  | { readonly kind: 'known'; readonly vehicleId: number }
  | { readonly kind: 'new'; readonly vin: string | undefined }

/** The dongle is in that vehicle until the next placement begins. */
export interface Placed {
  readonly fromMs: number
  readonly vehicle: VehicleChoice
}

interface Placement {
  /** The VIN of home; undefined for none. */
  readonly homeVin: string | undefined
  /** At least one, the first from minus infinity; consecutive ones are of different vehicles. */
  readonly placed: readonly Placed[]
}

/**
 * In which vehicles the stays of a dongle are (decisions.md, *Vehicles and devices*; docs/adr/0009):
 * - without a believed VIN it is at home, and home has no VIN unless an operator entered one;
 * - a VIN leads to the vehicle that has it;
 * - the first unknown VIN becomes that of home. If an operator entered a VIN for home, the stay is at home, whatever it reads
 *   (settings win), unless home's own VIN is read in another stay;
 * - for any other VIN, a new vehicle is created.
 * @param vehicleOfVin the vehicles of the account with these VINs, including VINs that an operator has replaced
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
