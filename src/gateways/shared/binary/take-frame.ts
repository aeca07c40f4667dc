import type { Logger } from 'pino'
import { clientErrorOf } from '../../../db/faults.ts'
import type { RejectionReason } from '../../../db/rejected-frames.ts'
import type { Intake } from '../../../ingest/intake.ts'
import type { Admission, DeviceAdmission } from '../../../ingest/remembered-devices.ts'
import { type Clock, SYSTEM_CLOCK } from '../../../lib/clock.ts'
import { byClock } from '../../../model/dongle-clock.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { RejectedFrames } from '../rejected-frames.ts'
import type { Limits, RefusedLogins, UnansweredBytes } from './limits.ts'
import type { BinaryMetrics, FrameOutcome, Transport } from './metrics.ts'
import type { BinaryProtocol, DeviceMessage, ReportedFrame } from './protocol.ts'

/** The parts of a gateway that both transports use. */
export interface BinaryParts {
  readonly protocol: BinaryProtocol
  readonly intake: Pick<Intake, 'submit'>
  readonly admission: DeviceAdmission
  readonly rejected: RejectedFrames
  readonly metrics: BinaryMetrics
  readonly messageLog: MessageLog
  readonly limits: Limits
  readonly unanswered: UnansweredBytes
  readonly refusedLogins: RefusedLogins
  readonly log: Logger
  readonly clock: Clock
}

/** Where frames come from: a connection, or a datagram. */
export interface FrameSource {
  readonly deviceId: DeviceId
  readonly sender: string
  /** The device and its connection, as the log names them. */
  readonly name: string
  readonly transport: Transport
  /** As the log numbers it; undefined over UDP. */
  readonly connection?: number
}

export interface TakenFrame {
  readonly outcome: FrameOutcome
  /** The answer to the device; undefined when it gets none. */
  readonly answer: Buffer | undefined
}

/** Stores the content of a frame. Resolves after the commit, or when it is known that there will be none; never rejects.
 * @param bytes the frame as it came, to be kept if it is rejected */
export async function takeFrame(
  frame: ReportedFrame,
  bytes: Buffer,
  source: FrameSource,
  parts: BinaryParts,
): Promise<TakenFrame> {
  const { metrics, messageLog, intake, clock } = parts
  let outcome: FrameOutcome = frame.kind === 'data' ? 'stored' : frame.kind
  if (frame.kind === 'broken') reject(bytes, source, parts, frame.why)
  else if (frame.kind === 'messages') messageLog.log(source.deviceId, frame.messages)
  else {
    metrics.unknownIds(frame.unknownIds)
    if (frame.samples.length > 0) {
      const { samples, misdated } = byClock(frame.samples, clock.wallMs())
      try {
        outcome = (await intake.submit({ samples, misdated, accountId: undefined, sender: source.name })).kind
        if (outcome === 'refused')
          reject(bytes, source, parts, `The device ${source.deviceId} may not report.`, 'unknown device')
      } catch (error) {
        outcome = 'waiting'
        notStored(bytes, source, parts, error)
      }
    }
  }
  metrics.frame(source.transport, outcome)
  return { outcome, answer: frame.kind === 'data' && outcome === 'stored' ? frame.acknowledgement : undefined }
}

function notStored(bytes: Buffer, source: FrameSource, parts: BinaryParts, error: unknown): void {
  const { deviceId, connection } = source
  if (clientErrorOf(error))
    return parts.log.debug({ err: error, deviceId, connection }, 'a frame could not be stored now')
  parts.log.error({ err: error, deviceId, connection }, 'a frame could not be stored')
  reject(bytes, source, parts, 'It could not be stored; see the log.', 'not stored')
}

function reject(
  bytes: Buffer,
  { deviceId, sender, connection }: FrameSource,
  { protocol, rejected }: BinaryParts,
  why: string,
  reason?: RejectionReason,
): void {
  rejected.keep({ gateway: protocol.name, deviceId, sender, connection, why, bytes, ...(reason && { reason }) })
}

/** Unanswered: the peer presented too many unknown devices, so it gets no answer at all. */
type Admitted = Admission | { readonly kind: 'unanswered' }

/** @throws ClientError 503 when this cannot be determined now */
export async function admitDevice(
  deviceId: DeviceId,
  { sender, peer }: { readonly sender: string; readonly peer: string },
  { admission, refusedLogins, clock }: Pick<BinaryParts, 'admission' | 'refusedLogins' | 'clock'>,
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
  #inSecond = 0
  #unlogged = 0

  constructor(log: Logger, clock: Clock = SYSTEM_CLOCK) {
    this.#log = log
    this.#clock = clock
  }

  log(deviceId: DeviceId, messages: readonly DeviceMessage[]): void {
    for (const { fields, text } of messages) {
      if (!this.#hasRoom()) {
        this.#unlogged++
        continue
      }
      const unlogged = this.#unlogged === 0 ? {} : { unlogged: this.#unlogged }
      this.#log.info(
        { deviceId, ...fields, text: text.slice(0, MOST_CHARACTERS), ...unlogged },
        'a message of a device',
      )
      this.#unlogged = 0
    }
  }

  #hasRoom(): boolean {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs > this.#secondStartMs + 1000) {
      this.#secondStartMs = nowMs
      this.#inSecond = 0
    }
    return this.#inSecond++ < MOST_A_SECOND
  }
}
