import { type EventTypeId, requiredEventType } from '../../catalogue/event-types.ts'
import { badRequest } from '../../model/errors.ts'
import { type DeviceId, deviceIdOfText, type EventValue } from '../../model/sample.ts'
import { parseTimeMs } from '../../server/http/timestamps.ts'
import { KMH_PER_KNOT, putGpsFix } from '../shared/gps-fix.ts'
import { type JsonFields, jsonFieldsOf } from '../shared/json-fields.ts'
import type { Report } from '../shared/received-reports.ts'
import { ODOMETER_ATTRIBUTES } from '../shared/tracker-attributes/attributes.ts'
import { numberInto, numberOf, readAttributes } from '../shared/tracker-attributes/read-attributes.ts'
import { cellInfoOf } from './cell-info.ts'
import { isMovingOf } from './motion.ts'

/** Which of the two odometers is MILEAGE. */
export type Odometer = keyof typeof ODOMETER_ATTRIBUTES

/** A report is sent some seconds after its fix; an older fix is the previous one, which Traccar repeats. */
const MAX_FIX_AGE_MS = 5_000

const IS_MOVING = requiredEventType('IS_MOVING').id
const NETWORK_CELL_INFO = requiredEventType('NETWORK_CELL_INFO').id
/** Attributes that are read here: the chosen odometer, and motion, which depends on the fix. */
const OWN_ATTRIBUTES: ReadonlySet<string> = new Set([
  'motion',
  ODOMETER_ATTRIBUTES.OBD.attribute,
  ODOMETER_ATTRIBUTES.DEVICE.attribute,
])
const MILEAGE_FROM = { OBD: numberInto(ODOMETER_ATTRIBUTES.OBD), DEVICE: numberInto(ODOMETER_ATTRIBUTES.DEVICE) }

/**
 * Reads one body of Traccar's JSON forwarder: its models `Position` (times in ISO 8601, speed in knots, distances in
 * metres) and `Device`.
 * @param where how an error names the body, such as `[3].`; empty for the only one
 * @throws ClientError 400 naming the field without which a position can not be kept
 */
export function readForwardedPosition(body: unknown, where: string, odometer: Odometer): Report {
  const fields = jsonFieldsOf(body)
  const position = jsonFieldsOf(fields?.position)
  if (!position) throw badRequest(`${where}position must be an object, as Traccar forwards it with forward.type json.`)
  const deviceId = deviceIdIn(jsonFieldsOf(fields?.device), where)
  // Every report of Traccar has it; the time of the fix may be that of an old one.
  const timeMs = timeOf(position.deviceTime, `${where}position.deviceTime`)
  const attributes = jsonFieldsOf(position.attributes) ?? {}
  const hasFix = isFixOf(position, timeMs, attributes)
  const speedKnots = numberOf(position.speed)

  const events = new Map<EventTypeId, EventValue>()
  if (hasFix) putFix(events, position, speedKnots)
  const leftOut = readAttributes(attributes, events).filter(name => !OWN_ATTRIBUTES.has(name))
  MILEAGE_FROM[odometer](events, attributes[ODOMETER_ATTRIBUTES[odometer].attribute])
  const isMoving = isMovingOf(attributes.motion, speedKnots, hasFix)
  if (isMoving !== undefined) events.set(IS_MOVING, isMoving)
  const cellInfo = cellInfoOf(position.network)
  if (cellInfo !== undefined) events.set(NETWORK_CELL_INFO, cellInfo)
  return { deviceId, timeMs, events, leftOut }
}

function deviceIdIn(device: JsonFields | undefined, where: string): DeviceId {
  const { uniqueId } = device ?? {}
  const deviceId = typeof uniqueId === 'string' ? deviceIdOfText(uniqueId.trim()) : undefined
  if (deviceId === undefined)
    throw badRequest(`${where}device.uniqueId must be an IMEI, digits of a number below 2^53.`)
  return deviceId
}

function timeOf(value: unknown, name: string): number {
  const timeMs = instantOf(value)
  if (timeMs === undefined)
    throw badRequest(`${name} must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797+00:00.`)
  return timeMs
}

/** Milliseconds since 1970 of a time written by Jackson: a text or a number. */
function instantOf(value: unknown): number | undefined {
  const timeMs = typeof value === 'string' ? parseTimeMs(value) : value
  return typeof timeMs === 'number' && Number.isSafeInteger(timeMs) ? timeMs : undefined
}

/**
 * Whether latitude, longitude and speed were measured for this report. Otherwise Traccar repeats those of the fix
 * before, with its `fixTime`, or has looked up the cells of the telephone network (`approximate`).
 */
function isFixOf({ valid, outdated, fixTime }: JsonFields, timeMs: number, { approximate }: JsonFields): boolean {
  if (valid !== true || outdated === true || approximate === true) return false
  if (fixTime === undefined || fixTime === null) return true
  const fixTimeMs = instantOf(fixTime)
  return fixTimeMs !== undefined && Math.abs(fixTimeMs - timeMs) <= MAX_FIX_AGE_MS
}

function putFix(events: Map<EventTypeId, EventValue>, position: JsonFields, speedKnots: number | undefined): void {
  const [lat, lon, altitudeM] = [position.latitude, position.longitude, position.altitude].map(numberOf)
  if (lat === undefined || lon === undefined) return
  putGpsFix(events, {
    lat,
    lon,
    // Traccar writes 0 when the tracker sent no altitude.
    altitudeM: altitudeM === 0 ? undefined : altitudeM,
    speedKmh: speedKnots === undefined ? undefined : speedKnots * KMH_PER_KNOT,
    courseDeg: numberOf(position.course),
  })
}
