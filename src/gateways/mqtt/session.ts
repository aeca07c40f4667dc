import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  connect,
  ErrorWithReasonCode,
  ErrorWithSubackPacket,
  type IClientOptions,
  type MqttClient,
  type Packet,
  ReasonCodes,
  Store,
} from 'mqtt'
import {
  EVENTS_FILTER,
  MAX_PAYLOAD_BYTES,
  MESSAGES_AHEAD,
  SHARED_EVENTS_FILTER,
  type TakeAheadOptions,
  takeAhead,
} from './messages.ts'

/** The protocol level in packets: 5 for MQTT 5, 4 for MQTT 3.1.1. */
export type ProtocolVersion = 5 | 4

/** Address and credentials of the broker, from `MQTT_URL`. */
export interface BrokerAddress {
  /** Without user and password, so that it may be logged. */
  readonly url: string
  readonly user: string | undefined
  readonly password: string | undefined
}

export interface SessionOptions extends Pick<TakeAheadOptions, 'take'> {
  readonly address: BrokerAddress
  /** PEM of the authorities that the broker's certificate is checked against; undefined means those that Node knows. */
  readonly ca: string | undefined
  /** Unique, and the same after each restart: the broker uses it to find the session. */
  readonly clientId: string
  /** This connection gets all messages when they cannot be shared. */
  readonly isFirst: boolean
  readonly onSubscribed: (subscription: Subscription, version: ProtocolVersion) => void
}

/** Why a connection ended: another protocol version, our own stop, or a reason for the operator. */
export type Ending =
  | { readonly kind: 'version' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly why: string }

const KEEPALIVE_S = 60
const CONNECT_LIMIT_MS = 20_000
/** How long the broker keeps undelivered messages of a session (MQTT 5, 3.1.2.11.2; in 3.1.1 the broker decides). */
const SESSION_EXPIRY_S = 7 * 24 * 3600
/** An MQTT 5 broker drops larger packets (3.1.2.11.4): one that crashes this process would be redelivered after each
 * start. Well above the limit of a message, so that we refuse and log most that are too large. */
const MAX_PACKET_BYTES = 2 * MAX_PAYLOAD_BYTES
/** How long a broker may take to close the connection after our DISCONNECT. */
const GOODBYE_LIMIT_MS = 2000

/** Connects, subscribes, and receives messages until the connection ends.
 * @param stop ends it, after the current messages are finished and acknowledged */
export async function runSession(
  options: SessionOptions,
  version: ProtocolVersion,
  stop: AbortSignal,
): Promise<Ending> {
  const client = connect(options.address.url, clientOptions(options, version))
  /** Aborted when no more messages are to be received. */
  const gone = new AbortController()
  client.once('close', () => gone.abort())
  stop.addEventListener('abort', () => gone.abort(), { signal: gone.signal })
  let ending: Ending | undefined
  const end = (reason: Ending) => {
    ending ??= reason
    client.end(true)
  }
  const finished = takeAhead(client, {
    take: options.take,
    onWaiting: () => end({ kind: 'failed', why: 'the database takes nothing; the broker keeps what comes' }),
    gone: gone.signal,
  })
  client.on('error', error =>
    end(isWrongVersion(error) ? { kind: 'version' } : { kind: 'failed', why: connectionSentence(error) }),
  )
  client.on('packetreceive', packet => {
    if (!lacksIdentifier(packet)) return
    // The library would answer with this identifier, which no packet can carry, and throw where nobody catches it.
    packet.messageId = 0
    end({ kind: 'failed', why: `the broker sent a ${packet.cmd.toUpperCase()} that ends before its packet identifier` })
  })
  client.on('disconnect', ({ reasonCode }) => end({ kind: 'failed', why: farewellSentence(reasonCode) }))
  client.once('connect', connack => {
    const isShareable = version === 5 && connack.properties?.sharedSubscriptionAvailable !== false
    subscribe(client, { isShareable, isFirst: options.isFirst }).then(
      subscription => options.onSubscribed(subscription, version),
      (error: Error) => end({ kind: 'failed', why: error.message }),
    )
  })
  await once(gone.signal, 'abort')
  if (stop.aborted && ending === undefined) {
    ending = { kind: 'stopped' }
    await finished()
    await sayGoodbye(client)
  }
  return ending ?? { kind: 'failed', why: 'the broker closed the connection' }
}

/** A packet too short for its identifier: the library's parser then says that it is -1. */
function lacksIdentifier(packet: Packet): boolean {
  return packet.messageId !== undefined && packet.messageId < 0
}

