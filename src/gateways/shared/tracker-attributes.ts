import { type EventTypeId, type EventTypeName, requiredEventType } from '../../catalogue/event-types.ts'
import { COARSEST_FIX_M, METRES_PER_HDOP } from '../../model/earth.ts'
import { badRequest } from '../../model/errors.ts'
import { isObject, type JsonFields } from '../../model/json-object.ts'
import { availableOf, type DeviceId, deviceIdOf, deviceIdOfText, type EventValue } from '../../model/sample.ts'
import { isStorableText } from '../../model/texts.ts'
import { parseTimeMs } from '../../server/http/timestamps.ts'

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
interface NumberAttribute {
  readonly attribute: string
  readonly eventType: EventTypeName
  /** The unit of the event type, which a test compares with the catalogue. */
  readonly unit: string
  /** The value of the attribute times this is in that unit. */
  readonly multiplier: number
}

export const NUMBER_ATTRIBUTES: readonly NumberAttribute[] = [
  { attribute: 'obdSpeed', eventType: 'VEHICLE_SPEED_AVERAGE', unit: 'km/h', multiplier: 1 },
  { attribute: 'rpm', eventType: 'ENGINE_RPM_AVERAGE', unit: '1/min', multiplier: 1 },
  { attribute: 'engineLoad', eventType: 'ENGINE_LOAD_AVERAGE', unit: '%', multiplier: 1 },
  { attribute: 'throttle', eventType: 'THROTTLE_POSITION_AVERAGE', unit: '%', multiplier: 1 },
  { attribute: 'coolantTemp', eventType: 'ENGINE_COOLANT_TEMPERATURE', unit: '°C', multiplier: 1 },
  { attribute: 'power', eventType: 'BATTERY_VOLTAGE', unit: 'V', multiplier: 1 },
  { attribute: 'fuel', eventType: 'FUEL_LEVEL', unit: 'l', multiplier: 1 },
  { attribute: 'fuelLevel', eventType: 'FUEL_LEVEL_PERCENT', unit: '%', multiplier: 1 },
  { attribute: 'fuelConsumption', eventType: 'FUEL_RATE_AVERAGE', unit: 'l/h', multiplier: 1 },
  { attribute: 'hdop', eventType: 'GPS_HDOP', unit: '', multiplier: 1 },
  { attribute: 'sat', eventType: 'GPS_SATELLITES_IN_USE', unit: '', multiplier: 1 },
  { attribute: 'satVisible', eventType: 'GPS_SATELLITES_IN_VIEW', unit: '', multiplier: 1 },
  { attribute: 'faultCount', eventType: 'OBD_DTC_COUNT', unit: '', multiplier: 1 },
  { attribute: 'milDistance', eventType: 'DISTANCE_MIL_ON', unit: 'km', multiplier: 1 },
]

/** The two odometers, in metres: the operator chooses which one is MILEAGE. */
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

/** The event of an alarm: a fixed value, or the value of another event of the same instant. */
type AlarmMeaning =
  | { readonly eventType: EventTypeName; readonly value: number | boolean }
  | { readonly eventType: EventTypeName; readonly valueOf: readonly EventTypeName[] }

/** The values of the attribute `alarm` that have an event type. Harsh driving has no strength here: each alarm counts
 * one. A warning has the speed that it warned about, in the unit of the event type. */
export const ALARMS: Readonly<Record<string, AlarmMeaning>> = {
  hardAcceleration: { eventType: 'HARSH_ACCELERATION_COUNT', value: 1 },
  hardBraking: { eventType: 'HARSH_BRAKING_COUNT', value: 1 },
  hardCornering: { eventType: 'HARSH_CORNERING_COUNT', value: 1 },
  overspeed: { eventType: 'WARNING_OVERSPEEDING', valueOf: ['VEHICLE_SPEED_AVERAGE', 'GPS_SPEED'] },
  highRpm: { eventType: 'WARNING_RPM', valueOf: ['ENGINE_RPM_AVERAGE'] },
  powerCut: { eventType: 'IS_DONGLE_PLUGGED_IN', value: false },
  powerRestored: { eventType: 'IS_DONGLE_PLUGGED_IN', value: true },
}

type Events = Map<EventTypeId, EventValue>

/** Adds one value to the events. @returns false when it does not fit the event type. */
type PutAttribute = (events: Events, value: unknown) => boolean

