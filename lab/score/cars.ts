import type { DongleLine, TripLine } from '../simulate/truth.ts'
import { type DongleTruth, type KnownTruth, sharedVins } from './known-truth.ts'
import {
  type ComparedDongle,
  compareDevice,
  compareDongle,
  type DeviceComparison,
  type DriveLimits,
  type ExpectedTrip,
  type FoundTrip,
  type Match,
  type Metres,
  metresOf,
  ownerOf,
  type ReportedTrip,
  type Score,
  scoreOf,
  shareOff,
  type ToldDrive,
  toldDrive,
  toleranceOf,
  UNDER_WAY_MS,
} from './trips.ts'

interface WholeDrive {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
}

interface WitnessedDrive extends ExpectedTrip {
  readonly drive: WholeDrive
}

export interface DongleInCar<Trip extends FoundTrip> {
  readonly drives: readonly WitnessedDrive[]
  /** Trips that count: of those that overlap, one. */
  readonly counting: readonly Trip[]
  readonly toleranceMs: number
}

interface CarComparison<Trip extends FoundTrip> extends Pick<DeviceComparison<Trip>, 'expected' | 'found' | 'matches'> {
  readonly drives: readonly WholeDrive[]
  readonly metres: Metres
}

/**
 * A trip that counts is right if it is one that its dongle had to find; a second one of the same drive is wrong. A drive is missed if
 * one of the dongles had to find it, and no trip that counts tells of it.
 */
export function compareCar<Trip extends FoundTrip>(dongles: readonly DongleInCar<Trip>[]): CarComparison<Trip> {
  const drives = witnessedByAny(dongles)
  const found = new Set<WholeDrive>()
  const matches: Match<ExpectedTrip, Trip>[] = []
  let wrong = 0
  for (const { drives: expected, counting, toleranceMs } of dongles) {
    const comparison = compareDevice(expected, counting, toleranceMs)
    const matchOf = new Map([...comparison.matches, ...comparison.spared].map(match => [match.found, match]))
    for (const trip of counting) {
      const driven = drives.filter(({ startMs, endMs }) => trip.startMs < endMs && startMs < trip.endMs)
      const match = matchOf.get(trip)
      const isRepeated = driven.length > 0 && driven.every(drive => found.has(drive))
      if (!match || isRepeated) wrong++
      else if (driven.length > 0) matches.push(match)
      if (match) for (const drive of driven) found.add(drive)
    }
  }
  const sumM = (items: readonly { readonly distanceM: number }[]) =>
    items.reduce((sum, { distanceM }) => sum + distanceM, 0)
  const drivenM = sumM(drives)
  return {
    drives,
    expected: matches.length + drives.length - found.size,
    found: matches.length + wrong,
    matches,
    metres: { leastM: drivenM, mostM: drivenM, foundM: sumM(dongles.flatMap(({ counting }) => counting)) },
  }
}

function witnessedByAny(dongles: readonly DongleInCar<FoundTrip>[]): WholeDrive[] {
  const byStart = new Map<number, WholeDrive>()
  for (const { drives } of dongles)
    for (const { drive, isWitnessed } of drives) if (isWitnessed !== false) byStart.set(drive.startMs, drive)
  return [...byStart.values()]
}

export interface GroupScore extends Pick<Score, 'expected' | 'found' | 'f1' | 'medianDistanceError'> {
  /** A kind of dongle and its interval, those of two in one car, or a fault. */
  readonly name: string
  readonly matched: number
  /** All trips against all drives; negative when too little was told. */
  readonly kilometreError: number
}

export function groupsByDongle(dongles: readonly ComparedDongle[]): GroupScore[] {
  const known = dongles.filter(({ drives, told }) => drives.length > 0 || told.length > 0)
  return grouped(known, ({ truth: { dongle } }) => dongle && kindText(dongle), wholeOf)
}

function kindText({ kind, everyS }: Pick<DongleLine['dongle'], 'kind' | 'everyS'>): string {
  return `${kind}, every ${everyS} s`
}

function groupsOfSharedCars(cars: readonly SharedCar[]): GroupScore[] {
  return grouped(
    cars,
    ({ kinds }) => kinds,
    ({ comparison }) => ({ comparison, metres: comparison.metres }),
  )
}

function grouped<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string | undefined,
  partOfGroup: (item: Item) => Part,
): GroupScore[] {
  const groups = new Map<string, Part[]>()
  for (const item of items) {
    const name = nameOf(item)
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), partOfGroup(item)])
  }
  return [...groups].sort(byName).map(([name, parts]) => groupScore(name, parts))
}

/** A drive counts in the group of each fault that hit it; a trip that nobody drove belongs to the drive before it. */
export function groupsByFault(dongles: readonly ComparedDongle[]): GroupScore[] {
  const names = new Set(dongles.flatMap(({ drives }) => drives.flatMap(({ faults }) => faults)))
  return [...names].sort().map(name => {
    const parts = dongles.map(compared => comparedPart(compared, ({ faults }) => faults.includes(name)))
    return groupScore(name, parts)
  })
}

