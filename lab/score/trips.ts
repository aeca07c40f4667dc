import type { TripLine } from '../simulate/truth.ts'
import type { DongleTruth } from './known-truth.ts'

export interface DeviceComparison<Trip extends FoundTrip = FoundTrip> {
  /** Drives that had to be found, and trips that count: all but those of drives that need not be found. */
  readonly expected: number
  readonly found: number
  readonly matches: readonly Match<ExpectedTrip, Trip>[]
  readonly spared: readonly Match<ExpectedTrip, Trip>[]
  readonly missed: readonly ExpectedTrip[]
  readonly invented: readonly Trip[]
}

export function compareDevice<Trip extends FoundTrip>(
  drives: readonly ExpectedTrip[],
  found: readonly Trip[],
  toleranceMs: number,
): DeviceComparison<Trip> {
  const expected = joinedAsFound(drives, found)
  const all = matchesOf(expected, found, toleranceMs)
  const matches = all.filter(match => isNeeded(match.expected))
  const needed = expected.filter(isNeeded)
  const matchedDrives = new Set(all.map(match => match.expected))
  const matchedTrips = new Set(all.map(match => match.found))
  return {
    expected: needed.length,
    found: found.length - (all.length - matches.length),
    matches,
    spared: all.filter(match => !isNeeded(match.expected)),
    missed: needed.filter(drive => !matchedDrives.has(drive)),
    invented: found.filter(trip => !matchedTrips.has(trip)),
  }
}

function isNeeded({ isWitnessed }: ExpectedTrip): boolean {
  return isWitnessed !== false
}

/** Drives are one if a trip was found that leads over the stay between them, which may be none. */
function joinedAsFound(drives: readonly ExpectedTrip[], found: readonly FoundTrip[]): ExpectedTrip[] {
  const joined: ExpectedTrip[] = []
  for (const drive of drives) {
    const before = joined.at(-1)
    const staysMs = drive.startMs - (before?.latestEndMs ?? before?.endMs ?? Number.NEGATIVE_INFINITY)
    const isOneTrip =
      before !== undefined &&
      staysMs < (before.joinsNextBelowMs ?? 0) &&
      found.some(({ startMs, endMs }) => startMs < before.endMs && drive.startMs < endMs)
    if (isOneTrip) joined[joined.length - 1] = both(before, drive)
    else joined.push(drive)
  }
  return joined
}

function both(before: ExpectedTrip, drive: ExpectedTrip): ExpectedTrip {
  return {
    ...drive,
    startMs: before.startMs,
    earliestStartMs: before.earliestStartMs ?? before.startMs,
    distanceM: before.distanceM + drive.distanceM,
    mostM: (before.mostM ?? before.distanceM) + (drive.mostM ?? drive.distanceM),
    isWitnessed: isNeeded(before) || isNeeded(drive),
  }
}

export interface Metres {
  readonly leastM: number
  readonly mostM: number
  readonly foundM: number
}

export function metresOf(drives: readonly ExpectedTrip[], found: readonly FoundTrip[]): Metres {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  return {
    leastM: sum(drives.filter(isNeeded).map(({ distanceM }) => distanceM)),
    mostM: sum(drives.map(mostMetresOf)),
    foundM: sum(found.map(({ distanceM }) => distanceM)),
  }
}

/** By which share the metres found are outside of what is right: negative when there are too few. */
export function shareOff({ leastM, mostM, foundM }: Metres): number {
  if (foundM < leastM) return foundM / leastM - 1
  return foundM > mostM ? foundM / mostM - 1 : 0
}

/** A drive that must be found. Where nobody could tell exactly, there is a range of right answers. */
export interface ExpectedTrip {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
  /** It is as right to find the start as early as this, ... */
  readonly earliestStartMs?: number
  /** ... the end as late as this, ... */
  readonly latestEndMs?: number
  /** ... and a length up to this. */
  readonly mostM?: number
  /** false: it is right to find it, and right not to. */
  readonly isWitnessed?: boolean
  /** It is right to find one trip of this and the next drive, when the stay between them is shorter than this. */
  readonly joinsNextBelowMs?: number
}

export interface FoundTrip {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
}

export interface Match<Drive extends ExpectedTrip = ExpectedTrip, Trip extends FoundTrip = FoundTrip> {
  readonly expected: Drive
  readonly found: Trip
}

export interface Score {
  readonly expected: number
  readonly found: number
  readonly matches: readonly Match[]
  /** The harmonic mean of precision and recall: 1 when each drive was found once and nothing else. */
  readonly f1: number
  /** Of the matched trips: the sum of all errors, whichever their sign, by the sum of the distances. */
  readonly distanceError: number
  readonly medianDistanceError: number
}

