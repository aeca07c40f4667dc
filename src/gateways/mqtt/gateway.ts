import { X509Certificate } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { Intake } from '../../ingest/intake.ts'
import { Backoff, type Clock, pause, SYSTEM_CLOCK } from '../../lib/clock.ts'
import { addGauge } from '../../lib/gauge.ts'
import { OperatorError } from '../../model/errors.ts'
import type { BodyReader } from '../shared/bodies.ts'
import type { RejectedFrames } from '../shared/rejected-frames.ts'
import { joiningTopics, type MessageOutcome, RefusedMessages, takeMessages } from './messages.ts'
import {
  type BrokerAddress,
  connectionSentence,
  type Ending,
  type ProtocolVersion,
  runSession,
  type SessionOptions,
} from './session.ts'

export interface MqttGatewayOptions {
  /** `MQTT_URL`, with user and password. */
  readonly url: string
  /** `MQTT_CA`: a PEM file. */
  readonly caFile: string | undefined
  /** `MQTT_CLIENT_ID`: the name of this node. */
  readonly clientId: string | undefined
  /** `MQTT_CONNECTIONS`: on each of them, some messages are stored at once. */
  readonly connections: number
  readonly intake: Pick<Intake, 'submit'>
  readonly bodies: BodyReader
  readonly rejected: RejectedFrames
  readonly registry: Registry
  readonly log: Logger
  readonly clock?: Clock
}

/** Receives from a broker; problems are logged and retried. @returns a function that stops, finishes and acknowledges
 * what is being stored, and disconnects @throws OperatorError when `MQTT_CA` cannot be read */
export async function startMqttGateway(options: MqttGatewayOptions): Promise<() => Promise<void>> {
  const { url, caFile, connections, intake, bodies, rejected, registry, log, clock = SYSTEM_CLOCK } = options
  const address = brokerAddressOf(url)
  const ca = caFile === undefined ? undefined : await readAuthorities(caFile)
  const clientId = options.clientId ?? `tacho-${hostname()}`
  const refused = new RefusedMessages({ rejected, sender: address.url, log, clock })
  /** By its number each connection that is subscribed, or on which messages arrive. */
  const receiving = new Set<number>()
  const { messageTaken, connectionLost } = observeMqtt(registry, () => receiving.size)
  const complaints = complaintsOf(address.url, log, clock)
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const terms = { intake, bodies, refused, log, clock, stop: stop.signal }
  const takeJoined = joiningTopics(messages => takeMessages(messages, terms))

  const kept = Array.from({ length: connections }, (_, index) => {
    const number = index + 1
    return keepConnection(
      {
        address,
        ca,
        clientId: `${clientId}-${number}`,
        isFirst: number === 1,
        take: async (message, gone) => {
          // The answer to a subscription comes after what a session has waiting.
          receiving.add(number)
          const outcome = await takeJoined(message, gone)
          messageTaken(outcome)
          return outcome
        },
        onSubscribed(subscription, version) {
          complaints.forget()
          if (subscription === 'none') return
          receiving.add(number)
          log.info(
            { broker: address.url, connection: number, protocol: version === 5 ? '5' : '3.1.1', subscription },
            'receiving from the MQTT broker',
          )
        },
        onEnded() {
          // During a stop the figure stays: nobody needs to look after the broker.
          if (!stop.signal.aborted && receiving.delete(number)) connectionLost()
        },
        complain: why => complaints.report(why),
        clock,
      },
      stop.signal,
    )
  })
  return async () => {
    stop.abort()
    await Promise.all(kept)
  }
}

async function readAuthorities(file: string): Promise<string> {
  try {
    const pem = await readFile(file, 'utf8')
    // The TLS library would silently skip what it cannot parse.
    const [, ...texts] = pem.split(BEGIN)
    if (texts.length === 0) throw new Error('no line begins one')
    return texts.map(text => new X509Certificate(BEGIN + text).toString()).join('\n')
  } catch (error) {
    throw new OperatorError(`The file of MQTT_CA has no certificates that can be read: ${(error as Error).message}.`)
  }
}

/** RFC 7468, 5. */
const BEGIN = '-----BEGIN CERTIFICATE-----'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** A connection that lasted this long was healthy. */
const GOOD_LIFE_MS = 30_000

interface KeptConnectionOptions extends SessionOptions {
  readonly onEnded: () => void
  readonly complain: (why: string) => void
  readonly clock: Clock
}

/** Reconnects after growing pauses until it is stopped, with MQTT 5 first and with 3.1.1 when that is refused. */
async function keepConnection(options: KeptConnectionOptions, stop: AbortSignal): Promise<void> {
  const { clock } = options
  let version: ProtocolVersion = 5
  const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
  while (!stop.aborted) {
    const bornMs = clock.monotonicMs()
    const ending = await runSession(options, version, stop).catch(
      (error: unknown): Ending => ({ kind: 'failed', why: connectionSentence(error) }),
    )
    options.onEnded()
    if (ending.kind === 'version' && version === 5) {
      version = 4
      continue
    }
    version = 5
    if (stop.aborted) return
    options.complain(ending.kind === 'failed' ? ending.why : 'the broker speaks neither MQTT 5 nor 3.1.1')
    if (clock.monotonicMs() - bornMs > GOOD_LIFE_MS) backoff.reset()
    // Jitter, so that the connections of all nodes do not reconnect at the same time.
    await pause(backoff.next() * (0.5 + Math.random() / 2), stop, clock)
  }
}

const REPEAT_AFTER_MS = 5 * 60_000

/** Logs problems with the broker: once, however many connections have them, and again after some minutes.
 * @param broker its address without the password */
function complaintsOf(broker: string, log: Logger, clock: Clock) {
  const reportedMs = new Map<string, number>()
  return {
    report(why: string): void {
      const nowMs = clock.monotonicMs()
      if (nowMs <= (reportedMs.get(why) ?? Number.NEGATIVE_INFINITY) + REPEAT_AFTER_MS) return
      reportedMs.set(why, nowMs)
      log.warn({ broker, why }, 'no connection to the MQTT broker; it will be tried again')
    },
    /** A connection works again: new problems are logged at once. */
    forget: () => reportedMs.clear(),
  }
}

/** @param receiving how many connections receive now */
function observeMqtt(registry: Registry, receiving: () => number) {
  const messages = new Counter({
    name: 'tacho_mqtt_messages_total',
    help: 'Messages of the MQTT broker by what became of them; those that wait come again.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const lost = new Counter({
    name: 'tacho_mqtt_lost_connections_total',
    help: 'Connections to the MQTT broker that ended while messages were received on them.',
    registers: [registry],
  })
  addGauge(registry, 'tacho_mqtt_connections', 'Connections to the MQTT broker on which messages are received.', () =>
    receiving(),
  )
  return { messageTaken: (outcome: MessageOutcome) => messages.inc({ outcome }), connectionLost: () => lost.inc() }
}

/** Takes the user and the password out of the address; both may be percent-encoded (RFC 3986, 3.2.1). */
function brokerAddressOf(mqttUrl: string): BrokerAddress {
  const url = new URL(mqttUrl)
  const { username, password } = url
  url.username = ''
  url.password = ''
  return {
    url: url.href,
    user: username === '' ? undefined : decoded(username),
    password: password === '' ? undefined : decoded(password),
  }
}

/** A `%` that is not part of an encoding is kept. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
