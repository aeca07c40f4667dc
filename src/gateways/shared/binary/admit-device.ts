import type { DeviceId } from '../../../model/sample.ts'
import type { Admission, DeviceAdmission } from '../../../pipeline/device-admission.ts'
import type { RefusedLogins } from './refused-logins.ts'

/** Whether a device that names itself may report. */
export type Admitted =
  | Admission
  /** Its peer presented too many strangers, so it is told nothing, and neither whether it may. */
  | { readonly kind: 'unanswered' }

/**
 * Asks whether a device may report, as somebody who names it wants to know.
 * @throws ClientError 503 when it can not be told at the moment.
 */
export async function admitDevice(
  deviceId: DeviceId,
  { sender, peer }: { readonly sender: string; readonly peer: string },
  { admission, refusedLogins }: { readonly admission: DeviceAdmission; readonly refusedLogins: RefusedLogins },
): Promise<Admitted> {
  const admitted = await admission.admit(deviceId, sender)
  const isAdmitted = admitted.kind === 'admitted'
  const isAnswered = refusedLogins.isAnswered(peer, deviceId, isAdmitted, performance.now())
  return isAnswered ? admitted : { kind: 'unanswered' }
}
