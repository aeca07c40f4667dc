import type { EventTypeName } from '../../src/catalogue/event-types.ts'
import type { EventValue } from '../../src/model/sample.ts'
import { diceOf } from './chance.ts'
import {
  type Disturbance,
  isWithin,
  type Occurrence,
  type Span,
  stretchesOfDrives,
} from './disturbances/disturbance.ts'
import { awakeWhileParked, stretchesOfStays, towing } from './disturbances/parked-cars.ts'
import { sensesIgnition } from './dongle.ts'
import { type Reading } from './readings.ts'
import type { Happened, Recording } from './recording.ts'

/*
 * What fleets want to be told, and what does not follow from how cars are driven. Each changes the readings as the event would, and
 * tells the truth about it.
 */

const MINUTE_MS = 60_000

function engineLeftRunning(occurrence: Occurrence): Disturbance {
  const running = {
    IS_IGNITION_ON: true,
    ENGINE_STATE: true,
    ENGINE_RPM_AVERAGE: 820,
    VEHICLE_SPEED_AVERAGE: 0,
    VEHICLE_SPEED_MAX: 0,
    VEHICLE_SPEED_MIN: 0,
    BATTERY_VOLTAGE: 14.1,
  }
  const awake = awakeWhileParked(
    occurrence,
    () => true,
    () => () => running,
  )
  return (recording, seed) =>
    recording.truth.stints.every(({ schedule }) => sensesIgnition(recording.dongle, schedule.car))
      ? withHappened(awake(recording, seed), 'IDLING', stretchesOfStays(recording, occurrence, seed))
      : recording
}

const BOILING_C = 123

function overheating(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const spans = stretchesOfDrives(recording, occurrence, seed)
    const readings = recording.readings.map(reading =>
      isWithin(spans, reading.timeMs) && reading.events.has('ENGINE_COOLANT_TEMPERATURE')
        ? withValue(recording, reading, 'ENGINE_COOLANT_TEMPERATURE', BOILING_C)
        : reading,
    )
    return withHappened({ ...recording, readings }, 'ENGINE_HOT', spans)
  }
}

/** The dongle feels something in one record of a drive. */
function felt(
  kind: 'CRASH' | 'HARSH_BRAKING',
  type: 'SEVERE_CRASH' | 'HARSH_BRAKING',
  mps2: number,
  share: number,
): Disturbance {
  return (recording, seed) => {
    const spans = stretchesOfDrives(recording, { share, leastMs: MINUTE_MS, mostMs: MINUTE_MS }, seed)
    const hit = spans.flatMap(span => recording.readings.find(({ timeMs }) => isWithin([span], timeMs)) ?? [])
    const readings = recording.readings.map(reading =>
      hit.includes(reading) ? withValue(recording, reading, type, mps2) : reading,
    )
    const moments = hit.map(({ timeMs }) => ({ fromMs: timeMs, toMs: timeMs }))
    return withHappened({ ...recording, readings }, kind, moments)
  }
}

/** Everything. @param rate 1: far more often than in reality; 0.1: a tenth of that */
export function happenings(rate: number): readonly Disturbance[] {
  return [
    engineLeftRunning({ share: 0.25 * rate, leastMs: 8 * MINUTE_MS, mostMs: 40 * MINUTE_MS }),
    overheating({ share: 0.25 * rate, leastMs: 3 * MINUTE_MS, mostMs: 8 * MINUTE_MS }),
    felt('CRASH', 'SEVERE_CRASH', 47.5, 0.1 * rate),
    felt('HARSH_BRAKING', 'HARSH_BRAKING', 5.2, 0.3 * rate),
    towing({ share: 0.25 * rate }),
  ]
}

/*
 * What leaves parked cars: fuel and charge. Whatever else happens to the dongle, its sensors show it, so it is worked out from an
 * undisturbed recording and comes into another one last.
 */

const HOUR_MS = 60 * MINUTE_MS
const THEFTS: Occurrence = { share: 0.5, leastMs: 10 * MINUTE_MS, mostMs: 20 * MINUTE_MS }
const LIGHTS: Occurrence = { share: 0.3, leastMs: 90 * MINUTE_MS, mostMs: 9 * HOUR_MS }
/** Nobody steals the rest. */
const LEAST_PERCENT = 4
/** Nothing but filling the tank makes the level rise by so much. */
const FILLED_PERCENT = 8

interface Theft {
  readonly fromMs: number
  readonly untilMs: number
  readonly percent: number
}

