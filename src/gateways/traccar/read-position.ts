import type { EventTypeId } from '../../catalogue/event-types.ts'
import { textOfBody } from '../../lib/text-of-bytes.ts'
import { badRequest, ClientError } from '../../model/errors.ts'
import type { JsonFields } from '../../model/json-object.ts'
import type { EventValue } from '../../model/sample.ts'
import { type JsonBounds, parseJson, requireBounded } from '../../server/http/json-bounds.ts'
import { type ReceivedReports, type Report, readingOfReports, receivedReports } from '../shared/reports.ts'
import {
  booleanOf,
  type GpsFix,
  jsonFieldsOf,
  KMH_PER_KNOT,
  numberInto,
  numberOf,
  ODOMETER_ATTRIBUTES,
  putInstant,
  readDeviceId,
  timeMsOf,
} from '../shared/tracker-attributes.ts'

export const MAX_POSITIONS = 1000
/** Traccar's model has some fifty fields besides the attributes, and none of them nests half as deep. */
const BODY_BOUNDS: JsonBounds = { depth: 32, values: 100 * MAX_POSITIONS }

interface TraccarTerms {
  readonly odometer: Odometer
}

/** How bodies of forwarded positions are read: one position with its device, or an array of such. */
export const reading = readingOfReports('traccar', readPositions)

/** @throws ClientError 400 naming what cannot be kept, 413 when there is too much */
function readPositions(bytes: Uint8Array, { odometer }: TraccarTerms): ReceivedReports {
  requireBounded(bytes, BODY_BOUNDS)
  if (bytes.length === 0) throw badRequest('The body is empty; it must be JSON.')
  const body = parseJson(textOfBody(bytes))
  const bodies: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (bodies.length > MAX_POSITIONS)
    throw new ClientError(413, `A request may hold at most ${MAX_POSITIONS} positions.`)
  const nameOf = (index: number) => (Array.isArray(body) ? `[${index}].` : '')
  const reports = bodies.map((one, index) => readForwardedPosition(one, nameOf(index), odometer))
  return receivedReports(reports, nameOf)
}

/** Which of the two odometers is MILEAGE. */
export type Odometer = keyof typeof ODOMETER_ATTRIBUTES

/** A report is sent some seconds after its fix; an older fix is the previous one, which Traccar repeats. */
const MAX_FIX_AGE_MS = 5_000

/** Attributes that are read here: the chosen odometer, and motion, which depends on the fix. */
const OWN_ATTRIBUTES: ReadonlySet<string> = new Set([
  'motion',
  ODOMETER_ATTRIBUTES.OBD.attribute,
  ODOMETER_ATTRIBUTES.DEVICE.attribute,
])
const MILEAGE_FROM = { OBD: numberInto(ODOMETER_ATTRIBUTES.OBD), DEVICE: numberInto(ODOMETER_ATTRIBUTES.DEVICE) }

/** Reads one body of Traccar's JSON forwarder: `Position` (ISO 8601, knots, metres) and `Device`. @param where how an
 * error names it, such as `[3].` @throws ClientError 400 naming the field without which it cannot be kept */
export function readForwardedPosition(body: unknown, where: string, odometer: Odometer): Report {
  const fields = jsonFieldsOf(body)
  const position = jsonFieldsOf(fields?.position)
  if (!position) throw badRequest(`${where}position must be an object, as Traccar forwards it with forward.type json.`)
  const deviceId = readDeviceId(jsonFieldsOf(fields?.device)?.uniqueId, `${where}device.uniqueId`)
  // Every report of Traccar has it; the time of the fix may be that of an old one.
  const timeMs = timeMsOf(position.deviceTime)
  if (timeMs === undefined)
    throw badRequest(`${where}position.deviceTime must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797+00:00.`)
  const attributes = jsonFieldsOf(position.attributes) ?? {}
  const hasFix = isFixOf(position, timeMs, attributes)
  const speedKnots = numberOf(position.speed)

  const events = new Map<EventTypeId, EventValue>()
  const leftOut = putInstant(events, {
    fix: hasFix ? fixOf(position, speedKnots) : undefined,
    isMoving: isMovingOf(attributes.motion, speedKnots, hasFix),
    cellInfo: cellInfoOf(position.network),
    attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => !OWN_ATTRIBUTES.has(name))),
  })
  const { attribute } = ODOMETER_ATTRIBUTES[odometer]
  if (!MILEAGE_FROM[odometer](events, attributes[attribute]) && attribute in attributes) leftOut.push(attribute)
  return { deviceId, timeMs, events, leftOut }
}

/** True if the fix was measured for this report. Otherwise Traccar repeats the fix before, with its `fixTime`, or has
 * looked up the cells of the telephone network (`approximate`). */
function isFixOf({ valid, outdated, fixTime }: JsonFields, timeMs: number, { approximate }: JsonFields): boolean {
  if (booleanOf(valid) !== true || booleanOf(outdated) === true || booleanOf(approximate) === true) return false
  if (fixTime === undefined || fixTime === null) return true
  const fixTimeMs = timeMsOf(fixTime)
  return fixTimeMs !== undefined && Math.abs(fixTimeMs - timeMs) <= MAX_FIX_AGE_MS
}

function fixOf(position: JsonFields, speedKnots: number | undefined): GpsFix | undefined {
  const [lat, lon, altitudeM] = [position.latitude, position.longitude, position.altitude].map(numberOf)
  if (lat === undefined || lon === undefined) return undefined
  return {
    lat,
    lon,
    // Traccar writes 0 when the tracker sent no altitude.
    altitudeM: altitudeM === 0 ? undefined : altitudeM,
    speedKmh: speedKnots === undefined ? undefined : speedKnots * KMH_PER_KNOT,
    courseDeg: numberOf(position.course),
    accuracyM: numberOf(position.accuracy),
  }
}

interface CellTower {
  readonly mobileCountryCode?: unknown
  readonly mobileNetworkCode?: unknown
  readonly locationAreaCode?: unknown
  readonly cellId?: unknown
}

/** The cell of the telephone network that serves the tracker, as `MCC;MNC;LAC;CellId` (fleet-api-v2.md, *Value formats*). */
function cellInfoOf(network: unknown): string | undefined {
  const { cellTowers } = (network ?? {}) as { readonly cellTowers?: unknown }
  const tower: CellTower | null | undefined = Array.isArray(cellTowers) ? cellTowers[0] : undefined
  if (!tower) return undefined
  const parts = [tower.mobileCountryCode, tower.mobileNetworkCode, tower.locationAreaCode, tower.cellId]
  return parts.every(part => Number.isSafeInteger(part)) ? parts.join(';') : undefined
}

/** Above this speed Traccar itself sets `motion` when the tracker does not (`event.motion.speedThreshold`). */
const TRACCAR_THRESHOLD_KNOTS = 0.01
/** A parked receiver shows less. */
const LEAST_SPEED_KMH = 5

/** The attribute `motion`, where it can be believed. Without such a sensor, Traccar derives it from the speed, also of
 * scattered fixes of a parked car, unmarked. So it counts only where the speed of a fix leaves no doubt. */
function isMovingOf(given: unknown, speedKnots: number | undefined, hasFix: boolean): boolean | undefined {
  const motion = booleanOf(given)
  if (motion === undefined) return undefined
  const speed = speedKnots ?? 0
  const isOwnWord = motion !== speed > TRACCAR_THRESHOLD_KNOTS
  if (isOwnWord) return motion
  const isDoubtful = motion && speed * KMH_PER_KNOT < LEAST_SPEED_KMH
  return hasFix && !isDoubtful ? motion : undefined
}
