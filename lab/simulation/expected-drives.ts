import { type Dongle, sensesIgnition } from './dongle.ts'
import { type Drive, motionAt } from './drive-plan.ts'
import { edgesOf, LONGEST_BRIDGE_MS, Witness } from './observable.ts'
import type { Recording, TrueTrip } from './recording.ts'

/**
 * A drive as far as its dongle could witness it. Where nobody can tell from what the dongle sent, it is right to find
 * the start anywhere from `earliestStartMs` to `startMs`, the end from `endMs` to `latestEndMs`, and a length from
 * `distanceM` to `mostM`.
 */
export interface ExpectedDrive {
  readonly drive: Drive
  readonly earliestStartMs: number
  readonly startMs: number
  readonly endMs: number
  readonly latestEndMs: number
  readonly distanceM: number
  readonly mostM: number
  readonly isWitnessed: boolean
  /** It is right to find one trip of this and the next drive when the car stands for less between them. */
  readonly joinsNextBelowMs: number
}

export function expectedDrives(recording: Recording): ExpectedDrive[] {
  const { dongle, truth } = recording
  const witness = new Witness(recording)
  if (truth.stints.every(({ schedule }) => sensesIgnition(dongle, schedule.car)))
    return truth.trips.map(trip => expectedByIgnition(trip, witness))
  if (!knowsWay(dongle)) return truth.trips.flatMap(trip => expectedBySpeed(trip, witness))
  return truth.trips.map((trip, i) => {
    const [before, next] = [truth.trips[i - 1], truth.trips[i + 1]]
    const expected = joinedOverHiddenStay(expectedByMotion(trip, before, next, recording, witness), next, witness)
    if (dongle.awareness !== 'wired ignition') return expected
    // As before the first drive it is when the dongle was pulled out and plugged in again, or dead, in between.
    const isFirst = before === undefined || witness.silences(before.endMs, trip.startMs).length > 0
    return withIgnitionOn(expected, isFirst, next === undefined ? witness.lastMs : expected.latestEndMs)
  })
}

/** A drive of which nothing is hidden from a dongle that senses the ignition, or that feels motion. */
export function expectedWhole(
  { drive, startMs, endMs, movesFromMs, movesUntilMs }: TrueTrip,
  isByIgnition: boolean,
): ExpectedDrive {
  return isByIgnition ? between(drive, startMs, endMs, endMs) : between(drive, movesFromMs, movesUntilMs, movesUntilMs)
}

function knowsWay({ silentAbout }: Dongle): boolean {
  return !silentAbout.has('POSITION') || !silentAbout.has('MILEAGE')
}

/** The dongle reports both ends; after too long a silence up to the end, the trip may also end where that begins. */
function expectedByIgnition(trip: TrueTrip, witness: Witness): ExpectedDrive {
  const { startMs, endMs, drive } = trip
  const untilEnd = witness.silences(startMs, endMs - 1).find(({ toMs }) => toMs >= endMs)
  const expected = between(drive, startMs, untilEnd?.fromMs ?? endMs, endMs)
  const isWitnessed = isTrip(expected) && witness.seesMotion(startMs, endMs, endMs === drive.endMs)
  return { ...expected, earliestStartMs: witness.misdatedBefore(startMs, endMs) ?? startMs, isWitnessed }
}

/**
 * From the first to the last motion: nobody who has no word on the ignition can know that a driver waits before the
 * first metre, and after the last. When the dongle fell silent and is heard again soon, it drove on in some of that time.
 * Where false or missing fixes hide the begin or the end, they may be anywhere between what is told around them.
 */