/** A supply below this does not power a dongle: the car's battery has 8 V even while cranking. */
const PLUGGED_IN_VOLTS = 6

const BATTERY_VOLTAGE = requiredEventType('BATTERY_VOLTAGE').id
const IS_DONGLE_PLUGGED_IN = requiredEventType('IS_DONGLE_PLUGGED_IN').id

const ATTRIBUTES: ReadonlyMap<string, PutAttribute> = new Map([
  ...NUMBER_ATTRIBUTES.map(row => [row.attribute, numberInto(row)] as const),
  ...Object.entries(BOOLEAN_ATTRIBUTES).map(([attribute, name]) => [attribute, booleanInto(name)] as const),
  ...Object.entries(TEXT_ATTRIBUTES).map(([attribute, name]) => [attribute, textInto(name)] as const),
])

/** Adds the events of attributes after those of the fix, whose speed a warning may need. Numbers and booleans may be
 * texts. @returns the names of unknown or invalid attributes; alarms as `alarm:sos` */
function readAttributes(attributes: Readonly<Record<string, unknown>>, events: Events): readonly string[] {
  const leftOut: string[] = []
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || name === 'alarm') continue
    if (ATTRIBUTES.get(name)?.(events, value) !== true) leftOut.push(name)
  }
  for (const alarm of alarmsOf(attributes.alarm))
    if (!putAlarm(events, Object.hasOwn(ALARMS, alarm) ? ALARMS[alarm] : undefined)) leftOut.push(`alarm:${alarm}`)
  putPluggedIn(events)
  return leftOut
}

const IS_MOVING = requiredEventType('IS_MOVING').id
const NETWORK_CELL_INFO = requiredEventType('NETWORK_CELL_INFO').id

/** What trackers and phones report of an instant, whatever the protocol calls it. */
interface ReportedInstant {
  readonly fix: GpsFix | undefined
  readonly isMoving: boolean | undefined
  /** As the catalogue writes it. */
  readonly cellInfo: string | undefined
  /** Other values, by name. */
  readonly attributes: JsonFields
}

/** Adds the events of an instant. @returns the names of values that were left out */
export function putInstant(events: Events, { fix, isMoving, cellInfo, attributes }: ReportedInstant): string[] {
  const coarse = fix ? putGpsFix(events, fix) : []
  const leftOut = readAttributes(attributes, events)
  if (isMoving !== undefined) events.set(IS_MOVING, isMoving)
  if (cellInfo !== undefined) events.set(NETWORK_CELL_INFO, cellInfo)
  return [...leftOut, ...coarse]
}

/** @returns a reader of that attribute, for a gateway with attributes of its own. */
export function numberInto({ eventType, multiplier }: NumberAttribute): PutAttribute {
  return (events, given) => {
    const value = numberOf(given)
    // 1234567 times 0.001 is 1234.567 only when rounded.
    return putAvailable(
      events,
      eventType,
      multiplier === 1 ? value : Math.round((value ?? NaN) * multiplier * 1e6) / 1e6,
    )
  }
}

function putAvailable(events: Events, name: EventTypeName, value: EventValue | undefined): boolean {
  const type = requiredEventType(name)
  const available = value === undefined ? undefined : availableOf(type, value)
  if (available === undefined || (typeof available === 'string' && !isStorableText(available))) return false
  events.set(type.id, available)
  return true
}

/** The finite number in a JSON value or query text, else undefined. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && isDecimal(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Much longer than any number from a sensor; a longer text is not a number. */
const MAX_NUMBER_CHARACTERS = 100
const DECIMAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i

const isDecimal = (text: string) => text.length <= MAX_NUMBER_CHARACTERS && DECIMAL.test(text)

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'on', 'yes', 'y', '1', '1.0'].map(word => [word, true] as const),
  ...['false', 'f', 'off', 'no', 'n', '0', '0.0'].map(word => [word, false] as const),
])

/** The boolean in a JSON value or query text, in the words of several languages and devices, else undefined. */
export function booleanOf(value: unknown): boolean | undefined {
  return ['boolean', 'number', 'string'].includes(typeof value)
    ? BOOLEANS.get(String(value).trim().toLowerCase())
    : undefined
}

function booleanInto(eventType: EventTypeName): PutAttribute {
  return (events, given) => putAvailable(events, eventType, booleanOf(given))
}

