import type { EventTypeName } from '../../../catalogue/event-types.ts'
/**
 * Traccar's names of what trackers report, which senders of the OsmAnd protocol use, too. Names and
 * units are those of Traccar's `Position` model. If the decoder of a protocol uses another unit, correct it in
 * Traccar with a computed attribute.
 *
 * Attributes that are not listed are counted and left out. The reasons for some of them:
 * - `totalDistance`, `distance`, `hours`: Traccar computes them from positions and ignition.
 * - `battery`, `batteryLevel`, `charge`: the battery of the tracker or phone, not of the car.
 * - `engineTemp`: oil with some protocols, coolant with others.
 * - `operator`: a cell needs more than its operator; `network.cellTowers` has all of it.
 * - `tripOdometer`, `serviceOdometer`: the catalogue has no such meters.
 * - `alarm` `accident`: the catalogue has crashes in m/s², which the alarm does not contain.
 */
export interface NumberAttribute {
  readonly attribute: string
  readonly eventType: EventTypeName
  /** The unit of the event type, which a test compares with the catalogue. */
  readonly unit: string
  /** The value of the attribute times this is in that unit. */
  readonly multiplier: number
  /** Outside of these bounds there is no value: protocols set all bits. */
  readonly range?: readonly [least: number, most: number]
}

const PERCENT = [0, 100] as const

export const NUMBER_ATTRIBUTES: readonly NumberAttribute[] = [
  { attribute: 'obdSpeed', eventType: 'VEHICLE_SPEED_AVERAGE', unit: 'km/h', multiplier: 1 },
  { attribute: 'rpm', eventType: 'ENGINE_RPM_AVERAGE', unit: '1/min', multiplier: 1 },
  { attribute: 'engineLoad', eventType: 'ENGINE_LOAD_AVERAGE', unit: '%', multiplier: 1, range: PERCENT },
  { attribute: 'throttle', eventType: 'THROTTLE_POSITION_AVERAGE', unit: '%', multiplier: 1, range: PERCENT },
  { attribute: 'coolantTemp', eventType: 'ENGINE_COOLANT_TEMPERATURE', unit: '°C', multiplier: 1 },
  { attribute: 'power', eventType: 'BATTERY_VOLTAGE', unit: 'V', multiplier: 1, range: [0, 60] },
  { attribute: 'fuel', eventType: 'FUEL_LEVEL', unit: 'l', multiplier: 1 },
  { attribute: 'fuelLevel', eventType: 'FUEL_LEVEL_PERCENT', unit: '%', multiplier: 1, range: PERCENT },
  { attribute: 'fuelConsumption', eventType: 'FUEL_RATE_AVERAGE', unit: 'l/h', multiplier: 1 },
  { attribute: 'hdop', eventType: 'GPS_HDOP', unit: '', multiplier: 1 },
  { attribute: 'sat', eventType: 'GPS_SATELLITES_IN_USE', unit: '', multiplier: 1 },
  { attribute: 'satVisible', eventType: 'GPS_SATELLITES_IN_VIEW', unit: '', multiplier: 1 },
  { attribute: 'faultCount', eventType: 'OBD_DTC_COUNT', unit: '', multiplier: 1 },
  { attribute: 'milDistance', eventType: 'DISTANCE_MIL_ON', unit: 'km', multiplier: 1 },
]

/** The two odometers, in metres: the operator chooses which one is MILEAGE (see the gateway). */
export const ODOMETER_ATTRIBUTES = {
  OBD: { attribute: 'obdOdometer', eventType: 'MILEAGE', unit: 'km', multiplier: 0.001 },
  DEVICE: { attribute: 'odometer', eventType: 'MILEAGE', unit: 'km', multiplier: 0.001 },
} as const satisfies Readonly<Record<string, NumberAttribute>>

export const BOOLEAN_ATTRIBUTES: Readonly<Record<string, EventTypeName>> = { ignition: 'IS_IGNITION_ON' }

export const TEXT_ATTRIBUTES: Readonly<Record<string, EventTypeName>> = {
  vin: 'VIN',
  iccid: 'ICCID',
  versionFw: 'FIRMWARE_VERSION',
  /** Codes that are stored now (OBD service 03), separated by blanks. */
  dtcs: 'OBD_DTC_PERMANENT',
}
