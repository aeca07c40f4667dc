import type { DeviceId } from '../model/sample.ts'
import type { TimeRange } from '../model/time-range.ts'

/** An interval of a device whose samples are wanted. */
export interface Interval extends TimeRange {
  readonly deviceId: DeviceId
}
