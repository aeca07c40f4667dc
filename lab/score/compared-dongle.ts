import type { TripLine } from '../simulate/truth.ts'
import type { DongleTruth } from './known-truth.ts'
import { compareDevice, type DeviceComparison, type ExpectedTrip, type FoundTrip } from './trips.ts'

/** A trip that the API tells of. */
export interface ReportedTrip extends FoundTrip {
  readonly vehicleId: string
}

export interface DriveLimits {
  /** How far both ends of a trip may be off, or one interval of a rare reporter if that is longer. */
  readonly toleranceMs: number
  /** When the fleet began: a drive that had begun before is not in the truth. */
  readonly fromMs: number
}

/** A drive as far as its dongle could know, and which car it was. */
export interface ToldDrive extends ExpectedTrip {
  readonly vin: string
  readonly faults: readonly string[]
}

/** The drives of one device against the trips that the API tells of it. */
export interface ComparedDongle {
  readonly truth: DongleTruth
  readonly drives: readonly ToldDrive[]
  /** Trips that count. */
  readonly told: readonly ReportedTrip[]
  readonly comparison: DeviceComparison<ReportedTrip>
}

/** A trip that begins so shortly after the fleet did was under way before. */
export const UNDER_WAY_MS = 10 * 60_000

/** Compares the trips of a device. */
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

/** A trip may begin a little early. */
const OWNED_BEFORE_MS = 60_000
