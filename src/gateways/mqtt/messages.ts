import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { IPublishPacket, MqttClient } from 'mqtt'
import type { Logger } from 'pino'
import { clientErrorOf } from '../../db/faults.ts'
import type { RejectionReason } from '../../db/rejected-frames.ts'
import type { Intake } from '../../ingest/intake.ts'
import type { Outcome, Submission } from '../../ingest/submission.ts'
import { Backoff, type Clock, pause } from '../../lib/clock.ts'
import { Signal } from '../../lib/signal.ts'
import { byClock } from '../../model/dongle-clock.ts'
import { ClientError } from '../../model/errors.ts'
import { type DeviceId, deviceIdOfText, type Sample } from '../../model/sample.ts'
import type { BodyReader } from '../shared/bodies.ts'
import { reading } from '../shared/event-json.ts'
import type { RejectedFrames } from '../shared/rejected-frames.ts'

/** The outcome of a message. All but `waiting` are acknowledged, or the broker would redeliver it for ever. */
export type MessageOutcome =
  | 'stored'
  /** It cannot be read. */
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
  /** Aborted when nothing more is to be tried. */
  readonly stop: AbortSignal
}

/** How long a message waits for the database; then the broker redelivers it, perhaps to another node. */
const PATIENCE_MS = 60_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

/** Reads messages of one device and stores the events together; never throws.
 * @returns the outcome of each, after the commit, or when it is known that there will be none */
export async function takeMessages(
  messages: readonly Message[],
  options: TakeOptions,
): Promise<readonly MessageOutcome[]> {
  const read: ReadMessage[] = []
  let bytes = 0
  for (const message of messages) {
    bytes += message.payload.length
    read.push(await readMessage(message, options.bodies))
    if (bytes > LONG_BYTES) bytes = await setImmediate(0)
  }
  const samples = read.flatMap(each => (each.kind === 'events' ? each.samples : []))
  const submission = {
    ...byClock(samples, options.clock.wallMs()),
    accountId: undefined,
    cannotWait: messages.some(({ canBeRefused }) => !canBeRefused),
    sender: `mqtt ${messages[0]?.topic}`,
  }
  const outcome = samples.length === 0 ? STORED : await submitPatiently(submission, options)
  return messages.map((message, index) => outcomeOf(message, read[index], outcome, options.refused))
}

const STORED = { kind: 'stored' } as const
/** Others get a turn after so much, which took more than some tenths of a millisecond to read. */
const LONG_BYTES = 16 * 1024

function outcomeOf(
  message: Message,
  read: ReadMessage | undefined,
  outcome: Awaited<ReturnType<typeof submitPatiently>> | typeof STORED,
  refused: RefusedMessages,
): MessageOutcome {
  if (read === undefined || read.kind === 'not now') return 'waiting'
  if (read.kind === 'unreadable') {
    refused.keep(message, read.deviceId, read.why, 'unreadable')
    return 'unreadable'
  }
  if (outcome === undefined) return 'waiting'
  if (outcome.kind === 'over quota') refused.log(message, outcome.why)
  if (outcome.kind !== 'refused') return outcome.kind
  const why = `The device ${read.deviceId} is unknown and may not join (UNKNOWN_DEVICES).`
  refused.keep(message, read.deviceId, why, 'unknown device')
  return 'unknown'
}

/** @returns undefined when it could not be stored in time. */
async function submitPatiently(
  submission: Submission,
  { intake, log, clock, stop }: TakeOptions,
): Promise<Outcome | { readonly kind: 'over quota'; readonly why: string } | undefined> {
  const untilMs = clock.monotonicMs() + PATIENCE_MS
  const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
  while (!stop.aborted && clock.monotonicMs() < untilMs) {
    try {
      return await intake.submit(submission)
    } catch (error) {
      const { status, message = '' } = clientErrorOf(error) ?? {}
      if (status === 429) return { kind: 'over quota', why: message }
      // A parsed message can be stored: any error is ours, and no reason to lose it.
      if (clientErrorOf(error)) log.debug({ err: error }, 'a message of MQTT waits')
      else log.error({ err: error }, 'a message of MQTT could not be stored; it waits')
    }
    await pause(backoff.next(), stop, clock)
  }
  return undefined
}

export interface Message {
  readonly topic: string
  readonly payload: Buffer
  /** It may be refused: the broker understands it, or QoS 0 promises nothing. Otherwise it is stored despite a quota. */
  readonly canBeRefused: boolean
}

