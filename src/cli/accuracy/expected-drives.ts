import type { Position } from '../../intake/sample.ts'
import { positionOf } from '../../simulation/disturbances/gps-noise.ts'
import type { DongleKind } from '../../simulation/dongle.ts'
import { sensesIgnition } from '../../simulation/dongle.ts'
import { motionAt } from '../../simulation/drive-plan.ts'
import { wayBetween } from '../../simulation/ground.ts'
import type { Reading } from '../../simulation/readings.ts'
import type { Recording } from '../../simulation/recording.ts'
import type { TrueTrip } from '../../simulation/truth.ts'
import type { ExpectedTrip } from '../score/trip-score.ts'

/**
 * A drive as far as its dongle could witness it. Where nobody can tell from what the dongle sent, it is right to find
 * the end anywhere from `endMs` to `latestEndMs`, and a length from `distanceM` to `mostM`.
 */
export interface ExpectedDrive extends ExpectedTrip {
  readonly latestEndMs: number
  readonly mostM: number
  /** What the dongle sent shows that the car was driven. If not, it is right to find it, and right not to. */
  readonly isWitnessed: boolean
}

/** What must be found in a recording. */
export function expectedDrives(
  recording: Recording,
  kind: Pick<DongleKind, 'awareness' | 'tellsOnly'>,
): ExpectedDrive[] {
  const { dongle, truth } = recording
  const witness = new Witness(recording)
  if (truth.stints.every(({ schedule }) => sensesIgnition(dongle, schedule.car)))
    return truth.trips.map(trip => ({ ...rangeOf(trip, trip.endMs, trip.endMs), isWitnessed: true }))
  const drives = truth.trips.map(trip => expectedByMotion(trip, recording, witness))
  return kind.awareness === 'wired ignition' ? mergedOverShortStays(drives) : drives
}

function rangeOf(
  trip: TrueTrip,
  endMs: number,
  latestEndMs: number,
  startMs = trip.startMs,
): Omit<ExpectedDrive, 'isWitnessed'> {
  const metresAt = (timeMs: number) => motionAt(trip.drive.plan, timeMs - trip.drive.startMs).metres
  return {
    startMs,
    endMs,
    latestEndMs,
    distanceM: metresAt(endMs) - metresAt(startMs),
    mostM: metresAt(latestEndMs) - metresAt(startMs),
  }
}

/** Nobody who has no word on the ignition can know that a driver waits before the first metre, and after the last. */
function expectedByMotion(trip: TrueTrip, { dongle }: Recording, witness: Witness): ExpectedDrive {
  const { movesFromMs, movesUntilMs, drive } = trip
  const isWitnessed = witness.sees(trip)
  const knowsWay = !dongle.silentAbout.has('POSITION') || !dongle.silentAbout.has('MILEAGE')
  // Without fixes and odometer, nothing tells what was driven after the last record of speed.
  const knownUntilMs = knowsWay ? movesUntilMs : Math.min(movesUntilMs, witness.lastOf(drive)?.timeMs ?? movesUntilMs)
  const heardAgainMs = trip.endMs < drive.endMs ? witness.firstAfter(drive.endMs)?.timeMs : undefined
  const isBridgeable = heardAgainMs !== undefined && heardAgainMs - trip.endMs <= LONGEST_BRIDGE_MS && knowsWay
  return { ...rangeOf(trip, knownUntilMs, isBridgeable ? heardAgainMs : movesUntilMs, movesFromMs), isWitnessed }
}

/** decisions.md, *Trips*: a longer silence is bridged when displacement shows that the car drove on. */
const LONGEST_BRIDGE_MS = 30 * 60_000

/** decisions.md, *Trips*: with ignition on, the car must stand for so long before a trip ends. */
const STANDS_WITH_IGNITION_MS = 60 * 60_000

/** Who always says that the ignition is on can not be told from a driver who waits in the car. */
function mergedOverShortStays(drives: readonly ExpectedDrive[]): ExpectedDrive[] {
  const merged: ExpectedDrive[] = []
  for (const drive of drives) {
    const before = merged.at(-1)
    if (!before || drive.startMs - before.latestEndMs >= STANDS_WITH_IGNITION_MS) merged.push(drive)
    else
      merged[merged.length - 1] = {
        startMs: before.startMs,
        endMs: drive.endMs,
        latestEndMs: drive.latestEndMs,
        distanceM: before.distanceM + drive.distanceM,
        mostM: before.mostM + drive.mostM,
        isWitnessed: before.isWitnessed || drive.isWitnessed,
      }
  }
  return merged
}

/** decisions.md, *Trips*: what is motion. */
const MOTION_KMH = 5
const DISPLACEMENT_M = 100

/** What the records of a dongle show. */
class Witness {
  readonly #readings: readonly Reading[]
  constructor({ readings }: Recording) {
    this.#readings = readings.filter(({ timeMs, takenMs }) => timeMs === takenMs)
  }

  lastOf(drive: TrueTrip['drive']): Reading | undefined {
    return this.#readings.findLast(reading => reading.drive === drive)
  }

  firstAfter(timeMs: number): Reading | undefined {
    return this.#readings.find(reading => reading.timeMs > timeMs)
  }

  /** Whether any of them, or two of them together, show that the car was driven. */
  sees({ startMs, endMs }: TrueTrip): boolean {
    const before = this.#readings.findLastIndex(({ timeMs }) => timeMs <= startMs)
    const after = this.#readings.findIndex(({ timeMs }) => timeMs >= endMs)
    const around = this.#readings.slice(Math.max(0, before), after < 0 ? undefined : after + 1)
    return around.some(showsMotion) || metersMoved(around) || fixesMoved(around)
  }
}

const SPEEDS = ['VEHICLE_SPEED_AVERAGE', 'GPS_SPEED'] as const

function showsMotion({ events }: Reading): boolean {
  return SPEEDS.some(type => Number(events.get(type) ?? 0) > MOTION_KMH) || events.get('ENGINE_STATE') === true
}

function metersMoved(readings: readonly Reading[]): boolean {
  const km = readings.flatMap(({ events }) => (events.has('MILEAGE') ? [Number(events.get('MILEAGE'))] : []))
  return ((km.at(-1) ?? 0) - (km[0] ?? 0)) * 1000 >= DISPLACEMENT_M
}

/** Fixes nearer to each other in time are no better at telling motion. */
const APART_MS = 30_000
/** A fix is compared with so many before it. */
const COMPARED_FIXES = 4

function fixesMoved(readings: readonly Reading[]): boolean {
  const fixes: { timeMs: number; position: Position }[] = []
  for (const reading of readings) {
    const position = positionOf(reading)
    const sinceMs = reading.timeMs - (fixes.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY)
    if (position && sinceMs >= APART_MS) fixes.push({ timeMs: reading.timeMs, position })
  }
  return fixes.some(({ timeMs, position }, i) =>
    fixes.slice(Math.max(0, i - COMPARED_FIXES), i).some(from => {
      const { eastM, northM } = wayBetween(from.position, position)
      const metres = Math.hypot(eastM, northM)
      return metres >= DISPLACEMENT_M && (metres / (timeMs - from.timeMs)) * 3600 > MOTION_KMH
    }),
  )
}
