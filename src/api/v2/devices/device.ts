import type { DeviceRow } from './query.ts'
import type { Device } from './schema.ts'

/** A device as clients get it. */
export function deviceOf({ modified, ...fields }: DeviceRow): Device {
  return { ...fields, modifyTimestamp: modified }
}
