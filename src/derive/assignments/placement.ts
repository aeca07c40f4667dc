import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import type { TimedFix } from '../../store/index.ts'
import { type VinRun } from '../trips/state.ts'

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
type VehicleChoice =
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
 * In which vehicles the stays of a dongle are (decisions.md, *Vehicles and devices*; docs/adr/0009). The first unknown
 * VIN becomes that of home; if an operator entered one there, the stay is at home whatever it reads (settings win),
 * unless home's own VIN is read in another stay. Any other unknown VIN makes a new vehicle.
 * @param vehicleOfVin by VIN, including VINs that an operator has replaced
 */
export function placeStays(
  stays: readonly CarPeriod[],
  home: Home,
  vehicleOfVin: ReadonlyMap<string, number>,
): Placement {
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

/** A dongle is in the car with that VIN from here until its next stay begins. */
export interface CarPeriod {
  readonly vin: string
  /** Minus infinity for the first stay: nothing better is known about the time before its first reading. */
  readonly fromMs: number
}

/** Where a dongle was, by its VINs (decisions.md, *VIN read by a dongle*). A run counts if it was read twice or an
 * operator entered its VIN. @param movedMs when an operator moved it, before all of these readings */
export function staysOf(runs: readonly VinRun[], operatorVins: ReadonlySet<string>, movedMs?: number): CarPeriod[] {
  const stays: CarPeriod[] = []
  let lastReadMs = movedMs ?? Number.NEGATIVE_INFINITY
  for (const run of [...runs].sort((a, b) => a.firstMs - b.firstMs)) {
    const current = stays.at(-1)
    const isSameCar = current?.vin === run.vin
    if (!isSameCar && !run.isConfirmed && !operatorVins.has(run.vin)) continue
    if (!isSameCar)
      stays.push({
        vin: run.vin,
        fromMs: current || movedMs !== undefined ? arrivalMs(run, lastReadMs) : Number.NEGATIVE_INFINITY,
      })
    lastReadMs = run.firstMs
  }
  return stays
}

/** The sample that ended the last drive or reported the unplugging is still of the former car. If nothing ended since
 * that VIN was read, the dongle is in the new car from the first reading of its VIN on. */
function arrivalMs({ boundaryMs, firstMs }: VinRun, lastReadMs: number): number {
  return boundaryMs >= lastReadMs ? Math.min(boundaryMs + 1, firstMs) : firstMs
}

interface KnownVins {
  readonly vehicleOfVin: ReadonlyMap<string, number>
  readonly ofNewVehicles: ReadonlySet<string>
}

interface MovedPlacement {
  /** The VIN of the vehicle, as far as this dongle can tell; undefined for none. */
  readonly vin: string | undefined
  /** At least one; the first begins with the move. */
  readonly placed: readonly { readonly fromMs: number; readonly vehicle: VehicleChoice }[]
}

/**
 * Where a dongle was after an operator moved it to `vehicle` (docs/adr/0011): there, until it read the VIN of another
 * one. The first unknown VIN names `vehicle`; if an operator entered another VIN there, the dongle still counts as
 * being there (settings win), unless that VIN is read later. Any other unknown VIN makes a new vehicle.
 * @param stays what it read from `atMs` on; the first one begins with its arrival in that vehicle
 */
export function placeMoved(
  atMs: number,
  stays: readonly CarPeriod[],
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

/** Two receivers in one car show it no further apart, the way between two fixes that are compared included. */
const SAME_CAR_M = 1000
const CAR_M_PER_MS = 0.05
/** A car that was there so much earlier or later may be the same: a clock may be wrong. */
const CLOCKS_DIFFER_MS = 5 * 60_000
/** A receiver that has not moved may be frozen, and tells nothing. */
const MOVED_M = 200
const FEWEST_APART = 5

/** Whether two dongles drove in two cars: of the fixes of each, most that tell are where the car of the other one cannot
 * have been. @param a fixes of one while it drove, by time */
export function areTwoCars(a: readonly TimedFix[], b: readonly TimedFix[]): boolean {
  return a.length > 0 && b.length > 0 && areMostApart(a, b) && areMostApart(b, a)
}

function areMostApart(fixes: readonly TimedFix[], others: readonly TimedFix[]): boolean {
  let [near, apart] = [0, 0]
  let last: Position | undefined
  for (const { timeMs, fix } of fixes) {
    if (last && distanceM(last, fix) < MOVED_M) continue
    last = fix
    const seen = others.map(other => ({ gapMs: Math.abs(other.timeMs - timeMs), apartM: distanceM(other.fix, fix) }))
    const atOnce = seen.reduce((one, other) => (other.gapMs < one.gapMs ? other : one))
    if (seen.some(({ gapMs, apartM }) => gapMs <= CLOCKS_DIFFER_MS && apartM <= SAME_CAR_M)) near++
    else if (atOnce.apartM > SAME_CAR_M + CAR_M_PER_MS * atOnce.gapMs) apart++
  }
  return apart >= FEWEST_APART && apart > near
}
