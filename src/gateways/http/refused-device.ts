import { badRequest, type ClientError } from '../../errors.ts'
import type { DeviceId } from '../../intake/sample.ts'

/** How an error names a device that may not report: by the first event that holds it. */
export function refusedDevice(events: readonly unknown[], deviceIds: ReadonlySet<DeviceId>): ClientError {
  const index = events.findIndex(event => {
    const { deviceId, device_id } = event as { readonly deviceId?: DeviceId; readonly device_id?: DeviceId }
    const id = deviceId ?? device_id
    return id !== undefined && deviceIds.has(id)
  })
  return badRequest(`events[${index}].deviceId is not a device of this account.`)
}
