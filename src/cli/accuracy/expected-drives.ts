import { type Dongle, sensesIgnition } from '../../simulation/dongle.ts'
import { motionAt } from '../../simulation/drive-plan.ts'
import type { Recording } from '../../simulation/recording.ts'
import type { TrueTrip } from '../../simulation/truth.ts'
import type { ExpectedTrip } from '../score/trip-score.ts'
import { Witness } from './witness.ts'

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

/** What must be found in a recording, by decisions.md, *Trips*. */
export function expectedDrives(recording: Recording): ExpectedDrive[] {
  const { dongle, truth } = recording
  const witness = new Witness(recording)
  if (truth.stints.every(({ schedule }) => sensesIgnition(dongle, schedule.car)))
    return truth.trips.map(trip => expectedByIgnition(trip, witness))
  if (!knowsWay(dongle)) return truth.trips.flatMap(trip => expectedBySpeed(trip, witness))
  const drives = truth.trips.map(trip => expectedByMotion(trip, witness))
  return dongle.awareness === 'wired ignition' ? mergedOverShortStays(drives) : drives
}

/** Whether fixes or the odometer tell what was driven between two records. */
function knowsWay({ silentAbout }: Dongle): boolean {
  return !silentAbout.has('POSITION') || !silentAbout.has('MILEAGE')
}

function between(
  { drive }: TrueTrip,
  startMs: number,
  endMs: number,
  latestEndMs: number,
): Omit<ExpectedDrive, 'isWitnessed'> {
  const metresAt = (timeMs: number) => motionAt(drive.plan, timeMs - drive.startMs).metres
  return {
    startMs,
    endMs,
    latestEndMs,
    distanceM: metresAt(endMs) - metresAt(startMs),
    mostM: metresAt(latestEndMs) - metresAt(startMs),
  }
}

/**
 * From ignition on to ignition off, which the dongle tells. When it is silent up to that moment for longer than silence
 * may last, the trip may also end where the silence begins.
 */
function expectedByIgnition(trip: TrueTrip, witness: Witness): ExpectedDrive {
  const { startMs, endMs, drive } = trip
  const untilEnd = witness.silences(startMs, endMs - 1).find(({ toMs }) => toMs >= endMs)
  const earliestEndMs = untilEnd?.fromMs ?? endMs
  const isWhole = endMs === drive.endMs
  const isWitnessed = earliestEndMs > startMs && witness.seesMotion(startMs, endMs, isWhole)
  return { ...between(trip, startMs, earliestEndMs, endMs), isWitnessed }
}

/**
 * From the first to the last motion: nobody who has no word on the ignition can know that a driver waits before the
 * first metre, and after the last. When the dongle fell silent and is heard again soon, it drove on in some of that time.
 */
function expectedByMotion(trip: TrueTrip, witness: Witness): ExpectedDrive {
  const { movesFromMs, movesUntilMs, endMs, drive } = trip
  const atEnd = witness.silences(movesFromMs, endMs).find(({ toMs }) => toMs > movesUntilMs)
  const earliestEndMs = Math.min(atEnd?.fromMs ?? movesUntilMs, movesUntilMs)
  const latestEndMs = atEnd?.isBridgeable ? atEnd.toMs : movesUntilMs
  const isWitnessed = witness.seesMotion(movesFromMs, movesUntilMs, endMs === drive.endMs)
  return { ...between(trip, movesFromMs, earliestEndMs, latestEndMs), isWitnessed }
}

/**
 * As by motion. But without fixes and odometer nothing tells what was driven in a silence, which cuts the trip, nor
 * after the last record.
 */
function expectedBySpeed(trip: TrueTrip, witness: Witness): ExpectedDrive[] {
  const { movesFromMs, movesUntilMs } = trip
  const silences = witness.silences(movesFromMs, movesUntilMs)
  const starts = [movesFromMs, ...silences.map(({ toMs }) => toMs)].filter(startMs => startMs <= movesUntilMs)
  return starts.map((startMs, i) => {
    const untilMs = silences[i]?.fromMs ?? movesUntilMs
    const lastWordMs = witness.within(startMs, untilMs).at(-1)?.timeMs ?? startMs
    // Where it is cut, one record alone is no trip.
    const isWitnessed = lastWordMs > startMs && witness.seesMotion(startMs, untilMs, false)
    return { ...between(trip, startMs, lastWordMs, untilMs), isWitnessed }
  })
}

/** decisions.md, *Trips*: with ignition on, the car must stand for so long before a trip ends. */
const STANDS_WITH_IGNITION_MS = 60 * 60_000

/** Whose ignition is on for ever can not be told from a driver who waits in the car. */
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
