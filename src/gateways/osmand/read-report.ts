import type { EventTypeId } from '../../catalogue/event-types.ts'
import { textOfBody } from '../../lib/text-of-bytes.ts'
import { badRequest, ClientError } from '../../model/errors.ts'
import type { JsonFields } from '../../model/json-object.ts'
import type { DeviceId, EventValue } from '../../model/sample.ts'
import { bareText, type JsonBounds, parseJson, requireBounded } from '../../server/http/json-bounds.ts'
import { type Report, readingOfReports, receivedReports } from '../shared/reports.ts'
import {
  booleanOf,
  type GpsFix,
  jsonFieldsOf,
  KMH_PER_KNOT,
  KMH_PER_METRE_PER_SECOND,
  numberOf,
  putInstant,
  readDeviceId,
  timeMsOf,
} from '../shared/tracker-attributes.ts'

const MAX_LOCATIONS = 1000

export interface PhoneTerms {
  /** Everything that is not JSON is a form, as in Traccar: phones often send a wrong content type. */
  readonly form: 'json' | 'form'
  /** The query of the address, whose parameters come before those of a form. */
  readonly query: string
  /** The time of a report without one. */
  readonly nowMs: number
}

/** Phones send some twenty-five values with each location. */
const BODY_BOUNDS: JsonBounds = { depth: 32, values: 30 * MAX_LOCATIONS }
/** A form is one report. */
const MAX_PARAMETERS = 1000

export const reading = readingOfReports('osmand', (bytes, terms: PhoneTerms) =>
  receivedReports(reportsOf(bytes, terms), () => ''),
)

/** @throws ClientError 400 naming what cannot be kept, 413 when there is too much */
function reportsOf(bytes: Uint8Array, { form, query, nowMs }: PhoneTerms): readonly Report[] {
  if (form === 'json') {
    requireBounded(bytes, BODY_BOUNDS)
    return readLocations(parseJson(textOfBody(bytes)))
  }
  const parameters = new URLSearchParams(query)
  for (const [name, value] of new URLSearchParams(bounded(bareText(textOfBody(bytes))))) parameters.append(name, value)
  return [readQuery(parameters, nowMs)]
}

