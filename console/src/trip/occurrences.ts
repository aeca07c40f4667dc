import type { EventItem, Incident } from '../api/types.ts'
import type { Severity } from '../incidents/severity.ts'
import type { Standstill } from './standing.ts'

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

const CODE_LISTS = ['OBD_DTC_PERMANENT', 'OBD_DTC_SPORADIC'] as const

export type HappeningType = keyof typeof HAPPENINGS
export type SwitchType = keyof typeof SWITCHES

/** Something that happened on the way: the dongle reported it, or a rule found it. */
export type Occurrence = { readonly timeMs: number; readonly severity: Severity } & (
  | { readonly kind: 'happening'; readonly eventType: HappeningType; readonly value: number; readonly unit: string }
  | { readonly kind: 'switch'; readonly eventType: SwitchType; readonly isOn: boolean }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'incident'; readonly incident: Incident }
  | { readonly kind: 'stop'; readonly lengthMs: number }
)

/** Kinds of incidents that are about what the dongle itself reported. */
const REPORTED_AS: Partial<Readonly<Record<Incident['kind'], readonly HappeningType[]>>> = {
  HARSH_ACCELERATION: ['HARSH_ACCELERATION', 'EXTREME_ACCELERATION'],
  HARSH_BRAKING: ['HARSH_BRAKING', 'EXTREME_BRAKING'],
  HARSH_CORNERING: [
    'HARSH_LEFT_CORNERING',
    'HARSH_RIGHT_CORNERING',
    'EXTREME_LEFT_CORNERING',
    'EXTREME_RIGHT_CORNERING',
  ],
  CRASH: ['WEAK_CRASH', 'SEVERE_CRASH'],
}

/** Stops are listed with the rest. */
export function stopOccurrences(stops: readonly Standstill[]): readonly Occurrence[] {
  return stops.map(({ fromMs, toMs }) => ({ kind: 'stop', timeMs: fromMs, severity: 'info', lengthMs: toMs - fromMs }))
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
  if (occurrence.kind !== 'happening' || !REPORTED_AS[kind]?.includes(occurrence.eventType)) return false
  const endMs = endTimestamp === null ? Number.POSITIVE_INFINITY : Date.parse(endTimestamp)
  return occurrence.timeMs >= Date.parse(startTimestamp) && occurrence.timeMs <= endMs
}

/** The event types that `occurrencesOf` reads. */
export const OCCURRENCE_TYPES: readonly string[] = [...Object.keys(HAPPENINGS), ...Object.keys(SWITCHES), ...CODE_LISTS]

/** What happened, in order of time. Events are in order of time; others than `OCCURRENCE_TYPES` are passed over. */
export function occurrencesOf(events: readonly EventItem[]): readonly Occurrence[] {
  const states = new Map<string, boolean>()
  const codesOf = new Map<string, ReadonlySet<string>>()
  return events.flatMap((event): Occurrence[] => {
    const { event_type: eventType, value } = event
    const timeMs = Date.parse(event.recorded_timestamp)
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
    if (CODE_LISTS.some(list => list === eventType)) {
      const before = codesOf.get(eventType)
      const codes = String(value)
        .split(/[,;\s]+/)
        .filter(Boolean)
      codesOf.set(eventType, new Set(codes))
      const fresh = codes.filter(code => !before?.has(code))
      return fresh.length === 0 ? [] : [{ kind: 'codes', timeMs, severity: 'critical', codes: fresh }]
    }
    return []
  })
}

function isKeyOf<T extends object>(table: T, name: string): name is Extract<keyof T, string> {
  return Object.hasOwn(table, name)
}
