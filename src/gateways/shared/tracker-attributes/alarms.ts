import type { EventTypeName } from '../../../catalogue/event-types.ts'
/** The event of an alarm: a fixed value, or the value of another event of the same instant. */
export type AlarmMeaning =
  | { readonly eventType: EventTypeName; readonly value: number | boolean }
  | { readonly eventType: EventTypeName; readonly valueOf: readonly EventTypeName[] }

/**
 * The values of the attribute `alarm` that have an event type. Harsh driving has no strength here, so it is
 * counted: each alarm is one. The value of a warning is the speed it warned about, in the unit of the event type.
 */
export const ALARMS: Readonly<Record<string, AlarmMeaning>> = {
  hardAcceleration: { eventType: 'HARSH_ACCELERATION_COUNT', value: 1 },
  hardBraking: { eventType: 'HARSH_BRAKING_COUNT', value: 1 },
  hardCornering: { eventType: 'HARSH_CORNERING_COUNT', value: 1 },
  overspeed: { eventType: 'WARNING_OVERSPEEDING', valueOf: ['VEHICLE_SPEED_AVERAGE', 'GPS_SPEED'] },
  highRpm: { eventType: 'WARNING_RPM', valueOf: ['ENGINE_RPM_AVERAGE'] },
  powerCut: { eventType: 'IS_DONGLE_PLUGGED_IN', value: false },
  powerRestored: { eventType: 'IS_DONGLE_PLUGGED_IN', value: true },
}