function bounded(form: string): string {
  if (form.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    throw new ClientError(413, `A form may have at most ${MAX_PARAMETERS} parameters.`)
  return form
}

/** Reads the JSON of newer Traccar Clients: `{location, device_id}`, also with an array. Speed is in m/s, -1 unknown;
 * battery, activity and odometer are the phone's. @throws ClientError 400 naming the missing field */
export function readLocations(body: unknown): readonly Report[] {
  const fields = jsonFieldsOf(body)
  if (!fields) throw badRequest('The body must be an object with location and device_id.')
  const deviceId = readDeviceId(fields.device_id, 'device_id')
  const { location } = fields
  const locations: readonly unknown[] = Array.isArray(location) ? location : [location]
  if (locations.length > MAX_LOCATIONS) throw badRequest(`location may hold at most ${MAX_LOCATIONS} locations.`)
  return locations.map((one, index) => {
    const name = Array.isArray(location) ? `location[${index}]` : 'location'
    const found = jsonFieldsOf(one)
    if (!found) throw badRequest(`${name} must be an object.`)
    const timeMs = timeMsOf(found.timestamp)
    if (timeMs === undefined)
      throw badRequest(`${name}.timestamp must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.`)
    const coords = jsonFieldsOf(found.coords)
    const { is_moving: isMoving } = found
    return phoneReport(deviceId, timeMs, {
      fix: coords && fixOf(coords, `${name}.coords`),
      isMoving: booleanOf(isMoving),
      cellInfo: undefined,
      attributes: { ...jsonFieldsOf(found.extras), ...(found.alarm === undefined ? {} : { alarm: found.alarm }) },
    })
  })
}

function fixOf(coords: JsonFields, where: string): GpsFix {
  const [lat, lon, altitude, altitudeAccuracy, speedMps, heading] = [
    coords.latitude,
    coords.longitude,
    coords.altitude,
    coords.altitude_accuracy,
    coords.speed,
    coords.heading,
  ].map(numberOf)
  if (lat === undefined) throw badRequest(`${where}.latitude must be a number of degrees.`)
  if (lon === undefined) throw badRequest(`${where}.longitude must be a number of degrees.`)
  return {
    lat,
    lon,
    // A negative accuracy means that the altitude is not valid.
    altitudeM: altitudeAccuracy !== undefined && altitudeAccuracy < 0 ? undefined : altitude,
    speedKmh: speedMps === undefined ? undefined : speedMps * KMH_PER_METRE_PER_SECOND,
    courseDeg: heading,
    accuracyM: numberOf(coords.accuracy),
  }
}

/** Parameters that are read here; all others are attributes. */
const OWN_NAMES: ReadonlySet<string> = new Set(
  'id deviceid timestamp lat lon location valid speed bearing heading altitude accuracy hdop motion cell wifi batt charge key'.split(
    ' ',
  ),
)

/** Reads query or form parameters of OsmAnd, older Traccar Clients and scripts. Speed is in knots; of repeated ones,
 * the first counts. @param nowMs the time of a report without one @throws ClientError 400 naming the parameter */
export function readQuery(parameters: URLSearchParams, nowMs: number): Report {
  const idName = parameters.has('id') ? 'id' : 'deviceid'
  const idText = parameters.get(idName)
  if (idText === null) throw badRequest('The parameter id is missing; it must be the IMEI of the device.')
  const timestamp = parameters.get('timestamp')
  const timeMs = timestamp === null ? nowMs : timeMsOf(timestamp)
  if (timeMs === undefined)
    throw badRequest('timestamp must be in seconds or milliseconds since 1970, or an ISO 8601 timestamp.')
  return phoneReport(readDeviceId(idText, idName), timeMs, {
    fix: fixInQuery(parameters),
    isMoving: booleanOf(parameters.get('motion')),
    cellInfo: cellInfoOf(parameters.get('cell')),
    attributes: Object.fromEntries([...parameters].filter(([name]) => !OWN_NAMES.has(name)).toReversed()),
  })
}

function fixInQuery(parameters: URLSearchParams): GpsFix | undefined {
  const isValid = booleanOf(parameters.get('valid') ?? true) === true
  const [lat, lon] = coordinatesOf(parameters)
  if (!isValid || lat === undefined || lon === undefined) return undefined
  const speedKnots = numberOf(parameters.get('speed'))
  return {
    lat,
    lon,
    altitudeM: numberOf(parameters.get('altitude')),
    speedKmh: speedKnots === undefined ? undefined : speedKnots * KMH_PER_KNOT,
    courseDeg: numberOf(parameters.get('bearing') ?? parameters.get('heading')),
    // What OsmAnd calls hdop is the accuracy that Android states.
    accuracyM: numberOf(parameters.get('accuracy') ?? parameters.get('hdop')),
  }
}

/** `lat` and `lon`, or both in `location`. */
function coordinatesOf(parameters: URLSearchParams): readonly (number | undefined)[] {
  const location = parameters.get('location')?.split(',') ?? []
  return (['lat', 'lon'] as const).map((name, index) => {
    const text = parameters.get(name) ?? location[index] ?? null
    const degrees = numberOf(text)
    if (text !== null && degrees === undefined) throw badRequest(`${name} must be a number of degrees.`)
    return degrees
  })
}

/** `MCC,MNC,LAC,CellId`, then the strength of the signal; as the catalogue writes it. */
function cellInfoOf(cell: string | null): string | undefined {
  const parts = cell?.split(',').slice(0, 4) ?? []
  return parts.length === 4 && parts.every(part => /^\d{1,15}$/.test(part)) ? parts.map(Number).join(';') : undefined
}

function phoneReport(deviceId: DeviceId, timeMs: number, reported: Parameters<typeof putInstant>[1]): Report {
  const events = new Map<EventTypeId, EventValue>()
  return { deviceId, timeMs, events, leftOut: putInstant(events, reported) }
}
