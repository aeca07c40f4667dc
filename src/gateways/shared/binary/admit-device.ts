import type { Admission, DeviceAdmission } from '../../../ingest/device-admission.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { RefusedLogins } from './refused-logins.ts'

/** Whether a device may report. */
type Admitted =
  | Admission
  /** Its peer presented too many unknown devices, so it gets no answer at all. */
  | { readonly kind: 'unanswered' }

interface AdmissionParts {
  readonly admission: DeviceAdmission
  readonly refusedLogins: RefusedLogins
  readonly clock: Clock
}

/**
 * Checks whether a device that a peer names may report.
 * @throws ClientError 503 when this can not be determined at the moment.
 */
export async function admitDevice(
  deviceId: DeviceId,
  { sender, peer }: { readonly sender: string; readonly peer: string },
  { admission, refusedLogins, clock }: AdmissionParts,
): Promise<Admitted> {
  const admitted = await admission.admit(deviceId, sender)
  const isAdmitted = admitted.kind === 'admitted'
  const isAnswered = refusedLogins.isAnswered(peer, deviceId, isAdmitted, clock.monotonicMs())
  return isAnswered ? admitted : { kind: 'unanswered' }
}
