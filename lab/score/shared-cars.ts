import type { TripLine } from '../simulate/truth-lines.ts'
import { type CarComparison, compareCar, type WitnessedDrive } from './car-comparison.ts'
import type { Cars } from './cars.ts'
import { type DriveLimits, type ToldTrip, toldDrive, toleranceOf, UNDER_WAY_MS } from './compared-dongle.ts'
import { kindText } from './groups.ts'
import { type DongleTruth, sharedVins } from './known-truth.ts'

/** What the truth and the API tell of a dongle. */
export interface TwoSides {
  readonly truth: DongleTruth
  readonly told: readonly ToldTrip[]
}

/** A car in which two dongles report the same drives. */
export interface SharedCar {
  readonly vin: string
  /** The kinds of its dongles. */
  readonly kinds: string
  readonly comparison: CarComparison<ToldTrip>
  /** The service takes its dongles for those of several cars; which is the vehicle of the other trips of each. */
  readonly strays: readonly Stray[]
}

interface Stray {
  readonly deviceId: number
  readonly vehicleId: string
}

/** The cars that two dongles share, and of each dongle what is left: what it did elsewhere. */
export function sharedCars(
  devices: readonly TwoSides[],
  cars: Cars,
  limits: DriveLimits,
): { readonly shared: readonly SharedCar[]; readonly alone: readonly TwoSides[] } {
  const vins = sharedVins(devices.map(({ truth }) => truth))
  const isShared = (vin: string | undefined) => vin !== undefined && vins.has(vin)
  const partOf = ({ truth, told }: TwoSides, isMeant: (vin: string | undefined) => boolean): TwoSides => ({
    truth: { ...truth, trips: truth.trips.filter(({ vin }) => isMeant(vin)) },
    told: told.filter(({ vehicleId }) => isMeant(cars.vinOf(vehicleId))),
  })
  return {
    shared: [...vins].flatMap(vin => {
      const dongles = devices.map(device => partOf(device, each => each === vin)).filter(hasAnything)
      return dongles.length > 0 ? [sharedCar(vin, dongles, limits)] : []
    }),
    alone: devices.map(device => partOf(device, vin => !isShared(vin))),
  }
}

const hasAnything = ({ truth, told }: TwoSides) => truth.trips.length > 0 || told.length > 0

function sharedCar(vin: string, dongles: readonly TwoSides[], limits: DriveLimits): SharedCar {
  const untilMs = Math.min(...dongles.map(({ truth }) => truth.allToldMs))
  const sides = dongles.map(({ truth, told }) => ({
    drives: truth.trips.map(witnessedDrive).filter(({ drive }) => drive.endMs <= untilMs),
    told,
    toleranceMs: toleranceOf(truth, limits.toleranceMs),
  }))
  const known = sides.flatMap(({ drives }) => drives.map(({ drive }) => drive))
  // What had begun before the fleet did, or is not told to its end, is not in the truth.
  const counts = ({ startMs, endMs }: ToldTrip) =>
    (startMs > limits.fromMs + UNDER_WAY_MS && endMs < untilMs) ||
    known.some(drive => startMs < drive.endMs && drive.startMs < endMs)
  return {
    vin,
    kinds: kindsText(dongles),
    comparison: compareCar(sides.map(({ told, ...side }) => ({ ...side, counting: told.filter(counts) }))),
    strays: straysOf(vin, dongles),
  }
}

/** The kind of the second dongle, and that of the other one, which a replacement has, too. */
function kindsText(dongles: readonly TwoSides[]): string {
  const lines = dongles.flatMap(({ truth }) => truth.dongle ?? [])
  const kindsOf = (isSecond: boolean) => lines.filter(line => (line.secondIn !== undefined) === isSecond).map(kindText)
  return [...new Set(kindsOf(false)), ...new Set(kindsOf(true))].sort().join(' + ')
}

function witnessedDrive(line: TripLine['trip']): WitnessedDrive {
  const { start, end, driveStart = start, driveEnd = end, drivenMetres } = line
  const drive = { startMs: Date.parse(driveStart), endMs: Date.parse(driveEnd), distanceM: drivenMetres }
  return { ...toldDrive(line), drive }
}

/** Which dongles are in another vehicle than the rest: no vehicle, or one that has the VIN, can be right. */
function straysOf(vin: string, dongles: readonly TwoSides[]): Stray[] {
  const vehicleIds = new Set(dongles.flatMap(({ told }) => told.map(({ vehicleId }) => vehicleId)))
  if (vehicleIds.size < 2) return []
  const [right] = vehicleIds.has(`VIN${vin}`) ? [`VIN${vin}`] : vehicleIds
  return dongles.flatMap(({ truth, told }) =>
    right !== undefined && told.some(({ vehicleId }) => vehicleId !== right)
      ? [{ deviceId: truth.deviceId, vehicleId: right }]
      : [],
  )
}
