import type { EventItem } from '../api/types.ts'

/** Events that say by themselves that something happened, and how bad it is. */
const HAPPENINGS = {
  HARSH_BRAKING: 'notable',
  HARSH_ACCELERATION: 'notable',
  HARSH_LEFT_CORNERING: 'notable',
  HARSH_RIGHT_CORNERING: 'notable',
  EXTREME_BRAKING: 'bad',
  EXTREME_ACCELERATION: 'bad',
  EXTREME_LEFT_CORNERING: 'bad',
  EXTREME_RIGHT_CORNERING: 'bad',
  POTHOLE: 'notable',
  WEAK_CRASH: 'bad',
  SEVERE_CRASH: 'bad',
  WARNING_OVERSPEEDING: 'bad',
  WARNING_RPM: 'notable',
} as const

/** States: what happened is that they changed. */
const SWITCHES = {
  IS_IGNITION_ON: { on: 'plain', off: 'plain' },
  IS_DONGLE_PLUGGED_IN: { on: 'plain', off: 'notable' },
  IS_MIL_ON: { on: 'bad', off: 'plain' },
  HV_BATTERY_IS_CHARGING: { on: 'plain', off: 'plain' },
} as const

const CODE_LISTS = ['OBD_DTC_PERMANENT', 'OBD_DTC_SPORADIC'] as const

export type HappeningType = keyof typeof HAPPENINGS
export type SwitchType = keyof typeof SWITCHES
export type Severity = 'plain' | 'notable' | 'bad'

/** Something that happened on the way. */
export type Incident = { readonly timeMs: number; readonly severity: Severity } & (
  | { readonly kind: 'happening'; readonly eventType: HappeningType; readonly value: number; readonly unit: string }
  | { readonly kind: 'switch'; readonly eventType: SwitchType; readonly isOn: boolean }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
)

/** The event types that `incidentsOf` reads. */
export const INCIDENT_TYPES: readonly string[] = [...Object.keys(HAPPENINGS), ...Object.keys(SWITCHES), ...CODE_LISTS]

/** What happened, in order of time. Events are in order of time; others than `INCIDENT_TYPES` are passed over. */
export function incidentsOf(events: readonly EventItem[]): readonly Incident[] {
  const states = new Map<string, boolean>()
  const codesOf = new Map<string, ReadonlySet<string>>()
  return events.flatMap((event): Incident[] => {
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
      return fresh.length === 0 ? [] : [{ kind: 'codes', timeMs, severity: 'bad', codes: fresh }]
    }
    return []
  })
}

function isKeyOf<T extends object>(table: T, name: string): name is Extract<keyof T, string> {
  return Object.hasOwn(table, name)
}
