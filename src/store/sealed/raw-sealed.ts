import { OWN_LAYOUT_ID } from '../../db/layouts.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { UnpackedSample } from '../packed-samples.ts'
import type { UnpackedBody } from './unpacked-body.ts'

/** A sealed sample beside those that were read from rows, so that whoever reads need not know which is which. */
export function rawSampleAt(
  deviceId: DeviceId,
  unpacked: UnpackedBody,
  place: number,
  { withStored }: { readonly withStored: boolean },
): UnpackedSample {
  return {
    deviceId,
    timeMs: unpacked.timeMsAt(place),
    storedUs: withStored ? unpacked.storedUsAt(place) : 0,
    layout: unpacked.layoutAt(place),
    isOwnLayout: unpacked.layoutIdAt(place) === OWN_LAYOUT_ID,
    unpacked,
    place,
  }
}

/** A sample that was read from rows hides the one of the same device and instant that is sealed: it is the newer one. */
export function keyOf({ deviceId, timeMs }: { readonly deviceId: DeviceId; readonly timeMs: number }): string {
  return `${deviceId} ${timeMs}`
}