type ReadMessage =
  | { readonly kind: 'events'; readonly deviceId: DeviceId; readonly samples: readonly Sample[] }
  | { readonly kind: 'unreadable'; readonly deviceId: DeviceId | undefined; readonly why: string }
  /** Too many others are being read now. */
  | { readonly kind: 'not now' }

const MAY_BE_READ_LATER: ReadonlySet<number> = new Set([429, 503])

/** The same limit as for a request of the HTTP ingest. */
export const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024

/** Reads the JSON of the HTTP ingest; every event is of the topic's device, and one bad event refuses the whole
 * message. */
async function readMessage({ topic, payload }: Message, bodies: BodyReader): Promise<ReadMessage> {
  const deviceId = deviceIdOfText(EVENTS_TOPIC.exec(topic)?.[1] ?? '')
  if (deviceId === undefined) return { kind: 'unreadable', deviceId, why: `The topic ${topic} names no IMEI.` }
  if (payload.length > MAX_PAYLOAD_BYTES)
    return { kind: 'unreadable', deviceId, why: `A message may hold at most ${MAX_PAYLOAD_BYTES} bytes.` }
  try {
    const terms = { form: 'json', context: { sentBy: deviceId } } as const
    const { samples } = await bodies.read(reading, payload, terms, 'stranger')
    return { kind: 'events', deviceId, samples }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return MAY_BE_READ_LATER.has(error.status)
      ? { kind: 'not now' }
      : { kind: 'unreadable', deviceId, why: error.message }
  }
}

/** Devices publish to `tacho/{imei}/events`. */
export const EVENTS_FILTER = 'tacho/+/events'

/** The same as a shared subscription (MQTT 5, 4.8.2): each message is delivered to one of its connections. */
export const SHARED_EVENTS_FILTER = `$share/tacho/${EVENTS_FILTER}`

const EVENTS_TOPIC = /^tacho\/([^/]+)\/events$/

interface WaitingMessage {
  readonly message: Message
  /** Aborted when it can no longer be acknowledged: then it comes again. */
  readonly gone: AbortSignal
  readonly done: (outcome: MessageOutcome) => void
}

/** What a broker sends at once arrives within this time. */
const TOGETHER_MS = 10
/** So much of a topic is joined, beside a last message of any size: it is in memory as samples until it is stored. */
const JOINED_BYTES = 4 * 1024 * 1024

/** Takes messages of several topics at once, in order within a topic: what comes over all connections while one is taken
 * is joined, so that a device costs a transaction at a time, however much it sends.
 * @param takeTogether takes messages of one topic; never rejects @returns takes one message, until `gone` is aborted */
export function joiningTopics(takeTogether: (messages: readonly Message[]) => Promise<readonly MessageOutcome[]>) {
  /** By topic, those that may be refused apart, while messages of it are taken. */
  const waitingOf = new Map<string, WaitingMessage[]>()

  async function takeAll(key: string, waiting: WaitingMessage[]): Promise<void> {
    while (waiting.length > 0) {
      await sleep(TOGETHER_MS)
      let bytes = 0
      const most = waiting.findIndex(({ message }) => (bytes += message.payload.length) > JOINED_BYTES)
      const joined = waiting.splice(0, most < 0 ? waiting.length : most + 1)
      const present = joined.filter(({ gone }) => !gone.aborted)
      const outcomes = await takeTogether(present.map(({ message }) => message))
      present.forEach(({ done }, index) => done(outcomes[index] ?? 'waiting'))
      for (const { gone, done } of joined) if (gone.aborted) done('waiting')
    }
    waitingOf.delete(key)
  }

  return (message: Message, gone: AbortSignal): Promise<MessageOutcome> =>
    new Promise(done => {
      const key = `${message.topic} ${message.canBeRefused}`
      const waiting = waitingOf.get(key) ?? []
      waiting.push({ message, gone, done })
      if (waitingOf.has(key)) return
      waitingOf.set(key, waiting)
      void takeAll(key, waiting)
    })
}

export interface TakeAheadOptions {
  /** @returns the outcome of a message */
  readonly take: (message: Message, gone: AbortSignal) => Promise<MessageOutcome>
  /** Called when a message could not be stored for so long that the broker should redeliver it. */
  readonly onWaiting: () => void
  /** Aborted when messages can no longer be acknowledged. */
  readonly gone: AbortSignal
}

/** Messages of a connection that are taken at once. A broker sends them in order: so many of one device, which
 * empties its buffer, may be ahead of those of others. */
export const MESSAGES_AHEAD = 5000
/** A message is taken ahead only while others hold less than this, so that large ones do not fill the memory. */
const BYTES_AHEAD = 16 * 1024 * 1024