function clientOptions({ address, ca, clientId }: SessionOptions, version: ProtocolVersion): IClientOptions {
  return {
    clientId,
    protocolVersion: version,
    clean: false,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_LIMIT_MS,
    // We reconnect ourselves, with growing pauses.
    reconnectPeriod: 0,
    // Packets that arrived before the end are still looked up after it; emptied stores would throw then.
    incomingStore: new Store({ clean: false }),
    outgoingStore: new Store({ clean: false }),
    ...(version === 5 && {
      properties: {
        sessionExpiryInterval: SESSION_EXPIRY_S,
        // The most that the broker sends ahead of our acknowledgements (MQTT 5, 3.1.2.11.3).
        receiveMaximum: MESSAGES_AHEAD,
        maximumPacketSize: MAX_PACKET_BYTES,
      },
    }),
    ...(address.user !== undefined && { username: address.user }),
    ...(address.password !== undefined && { password: address.password }),
    ...(ca !== undefined && { ca }),
  }
}

async function sayGoodbye(client: MqttClient): Promise<void> {
  await Promise.race([client.endAsync(), sleep(GOODBYE_LIMIT_MS, undefined, { ref: false })])
  client.stream.destroy()
}

/** Messages of a connection: `shared` with all other connections of all nodes; `whole`, every message; or `none`,
 * because another connection of this node has them all. */
type Subscription = 'shared' | 'whole' | 'none'

interface SubscribeOptions {
  /** MQTT 3.1.1 has no shared subscriptions: a broker may take the filter for a topic to which nobody publishes. */
  readonly isShareable: boolean
  readonly isFirst: boolean
}

/** Subscribes with QoS 1: messages published with QoS 2 arrive with QoS 1, too, and duplicates change nothing.
 * @throws Error whose message is for the operator */
async function subscribe(client: MqttClient, { isShareable, isFirst }: SubscribeOptions): Promise<Subscription> {
  if (isShareable && (await subscribeTo(client, SHARED_EVENTS_FILTER))) {
    // The session may still have it from a time when the broker could not share subscriptions.
    await client.unsubscribeAsync(EVENTS_FILTER)
    return 'shared'
  }
  if (!isFirst) return 'none'
  if (!(await subscribeTo(client, EVENTS_FILTER)))
    throw new Error(`the broker does not know the filter ${EVENTS_FILTER}`)
  return 'whole'
}

/** @returns false when the broker does not support the filter. */
async function subscribeTo(client: MqttClient, filter: string): Promise<boolean> {
  try {
    await client.subscribeAsync(filter, { qos: 1 })
    return true
  } catch (error) {
    if (isNotShared(error)) return false
    throw new Error(subscriptionSentence(filter, error), { cause: error })
  }
}

/** Refusals of a version: CONNACK 1 of MQTT 3.1.1 (3.2.2.3), 132 of MQTT 5 (3.2.2.2). */
const WRONG_VERSION: ReadonlySet<number> = new Set([1, 132])
/** Wrong user or password, or not allowed to connect: 4 and 5 of MQTT 3.1.1, 134 and 135 of MQTT 5. */
const WRONG_CREDENTIALS: ReadonlySet<number> = new Set([4, 5, 134, 135])
/** Another client connected with the same client id (MQTT 5, 3.14.2.1). */
const SESSION_TAKEN_OVER = 142
/** SUBACK: the filter or shared subscriptions are not supported (MQTT 5, 3.9.3). */
const NOT_SHARED: ReadonlySet<number> = new Set([143, 158])
/** SUBACK: refused (MQTT 3.1.1, 3.9.3), not authorized (MQTT 5, 3.9.3). */
const NOT_ALLOWED: ReadonlySet<number> = new Set([128, 135])

const isWrongVersion = (error: unknown) => WRONG_VERSION.has(reasonOf(error))
const isNotShared = (error: unknown) => NOT_SHARED.has(reasonOf(error))

export function connectionSentence(error: unknown): string {
  if (WRONG_CREDENTIALS.has(reasonOf(error))) return 'the broker refuses the user or the password of MQTT_URL'
  return `the broker cannot be reached: ${wordsOf(error)}`
}

/** The message for the operator when the broker closes a connection with a reason (MQTT 5, 3.14). */
function farewellSentence(reasonCode = 0): string {
  if (reasonCode === SESSION_TAKEN_OVER)
    return 'another client came with the same client id; each node needs a MQTT_CLIENT_ID of its own'
  return `the broker ended the connection: ${ReasonCodes[reasonCode as keyof typeof ReasonCodes] || `reason ${reasonCode}`}`
}

function subscriptionSentence(filter: string, error: unknown): string {
  if (NOT_ALLOWED.has(reasonOf(error))) return `the broker does not let the user of MQTT_URL subscribe to ${filter}`
  return `the subscription to ${filter} failed: ${wordsOf(error)}`
}

function reasonOf(error: unknown): number {
  if (error instanceof ErrorWithReasonCode) return error.code
  // There is no packet if the connection ended before the SUBACK.
  if (error instanceof ErrorWithSubackPacket)
    return Number((error.packet as ErrorWithSubackPacket['packet'] | undefined)?.granted[0] ?? 0)
  return 0
}

/** Connecting to a name with several addresses fails with an AggregateError without a message. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
