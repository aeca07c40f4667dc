import type { Logger } from 'pino'
import { clientErrorOf } from '../../db/faults.ts'
import type { Intake } from '../../ingest/intake.ts'
import type { Outcome, Submission } from '../../ingest/submission.ts'
import { Backoff, type Clock, pause } from '../../lib/clock.ts'
import type { BodyReader } from '../shared/bodies/body-reader.ts'
import { type Message, readMessage } from './read-message.ts'
import type { RefusedMessages } from './refused-messages.ts'

/** The outcome of a message. All but `waiting` are acknowledged, or the broker would redeliver it for ever. */
export type MessageOutcome =
  | 'stored'
  /** It can not be read. */
  | 'unreadable'
  /** Its device is unknown and may not join. */
  | 'unknown'
  /** Its account is over a quota: the PUBACK states it; with QoS 0 there is none. */
  | 'over quota'
  /** It could not be stored yet: the broker keeps it. */
  | 'waiting'

interface TakeOptions {
  readonly intake: Pick<Intake, 'submit'>
  readonly bodies: BodyReader
  readonly refused: RefusedMessages
  readonly log: Logger
  readonly clock: Clock
}

/** How long a message waits for the database; then the broker redelivers it, perhaps to another node. */
const PATIENCE_MS = 60_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

/**
 * Reads a message and stores its events.
 * @param gone aborted when the message can no longer be acknowledged
 * @returns after the commit, or when it is known that there will be none; never throws.
 */
export async function takeMessage(message: Message, options: TakeOptions, gone: AbortSignal): Promise<MessageOutcome> {
  const { bodies, refused } = options
  const read = await readMessage(message, options.clock.wallMs(), bodies)
  if (read.kind === 'not now') return 'waiting'
  if (read.kind === 'unreadable') {
    refused.keep(message, read.deviceId, read.why, 'unreadable')
    return 'unreadable'
  }
  const { deviceId, submission } = read
  if (submission.samples.length + (submission.misdated?.length ?? 0) === 0) return 'stored'
  const outcome = await submitPatiently({ ...submission, sender: `mqtt ${message.topic}` }, options, gone)
  if (outcome === undefined) return 'waiting'
  if (outcome.kind === 'over quota') {
    refused.log(message, outcome.why)
    return 'over quota'
  }
  if (outcome.kind === 'stored') return 'stored'
  const why = `The device ${deviceId} is unknown and may not join (UNKNOWN_DEVICES).`
  refused.keep(message, deviceId, why, 'unknown device')
  return 'unknown'
}

/** @returns undefined when it could not be stored in time. */
async function submitPatiently(
  submission: Submission,
  { intake, log, clock }: TakeOptions,
  gone: AbortSignal,
): Promise<Outcome | { readonly kind: 'over quota'; readonly why: string } | undefined> {
  const untilMs = clock.monotonicMs() + PATIENCE_MS
  const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
  while (!gone.aborted && clock.monotonicMs() < untilMs) {
    try {
      return await intake.submit(submission)
    } catch (error) {
      const { status, message = '' } = clientErrorOf(error) ?? {}
      if (status === 429) return { kind: 'over quota', why: message }
      // What was parsed can be stored: any error is ours, and no reason to lose a message.
      if (clientErrorOf(error)) log.debug({ err: error }, 'a message of MQTT waits')
      else log.error({ err: error }, 'a message of MQTT could not be stored; it waits')
    }
    await pause(backoff.next(), gone, clock)
  }
  return undefined
}
