import type { Logger } from 'pino'
import { clientErrorOf } from '../../db/faults.ts'
import { byClock } from '../../model/dongle-clock.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { DeviceAdmission } from '../../pipeline/device-admission.ts'
import type { Intake } from '../../pipeline/intake.ts'
import type { RejectedFrames } from '../shared/rejected-frames.ts'
import type { Frame } from './codec/frame.ts'
import type { MessageLog } from './message-log.ts'
import type { FrameOutcome, TeltonikaMetrics, Transport } from './metrics.ts'

/** What both transports work with. */
export interface TeltonikaParts {
  readonly intake: Pick<Intake, 'take'>
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
 * @param tell called after the commit, or when it is known that there will be none. A callback and no promise, because
 * a fleet that comes back has thousands of frames here at once.
 */
export function takeFrame(received: ReceivedFrame, parts: TeltonikaParts, tell: (taken: TakenFrame) => void): void {
  const { frame, deviceId, sender, bytes, transport } = received
  const { rejected, metrics, messageLog } = parts
  const end = (taken: TakenFrame) => {
    metrics.frame(transport, taken.outcome)
    tell(taken)
  }
  switch (frame.kind) {
    case 'broken':
      rejected.keep({ gateway: 'teltonika', deviceId, sender, why: frame.why, bytes })
      end({ outcome: 'broken', acknowledged: undefined })
      break
    case 'messages':
      messageLog.tell(deviceId, frame)
      end({ outcome: 'messages', acknowledged: undefined })
      break
    case 'data':
      metrics.unknownIds(frame.unknownIds)
      storeRecords(frame, received, parts, end)
  }
}

function storeRecords(
  { records, samples: sent }: Extract<Frame, { kind: 'data' }>,
  received: ReceivedFrame,
  parts: TeltonikaParts,
  end: (taken: TakenFrame) => void,
): void {
  const stored = { outcome: 'stored', acknowledged: records } as const
  if (sent.length === 0) {
    end(stored)
    return
  }
  const { samples, misdated } = byClock(sent, Date.now())
  parts.intake.take(
    { samples, misdated, accountId: undefined },
    {
      stored: ({ kind }) => end(kind === 'stored' ? stored : refuse(received, parts)),
      failed: error => end(leave(error, received, parts)),
    },
  )
}

function refuse({ deviceId, sender, bytes }: ReceivedFrame, { rejected }: TeltonikaParts): TakenFrame {
  rejected.keep({ gateway: 'teltonika', deviceId, sender, why: `The device ${deviceId} may not report.`, bytes })
  return { outcome: 'refused', acknowledged: undefined }
}

/** Nothing of it was stored. */
function leave(
  error: unknown,
  { deviceId, sender, bytes }: ReceivedFrame,
  { rejected, log }: TeltonikaParts,
): TakenFrame {
  if (clientErrorOf(error)) log.debug({ err: error, deviceId }, 'a frame could not be stored now')
  else {
    log.error({ err: error, deviceId }, 'a frame could not be stored')
    rejected.keep({ gateway: 'teltonika', deviceId, sender, why: 'It could not be stored; see the log.', bytes })
  }
  return { outcome: 'waiting', acknowledged: undefined }
}
