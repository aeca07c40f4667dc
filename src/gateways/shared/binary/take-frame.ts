import type { Logger } from 'pino'
import { clientErrorOf } from '../../../db/faults.ts'
import type { Admission, DeviceAdmission } from '../../../ingest/device-admission.ts'
import type { Intake } from '../../../ingest/intake.ts'
import { type Clock, SYSTEM_CLOCK } from '../../../lib/clock.ts'
import { byClock } from '../../../model/dongle-clock.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { RejectedFrames } from '../rejected-frames.ts'
import type { RefusedLogins } from './limits.ts'
import type { BinaryMetrics, FrameOutcome, Transport } from './metrics.ts'
import type { BinaryProtocol, DeviceMessage, ReportedFrame } from './protocol.ts'

/** What both transports use. */
export interface BinaryParts {
  readonly protocol: BinaryProtocol
  readonly intake: Pick<Intake, 'take'>
  readonly admission: DeviceAdmission
  readonly rejected: RejectedFrames
  readonly metrics: BinaryMetrics
  readonly messageLog: MessageLog
  readonly log: Logger
  readonly clock: Clock
}

interface ReceivedFrame {
  readonly frame: ReportedFrame
  readonly deviceId: DeviceId
  /** The address it came from. */
  readonly sender: string
  readonly bytes: Buffer
  readonly transport: Transport
  /** As the log numbers it; undefined over UDP. */
  readonly connection?: number
}

export interface TakenFrame {
  readonly outcome: FrameOutcome
  /** The answer to the device; undefined when it gets none. */
  readonly answer: Buffer | undefined
}

/**
 * Stores the content of a frame.
 * @param notify called after the commit, or when it is known that there will be none. A callback instead of a promise,
 * because a fleet that reconnects has thousands of frames here at once.
 */
export function takeFrame(received: ReceivedFrame, parts: BinaryParts, notify: (taken: TakenFrame) => void): void {
  const { frame, deviceId, sender, bytes, transport, connection } = received
  const { protocol, rejected, metrics, messageLog } = parts
  const end = (taken: TakenFrame) => {
    metrics.frame(transport, taken.outcome)
    notify(taken)
  }
  switch (frame.kind) {
    case 'broken':
      rejected.keep({ gateway: protocol.name, deviceId, sender, connection, why: frame.why, bytes })
      end({ outcome: 'broken', answer: undefined })
      break
    case 'messages':
      messageLog.log(deviceId, frame.messages)
      end({ outcome: 'messages', answer: undefined })
      break
    case 'data':
      metrics.unknownIds(frame.unknownIds)
      storeRecords(frame, received, parts, end)
  }
}

function storeRecords(
  { samples: sent, acknowledgement }: Extract<ReportedFrame, { kind: 'data' }>,
  received: ReceivedFrame,
  parts: BinaryParts,
  end: (taken: TakenFrame) => void,
): void {
  const stored = { outcome: 'stored', answer: acknowledgement } as const
  if (sent.length === 0) {
    end(stored)
    return
  }
  const { samples, misdated } = byClock(sent, parts.clock.wallMs())
  parts.intake.take(
    { samples, misdated, accountId: undefined, sender: senderInLog(received, parts) },
    {
      stored: ({ kind }) => end(kind === 'stored' ? stored : refuse(received, parts)),
      failed: error => end(leave(error, received, parts)),
    },
  )
}

/** Not kept with the connection: of most of them no frame is waiting. */
function senderInLog({ deviceId, connection }: ReceivedFrame, { protocol }: BinaryParts): string {
  return connection === undefined
    ? `${protocol.name} ${deviceId}`
    : `${protocol.name} ${deviceId} (connection ${connection})`
}

function refuse(
  { deviceId, sender, bytes, connection }: ReceivedFrame,
  { protocol, rejected }: BinaryParts,
): TakenFrame {
  const why = `The device ${deviceId} may not report.`
  rejected.keep({ gateway: protocol.name, deviceId, sender, connection, reason: 'unknown device', why, bytes })
  return { outcome: 'refused', answer: undefined }
}

/** Nothing of it was stored. */
function leave(
  error: unknown,
  { deviceId, sender, bytes, connection }: ReceivedFrame,
  { protocol, rejected, log }: BinaryParts,
): TakenFrame {
  if (clientErrorOf(error)) log.debug({ err: error, deviceId, connection }, 'a frame could not be stored now')
  else {
    log.error({ err: error, deviceId, connection }, 'a frame could not be stored')
    const why = 'It could not be stored; see the log.'
    rejected.keep({ gateway: protocol.name, deviceId, sender, connection, reason: 'not stored', why, bytes })
  }
  return { outcome: 'waiting', answer: undefined }
}

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

/** Answers to commands come one by one; a device that sends more must not fill the disk with the log. */
const MOST_A_SECOND = 20
const MOST_CHARACTERS = 1000

/** Logs text messages of devices, such as answers to commands. */
export class MessageLog {
  readonly #log: Logger
  readonly #clock: Clock
  #secondStartMs = Number.NEGATIVE_INFINITY
  #toldInSecond = 0
  #untold = 0

  constructor(log: Logger, clock: Clock = SYSTEM_CLOCK) {
    this.#log = log
    this.#clock = clock
  }

  log(deviceId: DeviceId, messages: readonly DeviceMessage[]): void {
    for (const { fields, text } of messages) {
      if (!this.#hasRoom()) {
        this.#untold++
        continue
      }
      const untold = this.#untold === 0 ? {} : { untold: this.#untold }
      this.#log.info({ deviceId, ...fields, text: text.slice(0, MOST_CHARACTERS), ...untold }, 'a message of a device')
      this.#untold = 0
    }
  }

  #hasRoom(): boolean {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs > this.#secondStartMs + 1000) {
      this.#secondStartMs = nowMs
      this.#toldInSecond = 0
    }
    return this.#toldInSecond++ < MOST_A_SECOND
  }
}
