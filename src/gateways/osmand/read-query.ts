import { badRequest } from '../../model/errors.ts'
import { type GpsFix, KMH_PER_KNOT } from '../shared/gps-fix.ts'
import type { Report } from '../shared/reports.ts'
import { booleanOf, numberOf } from '../shared/tracker-attributes.ts'
import { phoneReport, readDeviceId } from './phone-report.ts'
import { timeMsOf } from './timestamp.ts'

/** Parameters that are read here; all others are attributes. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'id',
  'deviceid',
  'timestamp',
  'lat',
  'lon',
  'location',
  'valid',
  'speed',
  'bearing',
  'heading',
  'altitude',
  'accuracy',
  'motion',
  'cell',
  'wifi',
  'batt',
  'charge',
  'key',
])

/**
 * Reads the form with everything in query or form parameters: OsmAnd, the older Traccar Client,
 * scripts. Speed is in knots. If a parameter is repeated, the first one counts.
 * @param nowMs the time of a report without one
 * @throws ClientError 400 naming the parameter without which the report can not be kept
 */
export function readQuery(parameters: URLSearchParams, nowMs: number): Report {
  const idName = parameters.has('id') ? 'id' : 'deviceid'
  const idText = parameters.get(idName)
  if (idText === null) throw badRequest('The parameter id is missing; it must be the IMEI of the device.')
  const timestamp = parameters.get('timestamp')
  const timeMs = timestamp === null ? nowMs : timeMsOf(timestamp)
  if (timeMs === undefined)
    throw badRequest('timestamp must be in seconds or milliseconds since 1970, or an ISO 8601 timestamp.')
  return phoneReport({
    deviceId: readDeviceId(idText, idName),
    timeMs,
    fix: fixOf(parameters),
    accuracyM: numberOf(parameters.get('accuracy')),
    isMoving: booleanOf(parameters.get('motion')),
    cellInfo: cellInfoOf(parameters.get('cell')),
    attributes: Object.fromEntries([...parameters].filter(([name]) => !OWN_NAMES.has(name)).toReversed()),
  })
}

function fixOf(parameters: URLSearchParams): GpsFix | undefined {
  const isValid = ['true', '1'].includes(parameters.get('valid') ?? 'true')
  const [lat, lon] = placeOf(parameters)
  if (!isValid || lat === undefined || lon === undefined) return undefined
  const speedKnots = numberOf(parameters.get('speed'))
  return {
    lat,
    lon,
    altitudeM: numberOf(parameters.get('altitude')),
    speedKmh: speedKnots === undefined ? undefined : speedKnots * KMH_PER_KNOT,
    courseDeg: numberOf(parameters.get('bearing') ?? parameters.get('heading')),
  }
}

/** `lat` and `lon`, or both in `location`. */
function placeOf(parameters: URLSearchParams): readonly (number | undefined)[] {
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