/** Arrays are lists of fault codes. */
function textInto(eventType: EventTypeName): PutAttribute {
  return (events, given) => {
    const text = typeof given === 'number' || Array.isArray(given) ? JSON.stringify(given) : given
    return putAvailable(events, eventType, typeof text === 'string' ? text : undefined)
  }
}

/** Several alarms of one instant are separated by commas. */
function alarmsOf(alarm: unknown): readonly string[] {
  if (typeof alarm !== 'string') return alarm === null || alarm === undefined ? [] : ['']
  return alarm
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '')
}

function putAlarm(events: Events, meaning: AlarmMeaning | undefined): boolean {
  if (!meaning) return false
  const value =
    'value' in meaning
      ? meaning.value
      : meaning.valueOf.map(name => events.get(requiredEventType(name).id)).find(found => found !== undefined)
  if (value === undefined) return false
  events.set(requiredEventType(meaning.eventType).id, value)
  return true
}

/** Without this a tracker that once sent `powerCut` would stay unplugged: few protocols send `powerRestored`. */
function putPluggedIn(events: Events): void {
  const volts = events.get(BATTERY_VOLTAGE)
  if (typeof volts === 'number' && volts >= PLUGGED_IN_VOLTS && !events.has(IS_DONGLE_PLUGGED_IN))
    events.set(IS_DONGLE_PLUGGED_IN, true)
}

/** A fix of a GNSS receiver for one instant; undefined where it reported nothing. */
export interface GpsFix {
  readonly lat: number
  readonly lon: number
  readonly altitudeM: number | undefined
  readonly speedKmh: number | undefined
  /** From north, clockwise. */
  readonly courseDeg: number | undefined
  /** How far the place may be off, in metres; 0 and less is none. */
  readonly accuracyM: number | undefined
}

/** A knot is exactly 1,852 m per hour (ISO 80000-3). */
export const KMH_PER_KNOT = 1.852
export const KMH_PER_METRE_PER_SECOND = 3.6

const POSITION = requiredEventType('POSITION').id

/** Adds a fix, unless it is not on the earth or too coarse. Receivers without a fix report latitude 0 and longitude 0.
 * @returns the name under which a coarse one is counted */
function putGpsFix(events: Map<EventTypeId, EventValue>, fix: GpsFix): readonly string[] {
  const { lat, lon, altitudeM, speedKmh, courseDeg, accuracyM = 0 } = fix
  const isPlace = Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && !(lat === 0 && lon === 0)
  if (!isPlace) return []
  if (accuracyM > COARSEST_FIX_M) return ['coarseFix']
  events.set(POSITION, { lon, lat })
  putAvailable(events, 'GPS_ALTITUDE', altitudeM)
  putAvailable(events, 'GPS_SPEED', speedKmh === undefined ? undefined : withoutDust(speedKmh))
  putAvailable(events, 'GPS_COURSE', courseDeg === 360 ? 0 : courseDeg)
  if (accuracyM > 0) putAvailable(events, 'GPS_HDOP', Math.round((100 * accuracyM) / METRES_PER_HDOP) / 100)
  return []
}

/** 50 km/h sent as 26.99785 kn become 50 again; no receiver measures a thousandth of a km/h. */
function withoutDust(speedKmh: number): number {
  return Math.round(speedKmh * 1000) / 1000
}

/** @throws ClientError 400 when it is no number of a device, as a text or as a number */
export function readDeviceId(value: unknown, name: string): DeviceId {
  const deviceId = typeof value === 'string' ? deviceIdOfText(value.replaceAll('\0', '').trim()) : deviceIdOf(value)
  if (deviceId === undefined)
    throw badRequest(`${name} must be the number of the device: an IMEI, or other digits below 2^53.`)
  return deviceId
}

/** Counts of seconds end here, as in Traccar: above are milliseconds. */
const LAST_SECOND = 2 ** 31 - 1

/** Reads seconds or milliseconds since 1970, also as a text, or a timestamp as in requests; UTC where no zone is named.
 * @returns milliseconds since 1970, or undefined when it is none of these */
export function timeMsOf(value: unknown): number | undefined {
  const number = numberOf(value)
  if (number === undefined) return typeof value === 'string' ? parseTimeMs(value) : undefined
  const timeMs = Math.floor(number < LAST_SECOND ? number * 1000 : number)
  return Number.isSafeInteger(timeMs) ? timeMs : undefined
}

/** @returns undefined for anything but a JSON object. */
export function jsonFieldsOf(value: unknown): JsonFields | undefined {
  return isObject(value) ? value : undefined
}
