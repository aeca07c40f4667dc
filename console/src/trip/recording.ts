import type { EventItem } from '../api/types.ts'
import type { TrackPoint } from '../route-map/track.ts'
import { INCIDENT_TYPES, type Incident, incidentsOf } from './incidents.ts'

/** Speed over time, from the source that reports it most often. */
export interface SpeedCurve {
  readonly timesMs: readonly number[]
  readonly valuesKmh: readonly number[]
}

/** What was measured on a trip, as it is replayed. All in order of time. */
export interface Recording {
  readonly track: readonly TrackPoint[]
  readonly speed: SpeedCurve
  readonly incidents: readonly Incident[]
}

const SPEED_TYPES = ['GPS_SPEED', 'VEHICLE_SPEED_AVERAGE'] as const

/** The event types that a recording is made of. */
export const RECORDING_TYPES: readonly string[] = [
  'POSITION',
  'GPS_ALTITUDE',
  'GPS_COURSE',
  ...SPEED_TYPES,
  ...INCIDENT_TYPES,
]

/** A reading of speed says nothing of a place that the car was at longer after it. */
const SPEED_HOLDS_MS = 10_000

/** @param events in order of time */
export function recordingOf(events: readonly EventItem[]): Recording {
  const curves = SPEED_TYPES.map(type => curveOf(events.filter(event => event.event_type === type)))
  const speed = curves.reduce((most, curve) => (curve.timesMs.length > most.timesMs.length ? curve : most))
  return { track: trackOf(events, speed), speed, incidents: incidentsOf(events) }
}

function curveOf(events: readonly EventItem[]): SpeedCurve {
  return { timesMs: events.map(timeOf), valuesKmh: events.map(({ value }) => Number(value)) }
}

function trackOf(events: readonly EventItem[], { timesMs, valuesKmh }: SpeedCurve): readonly TrackPoint[] {
  const numbersAt = (eventType: string) =>
    new Map(events.filter(event => event.event_type === eventType).map(event => [timeOf(event), Number(event.value)]))
  const altitudes = numbersAt('GPS_ALTITUDE')
  const courses = numbersAt('GPS_COURSE')
  let next = 0
  return events.flatMap(event => {
    const place = event.event_type === 'POSITION' ? placeOf(event.value) : undefined
    if (!place) return []
    const timeMs = timeOf(event)
    while ((timesMs[next] ?? Number.POSITIVE_INFINITY) <= timeMs) next++
    const isKnown = timeMs - (timesMs[next - 1] ?? Number.NEGATIVE_INFINITY) <= SPEED_HOLDS_MS
    return {
      ...place,
      timeMs,
      speedKmh: isKnown ? valuesKmh[next - 1] : undefined,
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