interface Part {
  readonly comparison: Pick<DeviceComparison<ReportedTrip>, 'expected' | 'found' | 'matches'>
  readonly metres: Metres
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

function wholeOf({ comparison, drives, told }: ComparedDongle): Part {
  return { comparison, metres: metresOf(drives, told) }
}

function comparedPart({ comparison, drives, told }: ComparedDongle, isMeant: (drive: ToldDrive) => boolean): Part {
  const isOwned = (trip: { readonly startMs: number; readonly endMs: number; readonly distanceM: number }) => {
    const owner = ownerOf(trip, drives)
    return owner !== undefined && isMeant(owner)
  }
  const matches = comparison.matches.filter(({ expected }) => isOwned(expected))
  return {
    comparison: {
      expected: matches.length + comparison.missed.filter(isOwned).length,
      found: matches.length + comparison.invented.filter(isOwned).length,
      matches,
    },
    metres: metresOf(drives.filter(isMeant), told.filter(isOwned)),
  }
}

function groupScore(name: string, parts: readonly Part[]): GroupScore {
  const { expected, found, f1, medianDistanceError, matches } = scoreOf(parts.map(({ comparison }) => comparison))
  const sum = (of: keyof Metres) => parts.reduce((total, { metres }) => total + metres[of], 0)
  const metres = { leastM: sum('leastM'), mostM: sum('mostM'), foundM: sum('foundM') }
  return { name, expected, found, matched: matches.length, f1, medianDistanceError, kilometreError: shareOff(metres) }
}

interface TwoSides {
  readonly truth: DongleTruth
  readonly told: readonly ReportedTrip[]
}

interface SharedCar {
  readonly vin: string
  readonly kinds: string
  readonly comparison: CarComparison<ReportedTrip>
  /** The service takes its dongles for those of several cars; which is the vehicle of the other trips of each. */
  readonly strays: readonly Stray[]
}

interface Stray {
  readonly deviceId: number
  readonly vehicleId: string
}

/** The cars that two dongles share, and of each dongle what is left: what it did elsewhere. */
function sharedCars(
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
  const counts = ({ startMs, endMs }: ReportedTrip) =>
    (startMs > limits.fromMs + UNDER_WAY_MS && endMs < untilMs) ||
    known.some(drive => startMs < drive.endMs && drive.startMs < endMs)
  return {
    vin,
    kinds: kindsText(dongles),
    comparison: compareCar(sides.map(({ told, ...side }) => ({ ...side, counting: told.filter(counts) }))),
    strays: straysOf(vin, dongles),
  }
}

function kindsText(dongles: readonly TwoSides[]): string {
  const lines = dongles.flatMap(({ truth }) => truth.dongle ?? [])
  const kindsOf = (isSecond: boolean) => lines.filter(line => (line.secondIn !== undefined) === isSecond).map(kindText)
  return [...new Set(kindsOf(false)), ...new Set(kindsOf(true))].sort().join(' + ')
}

function witnessedDrive(line: TripLine['trip']): WitnessedDrive {
  const { driveStart, driveEnd, drivenMetres } = line
  const drive = { startMs: Date.parse(driveStart), endMs: Date.parse(driveEnd), distanceM: drivenMetres }
  return { ...toldDrive(line), drive }
}

/** Dongles in another vehicle than the rest: no vehicle, or one that has the VIN, can be right. */
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

export interface Cars {
  vinOf(vehicleId: string): string | undefined
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

interface CarMetres {
  readonly vin: string
  readonly drivenM: number
  readonly toldM: number
}

export interface DriveScore extends Score {
  /** Of the matched ones: how many are in the car that was driven. */
  readonly inRightCar: number
  readonly cars: readonly CarMetres[]
  /** Apart by what the dongle is, and by what went wrong, as far as the truth says it; cars with two dongles have groups of their own. */
  readonly byDongle: readonly GroupScore[]
  readonly byTwoDongles: readonly GroupScore[]
  readonly byFault: readonly GroupScore[]
  /** Dongles that the service does not know to be in the car of another one. */
  readonly strays: SharedCar['strays']
}

export function scoreDrives(devices: readonly TwoSides[], cars: Cars, limits: DriveLimits): DriveScore {
  const { shared, alone } = sharedCars(devices, cars, limits)
  const dongles = alone.map(({ truth, told }) => compareDongle(truth, told, limits))
  const metres = new Map<string, { drivenM: number; toldM: number }>()
  const metresOfCar = (vin: string) => {
    const car = metres.get(vin) ?? { drivenM: 0, toldM: 0 }
    metres.set(vin, car)
    return car
  }
  let inRightCar = 0
  for (const { drives, told, comparison } of dongles) {
    for (const { vin, distanceM } of drives) metresOfCar(vin).drivenM += distanceM
    for (const { vehicleId, distanceM } of told) {
      const vin = cars.vinOf(vehicleId)
      if (vin !== undefined) metresOfCar(vin).toldM += distanceM
    }
    for (const { expected, found } of comparison.matches) {
      const vin = cars.vinOf(found.vehicleId)
      if (vin !== undefined && vin === ownerOf(expected, drives)?.vin) inRightCar++
    }
  }
  for (const { vin, comparison } of shared) {
    metresOfCar(vin).drivenM += comparison.metres.mostM
    metresOfCar(vin).toldM += comparison.metres.foundM
    inRightCar += comparison.matches.filter(({ found }) => cars.vinOf(found.vehicleId) === vin).length
  }
  return {
    ...scoreOf([...dongles, ...shared].map(({ comparison }) => comparison)),
    inRightCar,
    byDongle: groupsByDongle(dongles),
    byTwoDongles: groupsOfSharedCars(shared),
    byFault: groupsByFault(dongles),
    strays: shared.flatMap(({ strays }) => strays),
    cars: [...metres].map(([vin, { drivenM, toldM }]) => ({ vin, drivenM, toldM })),
  }
}
