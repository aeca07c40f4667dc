import type { Dtc, EventItem, Incident, Severity, Trip } from '../api/types.ts'
import { valueAt } from '../chart/chart-data.ts'
import { STANDS_BELOW_KMH } from '../fleet/car-state.ts'
import { pointOf } from '../measurements/event-types.ts'
import type { TrackPoint } from '../route-map/track.ts'

/** A reading of speed says nothing of what was longer after it. */
const SPEED_HOLDS_MS = 10_000

/** What was measured over time. */
interface Curve {
  readonly timesMs: readonly number[]
  readonly values: readonly number[]
}

export function mostKmhOf({ values }: Curve): number {
  return values.reduce((most, kmh) => Math.max(most, kmh), 0)
}

/** The latest speed measured until an instant. @returns undefined when that was too long before */
export function speedAt(speed: Curve, timeMs: number): number | undefined {
  return valueAt({ ...speed, gapMs: SPEED_HOLDS_MS }, timeMs)
}

/** What was measured on a trip, as it is replayed. All in order of time. */
export interface Recording {
  readonly track: readonly TrackPoint[]
  /** In km/h, from the source that reports it most often. */
  readonly speed: Curve
  /** What was in tank or battery; of several measurements the one that comes most often. */
  readonly energy: (Curve & { readonly eventType: string; readonly unit: string }) | undefined
  readonly standing: readonly Standstill[]
  /** How long the car stood with its ignition on. */
  readonly idlingMs: number
  /** Else it stood that long, with its ignition on or off. */
  readonly knowsIgnition: boolean
  readonly occurrences: readonly Occurrence[]
}

/** Events that say by themselves that something happened, and how bad it is. */
const HAPPENINGS = {
  HARSH_BRAKING: 'warning',
  HARSH_ACCELERATION: 'warning',
  HARSH_LEFT_CORNERING: 'warning',
  HARSH_RIGHT_CORNERING: 'warning',
  EXTREME_BRAKING: 'critical',
  EXTREME_ACCELERATION: 'critical',
  EXTREME_LEFT_CORNERING: 'critical',
  EXTREME_RIGHT_CORNERING: 'critical',
  POTHOLE: 'warning',
  WEAK_CRASH: 'critical',
  SEVERE_CRASH: 'critical',
  WARNING_OVERSPEEDING: 'critical',
  WARNING_RPM: 'warning',
} as const

/** States: what happened is that they changed. */
const SWITCHES = {
  IS_IGNITION_ON: { on: 'info', off: 'info' },
  IS_DONGLE_PLUGGED_IN: { on: 'info', off: 'warning' },
  IS_MIL_ON: { on: 'critical', off: 'info' },
  HV_BATTERY_IS_CHARGING: { on: 'info', off: 'info' },
} as const

const SPEED_TYPES = ['GPS_SPEED', 'VEHICLE_SPEED_AVERAGE'] as const

const ENERGY_TYPES = ['FUEL_LEVEL', 'FUEL_LEVEL_PERCENT', 'HV_BATTERY_SOC'] as const

/** The event types that a recording is made of. */
export const RECORDING_TYPES: readonly string[] = [
  'POSITION',
  'GPS_ALTITUDE',
  'GPS_COURSE',
  ...SPEED_TYPES,
  ...ENERGY_TYPES,
  ...Object.keys(HAPPENINGS),
  ...Object.keys(SWITCHES),
]

