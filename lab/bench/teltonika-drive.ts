import { type EventTypeId, type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../src/model/sample.ts'

/** What a dongle on a drive reports every few seconds: its permanent elements, and those of the car. */
const DRIVING: readonly (readonly [eventType: EventTypeName, valueAt: (step: number) => EventValue])[] = [
  ['POSITION', step => ({ lon: 11.5 + (step % 7919) / 1e5, lat: 48.1 + (step % 6311) / 1e5 })],
  ['GPS_ALTITUDE', step => 500 + (step % 40)],
  ['GPS_COURSE', step => step % 360],
  ['GPS_SATELLITES_IN_USE', step => 9 + (step % 6)],
  ['GPS_SPEED', step => 30 + (step % 90)],
  ['GPS_HDOP', step => (7 + (step % 6)) / 10],
  ['IS_IGNITION_ON', () => true],
  ['IS_MOVING', () => true],
  ['IS_GPS_SWITCH_ON', () => true],
  ['IS_DONGLE_IN_STANDBY', () => false],
  ['MILEAGE', step => 48_211 + step / 10],
  ['BATTERY_VOLTAGE', step => 13.9 + (step % 90) / 1000],
  ['NETWORK_CELL_INFO', step => `262;01;4711;${100 + Math.floor(step / 40)}`],
  ['OBD_DTC_COUNT', () => 0],
  ['ENGINE_LOAD_AVERAGE', step => step % 100],
  ['ENGINE_COOLANT_TEMPERATURE', step => 80 + (step % 12)],
  ['ENGINE_RPM_AVERAGE', step => 900 + (step % 2500)],
  ['VEHICLE_SPEED_AVERAGE', step => 30 + (step % 91)],
  ['THROTTLE_POSITION_AVERAGE', step => step % 90],
  ['FUEL_LEVEL_PERCENT', step => 100 - (step % 60)],
  ['FUEL_RATE_AVERAGE', step => (step % 1500) / 100],
  ['AMBIENT_AIR_TEMPERATURE', step => (step % 30) - 8],
]

const TYPES: readonly (readonly [EventTypeId, (step: number) => EventValue])[] = DRIVING.map(([name, valueAt]) => [
  requiredEventType(name).id,
  valueAt,
])

/** How many values a record holds. */
export const VALUES_EACH = DRIVING.length

/** The dongle of a connection. */
export function dongleAt(index: number): DeviceId {
  return (356_307_042_441_000 + index) as DeviceId
}

/** One record of a drive; a step is a second. */
export function drivingSample(deviceId: DeviceId, startMs: number, step: number): Sample {
  return sampleOf(deviceId, startMs + step * 1000, new Map(TYPES.map(([type, valueAt]) => [type, valueAt(step)])))
}
