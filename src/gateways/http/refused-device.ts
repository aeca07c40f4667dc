import { badRequest, type ClientError } from '../../model/errors.ts'
import type { DeviceId } from '../../model/sample.ts'

/**
 * How an error names a device that may not report: by the first event that holds it.
 * @param firstOf for each device of the body the index of its first event
 */
export function refusedDevice(firstOf: ReadonlyMap<DeviceId, number>, deviceIds: ReadonlySet<DeviceId>): ClientError {
  const index = Math.min(...[...deviceIds].map(id => firstOf.get(id) ?? Number.POSITIVE_INFINITY))
  return badRequest(`events[${index}].deviceId is not a device of this account.`)
}