interface Drained {
  readonly thefts: readonly Theft[]
  readonly lights: readonly Span[]
}

export function drainedIn(recording: Recording, seed: number, rate: number): Drained {
  const often = (occurrence: Occurrence) => ({ ...occurrence, share: occurrence.share * rate })
  const { truth, dongle } = recording
  const lights = stretchesOfStays(recording, often(LIGHTS), seed + 1)
  if (dongle.silentAbout.has('FUEL_LEVEL_PERCENT')) return { thefts: [], lights }
  const thefts: Theft[] = []
  for (const { fromMs } of stretchesOfStays(recording, often(THEFTS), seed)) {
    const schedule = truth.stints.findLast(stint => stint.fromMs <= fromMs)?.schedule
    if (!schedule || schedule.car.engine === 'electric') continue
    const percent = Math.round(diceOf(seed, fromMs / 1000).between(12, 25))
    const untilMs = filledAfterMs(recording, fromMs)
    const left = leastLevel(recording, fromMs, untilMs)
    const isStolen = thefts.some(theft => theft.fromMs <= fromMs && fromMs < theft.untilMs)
    if (!isStolen && left - percent >= LEAST_PERCENT) thefts.push({ fromMs, untilMs, percent })
  }
  return { thefts, lights }
}

function leastLevel({ readings }: Recording, fromMs: number, untilMs: number): number {
  const levels = readings.flatMap(reading => {
    const isBetween = fromMs <= reading.takenMs && reading.takenMs < untilMs
    return isBetween ? (numberAt(reading, 'FUEL_LEVEL_PERCENT') ?? []) : []
  })
  return levels.length > 0 ? Math.min(...levels) : 0
}

function filledAfterMs({ readings }: Recording, afterMs: number): number {
  let last: number | undefined
  for (const reading of readings) {
    const level = reading.takenMs < afterMs ? undefined : numberAt(reading, 'FUEL_LEVEL_PERCENT')
    if (level !== undefined && last !== undefined && level > last + FILLED_PERCENT) return reading.takenMs
    last = level ?? last
  }
  return Number.POSITIVE_INFINITY
}

const SINKS_V_PER_HOUR = 0.5
const SINKS_BY_V = 1.4
const GENERATOR_V = 13

export function withDrained(recording: Recording, { thefts, lights }: Drained): Recording {
  const readings = recording.readings.map(reading => lit(recording, stolen(recording, reading, thefts), lights))
  const moments = thefts.map(({ fromMs }) => ({ fromMs, toMs: fromMs }))
  return withHappened(withHappened({ ...recording, readings }, 'FUEL_LOST', moments), 'LOW_BATTERY', lights)
}

function stolen(recording: Recording, reading: Reading, thefts: readonly Theft[]): Reading {
  const theft = thefts.find(({ fromMs, untilMs }) => fromMs <= reading.takenMs && reading.takenMs < untilMs)
  const level = theft && numberAt(reading, 'FUEL_LEVEL_PERCENT')
  if (!theft || level === undefined) return reading
  return withValue(recording, reading, 'FUEL_LEVEL_PERCENT', Math.round((level - theft.percent) * 10) / 10)
}

function lit(recording: Recording, reading: Reading, lights: readonly Span[]): Reading {
  const span = lights.find(({ fromMs, toMs }) => fromMs <= reading.takenMs && reading.takenMs <= toMs)
  const volts = span && numberAt(reading, 'BATTERY_VOLTAGE')
  if (!span || volts === undefined || volts > GENERATOR_V) return reading
  const sunk = Math.min(SINKS_BY_V, ((reading.takenMs - span.fromMs) / HOUR_MS) * SINKS_V_PER_HOUR)
  return withValue(recording, reading, 'BATTERY_VOLTAGE', Math.round((volts - sunk) * 100) / 100)
}

function withHappened(recording: Recording, kind: Happened['kind'], spans: readonly Span[]): Recording {
  const happened = spans.map(({ fromMs, toMs }) => ({ kind, fromMs, toMs }))
  const { truth } = recording
  return { ...recording, truth: { ...truth, happened: [...(truth.happened ?? []), ...happened] } }
}

function withValue({ dongle }: Recording, reading: Reading, type: EventTypeName, value: EventValue): Reading {
  if (dongle.silentAbout.has(type)) return reading
  return { ...reading, events: new Map([...reading.events, [type, value]]) }
}

function numberAt(reading: Reading, type: EventTypeName): number | undefined {
  const value = reading.events.get(type)
  return typeof value === 'number' ? value : undefined
}
