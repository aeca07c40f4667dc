import { badRequest } from '../../model/errors.ts'
import { type GpsFix, type JsonFields, jsonFieldsOf, KMH_PER_METRE_PER_SECOND } from '../shared/gps-fix.ts'
import type { Report } from '../shared/reports.ts'
import { numberOf } from '../shared/tracker-attributes.ts'
import { phoneReport, readDeviceId } from './phone-report.ts'
import { timeMsOf } from './timestamp.ts'

/** Limit of locations in a body. */
export const MAX_LOCATIONS = 1000

/**
 * Reads the JSON form, which the newer Traccar Client sends: `{location, device_id}`, where `location` may be an array.
 * Speed is in m/s; -1 means unknown. Battery, activity and odometer are the phone's, not the
 * car's.
 * @throws ClientError 400 naming the field without which the report can not be kept
 */
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
    return phoneReport({
      deviceId,
      timeMs,
      fix: coords && fixOf(coords, `${name}.coords`),
      accuracyM: numberOf(coords?.accuracy),
      isMoving: typeof isMoving === 'boolean' ? isMoving : undefined,
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
  }
}
