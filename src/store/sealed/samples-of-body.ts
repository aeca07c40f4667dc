import type { DeviceId } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { StoredSample } from './sealed-body.ts'
import { UnpackedBody } from './unpacked-body.ts'

/**
 * Reads a body.
 * @param wanted only samples from `fromMs` until before `toMs`; without it, all
 * @throws Error for a body of another version, or that is none
 */
export function samplesOfBody(deviceId: DeviceId, body: Uint8Array, wanted: TimeRange = EVER): StoredSample[] {
  return samplesOfUnpacked(deviceId, new UnpackedBody(body), wanted)
}

/** The same of a body that is unpacked. */
export function samplesOfUnpacked(
  deviceId: DeviceId,
  unpacked: UnpackedBody,
  wanted: TimeRange = EVER,
): StoredSample[] {
  const { first, end } = unpacked.placesIn(wanted)
  return Array.from({ length: Math.max(0, end - first) }, (_, offset) => unpacked.sampleAt(deviceId, first + offset))
}

const EVER = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
