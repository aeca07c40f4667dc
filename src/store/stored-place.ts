import { timestampOfUs } from '../db/revisions.ts'
import type { RawSample } from './packed-samples.ts'

/** A sample in the order of storing: revision, time, device. */
export interface StoredPlace {
  readonly stored: string
  readonly time: string
  readonly deviceId: number
}

/** The position of a sample in the order of storing. */
export function placeOf({
  storedUs,
  timeMs,
  deviceId,
}: Pick<RawSample, 'storedUs' | 'timeMs' | 'deviceId'>): StoredPlace {
  return { stored: timestampOfUs(storedUs), time: timestampOfUs(timeMs * 1000), deviceId }
}
