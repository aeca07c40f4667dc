import type { Logger } from 'pino'
import type { DeviceAdmission } from '../../intake/device-admission.ts'
import { byClock } from '../../intake/dongle-clock.ts'
import type { Intake } from '../../intake/intake.ts'
import type { RejectedFrames } from '../../intake/rejected-frames.ts'
import type { DeviceId } from '../../intake/sample.ts'
import { clientErrorOf } from '../../store/faults.ts'
import type { Frame } from './codec/frame.ts'
import type { MessageLog } from './message-log.ts'
import type { FrameOutcome, TeltonikaMetrics, Transport } from './metrics.ts'

/** What both transports work with. */
export interface TeltonikaParts {
  readonly intake: Pick<Intake, 'submit'>
  readonly admission: DeviceAdmission
  readonly rejected: RejectedFrames
  readonly metrics: TeltonikaMetrics
  readonly messageLog: MessageLog
  readonly log: Logger
}

export interface ReceivedFrame {
  readonly frame: Frame
  readonly deviceId: DeviceId
  /** The address it came from. */
  readonly sender: string
  readonly bytes: Buffer
  readonly transport: Transport
}

/** For how many records the device is to be told that they are stored; undefined when it gets no answer. */
export interface TakenFrame {
  readonly outcome: FrameOutcome
  readonly acknowledged: number | undefined
}

/**
 * Stores what a frame says.
 * @returns after the commit, or when it is known that there will be none; never throws.
 */
export async function takeFrame(received: ReceivedFrame, parts: TeltonikaParts): Promise<TakenFrame> {
  const taken = await outcomeOf(received, parts)
  parts.metrics.frame(received.transport, taken.outcome)
  return taken
}

async function outcomeOf(received: ReceivedFrame, parts: TeltonikaParts): Promise<TakenFrame> {
  const { frame, deviceId, sender, bytes } = received
  const { rejected, metrics, messageLog } = parts
  switch (frame.kind) {
    case 'broken':
      rejected.keep({ gateway: 'teltonika', deviceId, sender, why: frame.why, bytes })
      return { outcome: 'broken', acknowledged: undefined }
    case 'messages':
      messageLog.tell(deviceId, frame)
      return { outcome: 'messages', acknowledged: undefined }
    case 'data':
      metrics.unknownIds(frame.unknownIds)
      return storeRecords(frame, received, parts)
  }
}

async function storeRecords(
  { records, samples }: Extract<Frame, { kind: 'data' }>,
  { deviceId, sender, bytes }: ReceivedFrame,
  { intake, rejected, log }: TeltonikaParts,
): Promise<TakenFrame> {
  if (samples.length === 0) return { outcome: 'stored', acknowledged: records }
  try {
    const { kind } = await intake.submit({ ...byClock(samples, Date.now()), accountId: undefined })
    if (kind === 'stored') return { outcome: 'stored', acknowledged: records }
    rejected.keep({ gateway: 'teltonika', deviceId, sender, why: `The device ${deviceId} may not report.`, bytes })
    return { outcome: 'refused', acknowledged: undefined }
  } catch (error) {
    if (clientErrorOf(error)) log.debug({ err: error, deviceId }, 'a frame could not be stored now')
    else {
      log.error({ err: error, deviceId }, 'a frame could not be stored')
      rejected.keep({ gateway: 'teltonika', deviceId, sender, why: 'It could not be stored; see the log.', bytes })
    }
    return { outcome: 'waiting', acknowledged: undefined }
  }
}
