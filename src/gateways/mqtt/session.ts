import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type IClientOptions, type MqttClient, type Packet, Store } from 'mqtt'
import type { BrokerAddress } from './broker-address.ts'
import { MAX_PAYLOAD_BYTES } from './read-message.ts'
import { connectionSentence, farewellSentence, isWrongVersion } from './refusal.ts'
import { type Subscription, subscribe } from './subscribe.ts'
import { MESSAGES_AHEAD, type TakeAheadOptions, takeAhead } from './take-ahead.ts'

/** The protocol level in packets: 5 for MQTT 5, 4 for MQTT 3.1.1. */
export type ProtocolVersion = 5 | 4

export interface SessionOptions extends Pick<TakeAheadOptions, 'take'> {
  readonly address: BrokerAddress
  /** PEM of the authorities that the broker's certificate is checked against; undefined means those that Node knows. */
  readonly ca: string | undefined
  /** Unique, and the same after each restart: the broker uses it to find the session. */
  readonly clientId: string
  /** Whether this connection gets all messages when they can not be shared. */
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
/**
 * An MQTT 5 broker drops larger packets (3.1.2.11.4): we must hold a whole packet in memory before we can refuse it, and
 * one that crashes this process would be redelivered after every start. It is well above the limit of a message, so that
 * most messages that are too large are refused by us, with a log line.
 */
const MAX_PACKET_BYTES = 2 * MAX_PAYLOAD_BYTES
/** How long a broker may take to close the connection after our DISCONNECT. */
const GOODBYE_LIMIT_MS = 2000

/**
 * One session: connects, subscribes, and receives messages until the connection ends.
 * @param stop ends it: the current messages are finished and acknowledged first
 */
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

/** Whether the packet is too short for its identifier: the library's parser then says that it is -1. */
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
        // What the broker sends ahead of our acknowledgements (MQTT 5, 3.1.2.11.3).
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