/** Reason codes of PUBACK (MQTT 5, 3.4.2.1). */
const SUCCESS = 0
const QUOTA_EXCEEDED = 0x97

/** Takes messages while others before them are taken. PUBACKs are sent in the order of arrival (MQTT 5, 4.6).
 * The library sends none after an error in its callback, so ours follows the commit. */
export function takeAhead(client: MqttClient, { take, onWaiting, gone }: TakeAheadOptions): () => Promise<void> {
  const isDone = new Signal()
  let lastAnswer: Promise<boolean> = Promise.resolve(true)
  let messages = 0
  let bytes = 0

  async function begin(message: Message): Promise<MessageOutcome> {
    const { length } = message.payload
    messages++
    bytes += length
    const outcome = await take(message, gone)
    messages--
    bytes -= length
    isDone.emit()
    // A message shows that the broker is alive; the answer to a ping may be queued behind many messages.
    if (outcome !== 'waiting') client.reschedulePing(true)
    else if (!gone.aborted) onWaiting()
    return outcome
  }

  /** @returns whether this message and all before it were acknowledged: behind one that was not, nothing is */
  async function acknowledge(packet: IPublishPacket, taken: Promise<MessageOutcome>, before: Promise<boolean>) {
    const outcome = await taken
    if (!(await before) || outcome === 'waiting') return false
    const reasonCode = outcome === 'over quota' ? QUOTA_EXCEEDED : SUCCESS
    // The library itself acknowledges only before it goes on.
    client['_sendPacket']({ cmd: 'puback', messageId: packet.messageId ?? 0, reasonCode })
    return true
  }

  const isBusy = () => messages > 0
  const isFull = () => messages >= MESSAGES_AHEAD || bytes >= BYTES_AHEAD

  async function goOnWhenThereIsRoom(next: (error?: Error) => void): Promise<void> {
    while (isFull()) await isDone.wait()
    next(new Error('acknowledged when it is stored'))
  }

  async function goOnWhenTaken(taken: Promise<MessageOutcome>, next: (error?: Error) => void): Promise<void> {
    next((await taken) === 'waiting' ? new Error('not stored yet') : undefined)
  }

  client.options.customHandleAcks = (_topic, _payload, _packet, answer) => answer(SUCCESS)
  client.handleMessage = (packet, next) => {
    const { topic, payload, qos } = packet
    // With QoS 0, the publisher was promised nothing.
    const canBeRefused = qos === 0 || (qos === 1 && client.options.protocolVersion === 5)
    const bytesOfText = typeof payload === 'string' ? Buffer.from(payload) : payload
    const taken = begin({ topic, payload: bytesOfText, canBeRefused })
    if (qos === 1) lastAnswer = acknowledge(packet, taken, lastAnswer)
    // With QoS 2, the library itself reports to the broker that the message is complete.
    void (qos === 2 ? goOnWhenTaken(taken, next) : goOnWhenThereIsRoom(next))
  }
  return async () => {
    while (isBusy()) await isDone.wait()
    await lastAnswer
  }
}

/** A fleet that sends nonsense must not fill the log. */
const LOG_EVERY_MS = 10_000

interface RefusedMessagesOptions {
  readonly rejected: RejectedFrames
  /** The broker's name in log messages. */
  readonly sender: string
  readonly log: Logger
  readonly clock: Clock
}

/** Messages that are dropped for good; some of them are logged. */
export class RefusedMessages {
  readonly #options: RefusedMessagesOptions
  #loggedMs = Number.NEGATIVE_INFINITY
  #unlogged = 0

  constructor(options: RefusedMessagesOptions) {
    this.#options = options
  }

  /** Keeps a message for inspection. @param why a sentence for the operator */
  keep(message: Message, deviceId: DeviceId | undefined, why: string, reason: RejectionReason): void {
    const { rejected, sender } = this.#options
    rejected.keep({ gateway: 'mqtt', deviceId, sender, reason, why, bytes: message.payload })
    this.#logSome(message, why, 'a message of MQTT was refused; `tacho frames` shows it')
  }

  /** The same for a valid message, of which there may be very many: it is not kept. */
  log(message: Message, why: string): void {
    this.#logSome(message, why, 'a message of MQTT was refused and dropped')
  }

  #logSome({ topic }: Message, why: string, text: string): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs < this.#loggedMs + LOG_EVERY_MS) {
      this.#unlogged++
      return
    }
    this.#options.log.warn({ topic, why, unlogged: this.#unlogged }, text)
    this.#loggedMs = nowMs
    this.#unlogged = 0
  }
}
