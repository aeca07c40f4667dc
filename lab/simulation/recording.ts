import { type EventTypeId, type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import { type EventValue, type Position, type Sample, sampleOf } from '../../src/model/sample.ts'
import { type Dongle, type Fault } from './dongle.ts'
import { type Drive, motionAt, type Schedule, speedKmhAt } from './drive-plan.ts'
import { type Reading, readingsBetween } from './readings.ts'
import type { Source } from './reports.ts'
import { situationAt } from './situation.ts'

export interface Recording {
  readonly dongle: Dongle
  readonly readings: readonly Reading[]
  readonly truth: Truth
}

export function record(dongle: Dongle, stints: readonly Stint[]): Recording {
  const readings = stints.flatMap((stint, i) => [
    ...pluggedIn(dongle, stint.fromMs, true),
    ...readingsBetween(stint.schedule, sourceOf(dongle, stint), stint.fromMs, stint.toMs - 1),
    ...(i < stints.length - 1 ? pluggedIn(dongle, stint.toMs, false) : []),
  ])
  const trips = stints.flatMap(({ schedule, fromMs, toMs }) =>
    schedule.drives.filter(({ startMs, endMs }) => startMs > fromMs && endMs < toMs).map(drive => trueTripOf(drive)),
  )
  return { dongle, readings, truth: { trips, stints } }
}

/** The readings as samples, in the order of their stamps. No two of them have the same. */
export function samplesOf({ dongle, readings }: Recording): Sample[] {
  const byTime = new Map(readings.map(reading => [reading.timeMs, reading]))
  return [...byTime.values()].sort((a, b) => a.timeMs - b.timeMs).map(reading => sampleOfReading(dongle, reading))
}

export function sampleOfReading({ deviceId }: Dongle, { timeMs, events }: Reading): Sample {
  return sampleOf(deviceId, timeMs, byId(events))
}

function byId(events: ReadonlyMap<EventTypeName, EventValue>): Map<EventTypeId, EventValue> {
  const values = new Map<EventTypeId, EventValue>()
  for (const [name, value] of events) values.set(requiredEventType(name).id, value)
  return values
}

/** A dongle without a battery notices nothing when it is pulled out or plugged in. */
export function pluggedIn({ silentAbout }: Dongle, timeMs: number, isPluggedIn: boolean): Reading[] {
  if (silentAbout.has('IS_DONGLE_PLUGGED_IN')) return []
  return [{ timeMs, takenMs: timeMs, drive: undefined, events: new Map([['IS_DONGLE_PLUGGED_IN', isPluggedIn]]) }]
}

export function sourceOf(dongle: Dongle, { schedule, faults }: Stint): Source {
  const codes = (kind: Fault['kind'], timeMs: number) =>
    faults
      .filter(
        fault => fault.kind === kind && fault.fromMs <= timeMs && timeMs < (fault.toMs ?? Number.POSITIVE_INFINITY),
      )
      .map(({ code }) => code)
  return {
    car: schedule.car,
    dongle,
    codesAt: timeMs => ({ permanent: codes('permanent', timeMs), sporadic: codes('sporadic', timeMs) }),
  }
}

/** A drive as it was, as far as the dongle could witness it. */
export interface TrueTrip {
  readonly drive: Drive
  /** From ignition on to ignition off, or to the moment from which the dongle tells nothing more. */
  readonly startMs: number
  readonly endMs: number
  /** The first and the last moment above walking pace: all that a dongle can know that only feels motion. */
  readonly movesFromMs: number
  readonly movesUntilMs: number
  readonly distanceM: number
  readonly startPosition: Position
  readonly endPosition: Position
}

/** The time that a dongle spent in one car, and what happened there. */
export interface Stint {
  readonly schedule: Schedule
  readonly faults: readonly Fault[]
  readonly fromMs: number
  readonly toMs: number
}

interface Tow {
  readonly from: Position
  readonly to: Position
  readonly fromMs: number
  readonly toMs: number
}

/** Something that a rule looks for, as it really was. */
export interface Happened {
  readonly kind: RuleKindName
  readonly fromMs: number
  readonly toMs: number
}

interface Truth {
  readonly trips: readonly TrueTrip[]
  readonly stints: readonly Stint[]
  /** Straight ways on which it was carried though nobody drove it. */
  readonly tows?: readonly Tow[]
  readonly happened?: readonly Happened[]
}

const WALKING_KMH = 5
const LOOK_EVERY_MS = 500

/** The part of a drive between two instants, all of it unless told otherwise. */
export function trueTripOf(drive: Drive, startMs = drive.startMs, endMs = drive.endMs): TrueTrip {
  const at = (timeMs: number) => motionAt(drive.plan, timeMs - drive.startMs)
  const moves = (timeMs: number) => speedKmhAt(drive.plan, timeMs - drive.startMs) > WALKING_KMH
  let movesFromMs = startMs
  while (movesFromMs <= endMs && !moves(movesFromMs)) movesFromMs += LOOK_EVERY_MS
  let movesUntilMs = startMs + Math.floor((endMs - startMs) / LOOK_EVERY_MS) * LOOK_EVERY_MS
  while (movesUntilMs > movesFromMs && !moves(movesUntilMs)) movesUntilMs -= LOOK_EVERY_MS
  const everMoves = movesFromMs <= endMs
  return {
    drive,
    startMs,
    endMs,
    movesFromMs: everMoves ? movesFromMs : startMs,
    movesUntilMs: everMoves ? movesUntilMs : startMs,
    distanceM: at(endMs).metres - at(startMs).metres,
    startPosition: at(startMs).position,
    endPosition: at(endMs).position,
  }
}

export function odometerM({ schedule }: Stint, timeMs: number): number {
  return situationAt(schedule, timeMs).odometerM
}
