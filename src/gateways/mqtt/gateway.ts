import { X509Certificate } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Intake } from '../../ingest/intake.ts'
import { type Clock, SYSTEM_CLOCK } from '../../lib/clock.ts'
import { OperatorError } from '../../model/errors.ts'
import type { BodyReader } from '../shared/bodies/body-reader.ts'
import type { RejectedFrames } from '../shared/rejected-frames.ts'
import { brokerAddressOf } from './broker-address.ts'
import { Complaints } from './complaints.ts'
import { keepConnection } from './kept-connection.ts'
import { observeMqtt } from './metrics.ts'
import { RefusedMessages } from './refused-messages.ts'
import { takeMessage } from './take-message.ts'

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

/**
 * Receives what devices publish to a broker. When the broker is away or refuses us, this is logged and retried.
 * @returns a function that stops receiving, finishes and acknowledges what is being stored, and closes the connections.
 * @throws OperatorError when the file of `MQTT_CA` can not be read.
 */
export async function startMqttGateway(options: MqttGatewayOptions): Promise<() => Promise<void>> {
  const { url, caFile, connections, intake, bodies, rejected, registry, log, clock = SYSTEM_CLOCK } = options
  const address = brokerAddressOf(url)
  const ca = caFile === undefined ? undefined : await readAuthorities(caFile)
  const clientId = options.clientId ?? `tacho-${hostname()}`
  const refused = new RefusedMessages({ rejected, sender: address.url, log, clock })
  const subscribed = new Set<number>()
  const { messageTaken, connectionLost } = observeMqtt(registry, () => subscribed.size)
  const complaints = new Complaints(address.url, log, clock)
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)

  const kept = Array.from({ length: connections }, (_, index) => {
    const number = index + 1
    return keepConnection(
      {
        address,
        ca,
        clientId: `${clientId}-${number}`,
        isFirst: number === 1,
        take: async (message, gone) => {
          const outcome = await takeMessage(message, { intake, bodies, refused, log, clock }, gone)
          messageTaken(outcome)
          return outcome
        },
        onSubscribed(subscription, version) {
          complaints.forget()
          if (subscription === 'none') return
          subscribed.add(number)
          log.info(
            { broker: address.url, connection: number, protocol: version === 5 ? '5' : '3.1.1', subscription },
            'receiving from the MQTT broker',
          )
        },
        onEnded() {
          if (subscribed.delete(number) && !stop.signal.aborted) connectionLost()
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
    // The TLS library would silently skip what it can not parse.
    const [, ...texts] = pem.split(BEGIN)
    if (texts.length === 0) throw new Error('no line begins one')
    return texts.map(text => new X509Certificate(BEGIN + text).toString()).join('\n')
  } catch (error) {
    throw new OperatorError(`The file of MQTT_CA has no certificates that can be read: ${(error as Error).message}.`)
  }
}

/** RFC 7468, 5. */
const BEGIN = '-----BEGIN CERTIFICATE-----'