export function matchesOf<Drive extends ExpectedTrip, Trip extends FoundTrip>(
  expected: readonly Drive[],
  found: readonly Trip[],
  toleranceMs: number,
): Match<Drive, Trip>[] {
  const free = new Set(found)
  return expected.flatMap(drive => {
    const { startMs, endMs, earliestStartMs = startMs, latestEndMs = endMs } = drive
    const trip = [...free].find(
      item =>
        item.startMs >= earliestStartMs - toleranceMs &&
        item.startMs <= startMs + toleranceMs &&
        item.endMs >= endMs - toleranceMs &&
        item.endMs <= latestEndMs + toleranceMs,
    )
    if (!trip) return []
    free.delete(trip)
    return [{ expected: drive, found: trip }]
  })
}

export function scoreOf(
  devices: readonly { readonly expected: number; readonly found: number; readonly matches: readonly Match[] }[],
): Score {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const matches = devices.flatMap(device => device.matches)
  const expected = sum(devices.map(device => device.expected))
  const found = sum(devices.map(device => device.found))
  const errorsM = matches.map(match => errorM(match))
  const shares = matches.map((match, i) => (errorsM[i] ?? 0) / mostMetresOf(match.expected)).sort((a, b) => a - b)
  return {
    expected,
    found,
    matches,
    f1: (2 * matches.length) / (expected + found),
    distanceError: sum(errorsM) / sum(matches.map(match => match.expected.distanceM)),
    medianDistanceError: shares[Math.floor(shares.length / 2)] ?? Number.NaN,
  }
}

function errorM({ expected, found }: Match): number {
  return Math.max(0, expected.distanceM - found.distanceM, found.distanceM - mostMetresOf(expected))
}

function mostMetresOf({ distanceM, mostM: most = distanceM }: ExpectedTrip): number {
  return most
}

export interface ReportedTrip extends FoundTrip {
  readonly vehicleId: string
}

export interface DriveLimits {
  readonly toleranceMs: number
  /** The begin of the fleet: a drive that had begun before is not in the truth. */
  readonly fromMs: number
}

export interface ToldDrive extends ExpectedTrip {
  readonly vin: string
  readonly faults: readonly string[]
}

export interface ComparedDongle {
  readonly truth: DongleTruth
  readonly drives: readonly ToldDrive[]
  readonly told: readonly ReportedTrip[]
  readonly comparison: DeviceComparison<ReportedTrip>
}

/** A trip that begins so shortly after the fleet did was under way before. */
export const UNDER_WAY_MS = 10 * 60_000

export function compareDongle(
  truth: DongleTruth,
  told: readonly ReportedTrip[],
  { toleranceMs, fromMs }: DriveLimits,
): ComparedDongle {
  const drives = truth.trips.map(toldDrive)
  const ownToleranceMs = toleranceOf(truth, toleranceMs)
  const invented = new Set(compareDevice(drives, told, ownToleranceMs).invented)
  const counted = told.filter(
    trip => !invented.has(trip) || (trip.endMs < truth.allToldMs && trip.startMs > fromMs + UNDER_WAY_MS),
  )
  return { truth, drives, told: counted, comparison: compareDevice(drives, counted, ownToleranceMs) }
}

export function toleranceOf({ dongle }: DongleTruth, toleranceMs: number): number {
  return Math.max(toleranceMs, (dongle?.everyS ?? 0) * 1000)
}

export function toldDrive(line: TripLine['trip']): ToldDrive {
  return {
    vin: line.vin,
    startMs: Date.parse(line.start),
    endMs: Date.parse(line.end),
    distanceM: line.metres,
    ...(line.earliestStart !== undefined && { earliestStartMs: Date.parse(line.earliestStart) }),
    ...(line.latestEnd !== undefined && { latestEndMs: Date.parse(line.latestEnd) }),
    ...(line.mostMetres !== undefined && { mostM: line.mostMetres }),
    ...(line.joinsNextBelowMs !== undefined && { joinsNextBelowMs: line.joinsNextBelowMs }),
    isWitnessed: line.isSure !== false,
    faults: line.faults ?? [],
  }
}

/** The last drive that had begun when a trip did, or the first one. */
export function ownerOf({ startMs }: FoundTrip, drives: readonly ToldDrive[]): ToldDrive | undefined {
  const begun = drives.filter(drive => (drive.earliestStartMs ?? drive.startMs) <= startMs + OWNED_BEFORE_MS)
  return (
    begun.reduce<ToldDrive | undefined>(
      (last, drive) => (last === undefined || drive.startMs > last.startMs ? drive : last),
      undefined,
    ) ?? drives[0]
  )
}

const OWNED_BEFORE_MS = 60_000
