import type { EventItem } from '../api/types.ts'
import { valueAt } from '../chart/chart-data.ts'
import type { TrackPoint } from '../route-map/track.ts'
import { OCCURRENCE_TYPES, type Occurrence, occurrencesOf } from './occurrences.ts'
import { idlingMs, type Standstill, standstills } from './standing.ts'

/** A reading of speed says nothing of what was longer after it. */
const SPEED_HOLDS_MS = 10_000

/** Speed over time in km/h, from the source that reports it most often. */
export interface SpeedCurve {
  readonly timesMs: readonly number[]
  readonly valuesKmh: readonly number[]
}

/** The latest speed measured until an instant. @returns undefined when that was too long before */
export function speedAt({ timesMs, valuesKmh }: SpeedCurve, timeMs: number): number | undefined {
  return valueAt({ timesMs, values: valuesKmh, gapMs: SPEED_HOLDS_MS }, timeMs)
}

/** A level over time. */
interface EnergyCurve {
  readonly eventType: string
  /** As the API names it. */
  readonly unit: string
  readonly timesMs: readonly number[]
  readonly values: readonly number[]
}

/** What was measured on a trip, as it is replayed. All in order of time. */
export interface Recording {
  readonly track: readonly TrackPoint[]
  readonly speed: SpeedCurve
  /** What was in tank or battery; of several measurements the one that comes most often. */
  readonly energy: EnergyCurve | undefined
  readonly standing: readonly Standstill[]
  /** How long the car stood with its ignition on. */
  readonly idlingMs: number
  /** Else it stood that long, with its ignition on or off. */
  readonly knowsIgnition: boolean
  readonly occurrences: readonly Occurrence[]
}

const SPEED_TYPES = ['GPS_SPEED', 'VEHICLE_SPEED_AVERAGE'] as const

const ENERGY_TYPES = ['FUEL_LEVEL', 'FUEL_LEVEL_PERCENT', 'HV_BATTERY_SOC'] as const

/** The event types that a recording is made of. */
export const RECORDING_TYPES: readonly string[] = [
  'POSITION',
  'GPS_ALTITUDE',
  'GPS_COURSE',
  ...SPEED_TYPES,
  ...ENERGY_TYPES,
  ...OCCURRENCE_TYPES,
]

/** @param events in order of time */
export function recordingOf(events: readonly EventItem[]): Recording {
  const curves = SPEED_TYPES.map(type => curveOf(events.filter(event => event.event_type === type)))
  const speed = curves.reduce((most, curve) => (curve.timesMs.length > most.timesMs.length ? curve : most))
  const track = trackOf(events, speed)
  const standing = standstills(speed, (fromMs, toMs) => isAtOnePlace(track, fromMs, toMs))
  const ignition = events.filter(event => event.event_type === 'IS_IGNITION_ON')
  return {
    track,
    speed,
    energy: energyOf(events),
    standing,
    idlingMs: idlingMs(standing, ignition),
    knowsIgnition: ignition.length > 0,
    occurrences: occurrencesOf(events),
  }
}

/** Positions of a standing car lie closer together than this, in degrees: about 100 m. */
const ONE_PLACE_DEG = 0.001

/** Whether the last position until an instant and the first one from another on are the same place. */
function isAtOnePlace(track: readonly TrackPoint[], fromMs: number, toMs: number): boolean {
  const before = track.findLast(({ timeMs }) => timeMs <= fromMs)
  const after = track.find(({ timeMs }) => timeMs >= toMs)
  if (!before || !after) return false
  const eastDeg = (after.longitude - before.longitude) * Math.cos((before.latitude * Math.PI) / 180)
  return Math.hypot(eastDeg, after.latitude - before.latitude) <= ONE_PLACE_DEG
}

function curveOf(events: readonly EventItem[]): SpeedCurve {
  return { timesMs: events.map(timeOf), valuesKmh: events.map(({ value }) => Number(value)) }
}

function energyOf(events: readonly EventItem[]): EnergyCurve | undefined {
  const levels = ENERGY_TYPES.map(type => events.filter(event => event.event_type === type))
  const level = levels.reduce((most, each) => (each.length > most.length ? each : most))
  const [first] = level
  return (
    first && {
      eventType: first.event_type,
      unit: first.unit ?? '',
      timesMs: level.map(timeOf),
      values: level.map(({ value }) => Number(value)),
    }
  )
}

function trackOf(events: readonly EventItem[], speed: SpeedCurve): readonly TrackPoint[] {
  const numbersAt = (eventType: string) =>
    new Map(events.filter(event => event.event_type === eventType).map(event => [timeOf(event), Number(event.value)]))
  const altitudes = numbersAt('GPS_ALTITUDE')
  const courses = numbersAt('GPS_COURSE')
  return events.flatMap(event => {
    const place = event.event_type === 'POSITION' ? placeOf(event.value) : undefined
    if (!place) return []
    const timeMs = timeOf(event)
    return {
      ...place,
      timeMs,
      speedKmh: speedAt(speed, timeMs),
      altitudeM: altitudes.get(timeMs),
      courseDeg: courses.get(timeMs),
    }
  })
}

function timeOf({ recorded_timestamp }: EventItem): number {
  return Date.parse(recorded_timestamp)
}

/** `POINT(<lon> <lat>)` (fleet-api-v2.md, *Event*). */
function placeOf(value: EventItem['value']) {
  const match = /^POINT\((\S+) (\S+)\)$/.exec(String(value))
  return match ? { longitude: Number(match[1]), latitude: Number(match[2]) } : undefined
}