function expectedByMotion(
  trip: TrueTrip,
  before: TrueTrip | undefined,
  next: TrueTrip | undefined,
  { dongle }: Recording,
  witness: Witness,
): ExpectedDrive {
  const { movesFromMs, movesUntilMs, endMs, drive } = trip
  const around = { fromMs: before?.movesUntilMs, toMs: next?.movesFromMs }
  const edges = edgesOf(trip, around, dongle, witness)
  const atEnd = witness.silences(movesFromMs, endMs).find(({ toMs }) => toMs > movesUntilMs)
  const earliestEndMs = Math.min(atEnd?.fromMs ?? movesUntilMs, edges.endMs)
  const latestEndMs = Math.max(atEnd?.isBridgeable ? atEnd.toMs : movesUntilMs, edges.latestEndMs)
  const known = between(drive, edges.startMs, earliestEndMs, latestEndMs)
  const mostM = between(drive, edges.earliestStartMs, latestEndMs, latestEndMs).distanceM
  const heard = between(drive, movesFromMs, Math.min(atEnd?.fromMs ?? movesUntilMs, movesUntilMs), movesUntilMs)
  const isWitnessed =
    isTrip(heard) &&
    edges.isShown &&
    witness.seesMotion(movesFromMs, movesUntilMs, endMs === drive.endMs) &&
    !witness.mayBeTow(movesFromMs, movesUntilMs)
  return { ...known, earliestStartMs: edges.earliestStartMs, mostM, isWitnessed }
}

function joinedOverHiddenStay(drive: ExpectedDrive, next: TrueTrip | undefined, witness: Witness): ExpectedDrive {
  if (!next || witness.words(drive.latestEndMs, next.movesFromMs).some(({ timeMs }) => timeMs > drive.latestEndMs))
    return drive
  return { ...drive, joinsNextBelowMs: LONGEST_BRIDGE_MS }
}

/** By motion; without fixes and odometer nothing shows what was driven in a silence, or before the first speed. */
function expectedBySpeed({ drive, movesFromMs, movesUntilMs }: TrueTrip, witness: Witness): ExpectedDrive[] {
  const silences = witness.silences(movesFromMs, movesUntilMs)
  const starts = [movesFromMs, ...silences.map(({ toMs }) => toMs)].filter(startMs => startMs <= movesUntilMs)
  return starts.map((startMs, i) => {
    const untilMs = silences[i]?.fromMs ?? movesUntilMs
    const records = witness.words(startMs, untilMs).filter(({ showsMotion }) => showsMotion)
    const firstWordMs = records[0]?.timeMs ?? startMs
    const lastWordMs = records.at(-1)?.timeMs ?? startMs
    const known = between(drive, firstWordMs, lastWordMs, lastWordMs)
    const isWitnessed = isTrip(known) && witness.seesMotion(startMs, untilMs, false)
    const widest = between(drive, startMs, lastWordMs, untilMs)
    return { ...widest, startMs: firstWordMs, distanceM: known.distanceM, isWitnessed }
  })
}

/** decisions.md, *Trips*: with ignition on, the car must stand for so long before a trip ends. */
const STANDS_WITH_IGNITION_MS = 60 * 60_000

/** An ignition that is on for ever cannot be told at once from a driver who waits in the car. */
function withIgnitionOn(drive: ExpectedDrive, isFirst: boolean, heardUntilMs: number): ExpectedDrive {
  const waitsUntilMs = Math.min(heardUntilMs, drive.latestEndMs + STANDS_WITH_IGNITION_MS)
  return {
    ...drive,
    latestEndMs: Math.max(drive.latestEndMs, waitsUntilMs),
    joinsNextBelowMs: STANDS_WITH_IGNITION_MS,
    earliestStartMs: Math.min(drive.earliestStartMs, drive.startMs - (isFirst ? STANDS_WITH_IGNITION_MS : 0)),
  }
}

/** decisions.md, *Trips*: what is shorter than both is no trip; and what is little longer cannot be told from it. */
const SHORTEST_MS = 30_000
const SHORTEST_M = 150

function isTrip({ startMs, endMs, distanceM }: ExpectedDrive): boolean {
  return endMs - startMs >= SHORTEST_MS || distanceM >= SHORTEST_M
}

function between(drive: Drive, startMs: number, endMs: number, latestEndMs: number): ExpectedDrive {
  const metresAt = (timeMs: number) => motionAt(drive.plan, timeMs - drive.startMs).metres
  return {
    drive,
    earliestStartMs: startMs,
    startMs,
    endMs,
    latestEndMs,
    distanceM: Math.max(0, metresAt(endMs) - metresAt(startMs)),
    mostM: metresAt(latestEndMs) - metresAt(startMs),
    isWitnessed: true,
    joinsNextBelowMs: 0,
  }
}