/** @param events in order of time */
export function recordingOf(events: readonly EventItem[]): Recording {
  const speed = curveOf(mostFrequent(events, SPEED_TYPES))
  const track = trackOf(events, speed)
  const standing = standstills(speed, (fromMs, toMs) => wasAtOnePlace(track, fromMs, toMs))
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
function wasAtOnePlace(track: readonly TrackPoint[], fromMs: number, toMs: number): boolean {
  const before = track.findLast(({ timeMs }) => timeMs <= fromMs)
  const after = track.find(({ timeMs }) => timeMs >= toMs)
  if (!before || !after) return false
  const eastDeg = (after.longitude - before.longitude) * Math.cos((before.latitude * Math.PI) / 180)
  return Math.hypot(eastDeg, after.latitude - before.latitude) <= ONE_PLACE_DEG
}

/** The events of the type that was measured most often; of the first one if several were. */
function mostFrequent(events: readonly EventItem[], types: readonly string[]): readonly EventItem[] {
  const byType = types.map(type => events.filter(event => event.event_type === type))
  return byType.reduce((most, each) => (each.length > most.length ? each : most))
}

function curveOf(events: readonly EventItem[]): Curve {
  return { timesMs: events.map(timeOf), values: events.map(({ value }) => Number(value)) }
}

function energyOf(events: readonly EventItem[]): Recording['energy'] {
  const levels = mostFrequent(events, ENERGY_TYPES)
  return levels[0] && { eventType: levels[0].event_type, unit: levels[0].unit ?? '', ...curveOf(levels) }
}

function trackOf(events: readonly EventItem[], speed: Curve): readonly TrackPoint[] {
  const numbersAt = (eventType: string) =>
    new Map(events.filter(event => event.event_type === eventType).map(event => [timeOf(event), Number(event.value)]))
  const altitudes = numbersAt('GPS_ALTITUDE')
  const courses = numbersAt('GPS_COURSE')
  return events.flatMap(event => {
    const place = event.event_type === 'POSITION' ? pointOf(event.value) : undefined
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

export type HappeningType = keyof typeof HAPPENINGS
export type SwitchType = keyof typeof SWITCHES

/** Something that happened on the way: the dongle reported it, or a rule found it. */
export type Occurrence = { readonly timeMs: number; readonly severity: Severity } & (
  | { readonly kind: 'happening'; readonly eventType: HappeningType; readonly value: number; readonly unit: string }
  | { readonly kind: 'switch'; readonly eventType: SwitchType; readonly isOn: boolean }
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'incident'; readonly incident: Incident }
  | { readonly kind: 'stop'; readonly lengthMs: number }
)

/** Kinds of incidents that are about what the dongle itself reported, with the ends of its event types. */
const REPORTED_AS: Partial<Readonly<Record<Incident['kind'], string>>> = {
  HARSH_ACCELERATION: '_ACCELERATION',
  HARSH_BRAKING: '_BRAKING',
  HARSH_CORNERING: '_CORNERING',
  CRASH: '_CRASH',
}

/** Stops are listed with the rest. */
export function stopOccurrences(stops: readonly Standstill[]): readonly Occurrence[] {
  return stops.map(({ fromMs, toMs }) => ({ kind: 'stop', timeMs: fromMs, severity: 'info', lengthMs: toMs - fromMs }))
}

/**
 * Fault codes that came up on the way. A car lists its codes again on each trip, so the lists of the trip do not tell.
 *
 * @param dtcs those of the car that were reported first between begin and end of the trip
 */
export function codeOccurrences(dtcs: readonly Pick<Dtc, 'code' | 'recordedTimestamp'>[]): readonly Occurrence[] {
  const firsts = new Map(dtcs.toReversed().map(dtc => [dtc.code, Date.parse(dtc.recordedTimestamp)]))
  return [...firsts].map(([code, timeMs]) => ({ kind: 'code', timeMs, severity: 'critical', code }))
}

/** Everything in order of time; what the dongle reported and a rule made an incident of is there once, as that. */
export function withIncidents(
  occurrences: readonly Occurrence[],
  incidents: readonly Incident[],
): readonly Occurrence[] {
  const found = incidents.map(
    (incident): Occurrence => ({
      kind: 'incident',
      timeMs: Date.parse(incident.startTimestamp),
      severity: incident.severity,
      incident,
    }),
  )
  const reported = occurrences.filter(occurrence => !incidents.some(incident => isAbout(incident, occurrence)))
  return [...reported, ...found].sort((a, b) => a.timeMs - b.timeMs)
}

function isAbout({ kind, startTimestamp, endTimestamp }: Incident, occurrence: Occurrence): boolean {
  const ending = REPORTED_AS[kind]
  if (occurrence.kind !== 'happening' || !ending || !occurrence.eventType.endsWith(ending)) return false
  const endMs = endTimestamp === null ? Number.POSITIVE_INFINITY : Date.parse(endTimestamp)
  return occurrence.timeMs >= Date.parse(startTimestamp) && occurrence.timeMs <= endMs
}

/** What happened, in order of time. Events are in order of time; others than `HAPPENINGS` and `SWITCHES` are passed over. */
export function occurrencesOf(events: readonly EventItem[]): readonly Occurrence[] {
  const states = new Map<string, boolean>()
  return events.flatMap((event): Occurrence[] => {
    const { event_type: eventType, value } = event
    const timeMs = timeOf(event)
    if (isKeyOf(HAPPENINGS, eventType)) {
      if (typeof value !== 'number') return []
      const severity = HAPPENINGS[eventType]
      return [{ kind: 'happening', timeMs, severity, eventType, value, unit: event.unit ?? '' }]
    }
    if (isKeyOf(SWITCHES, eventType)) {
      const before = states.get(eventType)
      const isOn = value === true
      states.set(eventType, isOn)
      // The first word is how it was when the trip began.
      if (before === undefined || before === isOn) return []
      return [{ kind: 'switch', timeMs, severity: SWITCHES[eventType][isOn ? 'on' : 'off'], eventType, isOn }]
    }
    return []
  })
}

function isKeyOf<T extends object>(table: T, name: string): name is Extract<keyof T, string> {
  return Object.hasOwn(table, name)
}

/** A reading says nothing of what was longer after it. */
const HOLDS_MS = 90_000

/** Traffic lights are no stops. */
const LEAST_STOP_MS = 2 * 60_000

/** When a car stood on its way. */
interface Standstill {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * When the car stood, in order of time.
 *
 * @param isAtOnePlace whether it was at the same place before and after a time in which nothing was measured: many dongles rest
 *   while the car does
 */
export function standstills(
  { timesMs, values }: Curve,
  isAtOnePlace: (fromMs: number, toMs: number) => boolean,
): readonly Standstill[] {
  const found: { fromMs: number; toMs: number }[] = []
  for (const [index, fromMs] of timesMs.entries()) {
    const nextMs = timesMs[index + 1]
    if (nextMs === undefined || (values[index] ?? 0) >= STANDS_BELOW_KMH) continue
    const isHeld = nextMs - fromMs <= HOLDS_MS || isAtOnePlace(fromMs, nextMs)
    const toMs = isHeld ? nextMs : fromMs + HOLDS_MS
    const last = found.at(-1)
    if (last && last.toMs === fromMs) last.toMs = toMs
    else found.push({ fromMs, toMs })
  }
  return found
}

/** Those that are long enough to be a stop, and neither before the way nor after it. */
export function stopsOf(standing: readonly Standstill[], beginMs: number, endMs: number): readonly Standstill[] {
  return standing.filter(
    ({ fromMs, toMs }) =>
      toMs - fromMs >= LEAST_STOP_MS && fromMs > beginMs + STANDS_BEFORE_MS && toMs < endMs - STANDS_BEFORE_MS,
  )
}

/** Letting somebody in or out is not a stop. */
const STANDS_BEFORE_MS = 30_000

/**
 * How long the car stood with its engine on, in milliseconds.
 *
 * @param ignition the events of IS_IGNITION_ON in order of time; without any, it was on
 */
export function idlingMs(standing: readonly Standstill[], ignition: readonly EventItem[]): number {
  const off = ignition.flatMap((event, index) => {
    if (event.value !== false) return []
    const next = ignition[index + 1]
    return {
      fromMs: Date.parse(event.recorded_timestamp),
      toMs: next ? Date.parse(next.recorded_timestamp) : Number.POSITIVE_INFINITY,
    }
  })
  const commonMs = (one: Standstill, other: Standstill) =>
    Math.max(0, Math.min(one.toMs, other.toMs) - Math.max(one.fromMs, other.fromMs))
  return standing.reduce(
    (sum, stood) => sum + stood.toMs - stood.fromMs - off.reduce((lost, each) => lost + commonMs(stood, each), 0),
    0,
  )
}

/** What an instrument of the car showed where a trip began and where it ended, as far as that is known. */
interface Meter {
  readonly kind: (typeof METERS)[number][1]
  readonly start: number | undefined
  readonly end: number | undefined
  /** As the API names it. */
  readonly unit: string
  /** With how many digits it is worth reading. */
  readonly digits: number
  /** What the trip used of what drives the car; undefined where the level did not fall. */
  readonly used: number | undefined
  /** The same over 100 km; undefined where the trip was too short to say, or only a share of the tank is known. */
  readonly per100Km: number | undefined
}

const METERS = [
  ['MILEAGE', 'odometer', 0],
  ['FUEL_LEVEL', 'fuel', 1],
  ['FUEL_LEVEL_PERCENT', 'fuel', 0],
  ['HV_BATTERY_SOC', 'battery', 0],
] as const

/** Levels are read in steps; over a shorter way, a step would be all of it. */
const LEAST_KM = 10

/** @returns one of each kind; fuel in litres where they are known, else in percent */
export function metersOf({ aggregations, distance }: Trip): readonly Meter[] {
  const found: Meter[] = []
  for (const [eventType, kind, digits] of METERS) {
    const items = aggregations.filter(item => item.eventType === eventType)
    const [start, end] = ['START', 'END']
      .map(type => items.find(({ aggregationType }) => aggregationType === type)?.value)
      .map(value => (typeof value === 'number' ? value : undefined))
    if ((start === undefined && end === undefined) || found.some(meter => meter.kind === kind)) continue
    const unit = items[0]?.unit ?? ''
    const used =
      kind !== 'odometer' && start !== undefined && end !== undefined && start > end ? start - end : undefined
    const isKnown = used !== undefined && unit !== '%' && distance >= LEAST_KM
    found.push({ kind, start, end, unit, digits, used, per100Km: isKnown ? (used / distance) * 100 : undefined })
  }
  return found
}
