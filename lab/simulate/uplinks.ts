import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt from 'mqtt'
import { eventTypeById } from '../../src/catalogue/event-types.ts'
import { takingTurns } from '../../src/lib/semaphore.ts'
import { byClock } from '../../src/model/dongle-clock.ts'
import { type DeviceId, eventsOf, type Sample } from '../../src/model/sample.ts'
import { loginPacket, writeTcpFrame } from '../teltonika-dongle/write-frame.ts'
import { postBatch } from '../upload/ingest-client.ts'

interface Uplink {
  /**
   * Sends samples of its dongle, again and again until they are acknowledged: the buffer of a dongle is its queue.
   * @returns those that were acknowledged: all that can be sent this way; undefined when the service does not take this dongle.
   * @throws OperatorError when nothing can be sent this way at all; another error when `Uplinks.cut` ended it.
   */
  send(samples: readonly Sample[]): Promise<readonly Sample[] | undefined>
}

export interface Uplinks {
  of(deviceId: DeviceId): Uplink
  cut(): Promise<void>
}

export interface UplinkOptions {
  /** Aborts when nothing more is tried again; what is on its way may still be acknowledged. */
  readonly signal: AbortSignal
  readonly onTrouble: (why: string) => void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/** With jitter, so that a fleet does not reconnect at one instant. */
function pauseMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
}

/** So that ten thousand dongles do not connect at the same instant. */
const LOGINS_AT_ONCE = 50
const REFUSALS = 4

const LOGIN_ACCEPTED = 1

class LoginRefused extends Error {}

/** Teltonika's protocol over TCP: a connection a dongle, one packet at a time, and the next when its records are acknowledged. */
export function teltonikaUplinks({ host, port }: TeltonikaAddress, { signal, onTrouble }: UplinkOptions): Uplinks {
  const loginInTurn = takingTurns(LOGINS_AT_ONCE)
  const open = new Set<DongleConnection>()
  let isCut = false

  async function logIn(deviceId: DeviceId): Promise<DongleConnection> {
    if (isCut) throw new Error('the sending was stopped')
    const connection = await DongleConnection.open(host, port)
    open.add(connection)
    try {
      if (isCut) throw new Error('the sending was stopped')
      const [answer] = await connection.ask(loginPacket(String(deviceId)), 1)
      if (answer !== LOGIN_ACCEPTED) throw new LoginRefused('the service refused a dongle')
    } catch (error) {
      open.delete(connection)
      connection.close()
      throw error
    }
    return connection
  }

  function uplinkOf(deviceId: DeviceId): Uplink {
    let connection: DongleConnection | undefined
    const drop = () => {
      if (!connection) return
      open.delete(connection)
      connection.close()
      connection = undefined
    }
    const sendOnce = async (samples: readonly Sample[]) => {
      if (!connection?.isOpen) {
        drop()
        connection = await loginInTurn(() => logIn(deviceId))
      }
      const acknowledged = (await connection.ask(writeTcpFrame(samples), 4)).readUInt32BE()
      if (acknowledged !== samples.length)
        throw new Error(`the service acknowledged ${acknowledged} of ${samples.length} records`)
    }
    return {
      async send(samples) {
        for (let failures = 0, refusals = 0; ; failures++) {
          try {
            await sendOnce(samples)
            return samples
          } catch (error) {
            drop()
            if (signal.aborted || isCut) throw error
            refusals = error instanceof LoginRefused ? refusals + 1 : 0
            if (refusals === REFUSALS) return undefined
            onTrouble((error as Error).message)
            await sleep(pauseMs(failures), undefined, { signal })
          }
        }
      },
    }
  }

  return {
    of: uplinkOf,
    async cut() {
      isCut = true
      for (const connection of open) connection.close()
      open.clear()
    },
  }
}

const CONNECT_WITHIN_MS = 15_000
const ANSWER_WITHIN_MS = 60_000

interface Waiting {
  readonly bytes: number
  readonly resolve: (answer: Buffer) => void
  readonly reject: (error: Error) => void
}

/** A TCP connection on which one side sends a message and then waits for an answer of known length. */
class DongleConnection {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #waiting: Waiting | undefined
  #ended: Error | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', data => {
      this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data])
      this.#answer()
    })
    socket.on('error', error => this.#end(error))
    socket.on('close', () => this.#end(new Error('the service closed the connection')))
  }

  static async open(host: string, port: number): Promise<DongleConnection> {
    const socket = connect({ host, port })
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(new Error('no connection in time')), CONNECT_WITHIN_MS)
      socket.once('error', reject)
      socket.once('close', () => clearTimeout(timer))
      socket.once('connect', () => {
        clearTimeout(timer)
        socket.off('error', reject)
        resolve()
      })
    })
    return new DongleConnection(socket)
  }

  get isOpen(): boolean {
    return this.#ended === undefined
  }

  /** Sends a message and reads the answer. @throws when the connection ends before, or there is none in time. */
  async ask(message: Buffer, answerBytes: number): Promise<Buffer> {
    if (this.#ended) throw this.#ended
    const timer = setTimeout(() => this.#socket.destroy(new Error('no answer in time')), ANSWER_WITHIN_MS)
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        this.#waiting = { bytes: answerBytes, resolve, reject }
        this.#socket.write(message)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#end(new Error('the connection was closed'))
    this.#socket.destroy()
  }

  #answer(): void {
    const waiting = this.#waiting
    if (!waiting || this.#received.length < waiting.bytes) return
    this.#waiting = undefined
    const answer = this.#received.subarray(0, waiting.bytes)
    this.#received = this.#received.subarray(waiting.bytes)
    waiting.resolve(answer)
  }

  #end(error: Error): void {
    this.#ended ??= error
    this.#waiting?.reject(this.#ended)
    this.#waiting = undefined
  }
}

export interface TeltonikaAddress {
  readonly host: string
  readonly port: number
}

/** Reads `host:port`; an IPv6 address stands in brackets. @throws a text that says what is needed. */
export function readTeltonikaAddress(text: string): TeltonikaAddress {
  const url = URL.canParse(`tcp://${text}`) ? new URL(`tcp://${text}`) : undefined
  if (!url?.hostname || !url.port) throw new Error('An address such as 127.0.0.1:5027 is needed.')
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port) }
}

export function teltonikaAddressText({ host, port }: TeltonikaAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

const REQUESTS_AT_ONCE = 32

interface HttpAddress {
  readonly baseUrl: string
  readonly key: string
}

/** A request for each packet. Samples of an impossible time are left out: HTTP clients have a clock of their own. */
export function httpUplinks({ baseUrl, key }: HttpAddress, { signal, onTrouble }: UplinkOptions): Uplinks {
  const requestInTurn = takingTurns(REQUESTS_AT_ONCE)
  const target = {
    baseUrl,
    key,
    gzip: false,
    patienceMs: Number.POSITIVE_INFINITY,
    signal,
    onRetry: ({ why }: { readonly why: string }) => onTrouble(why),
  }
  return {
    of: () => ({
      async send(samples) {
        const { samples: possible } = byClock(samples, Date.now())
        if (possible.length > 0) await requestInTurn(() => postBatch(target, jsonOf(possible)))
        return possible
      },
    }),
    cut: async () => undefined,
  }
}

function jsonOf(samples: readonly Sample[]): string {
  const events = samples.flatMap(sample =>
    [...eventsOf(sample)].map(([id, value]) => ({
      deviceId: sample.deviceId,
      recordedTimestamp: new Date(sample.timeMs).toISOString(),
      eventType: eventTypeById(id).name,
      value,
    })),
  )
  return JSON.stringify(events)
}

/** Dongles share connections; each waits for the acknowledgement of its own packet. */
const CONNECTIONS = 8

/** MQTT, QoS 1: the broker keeps what it acknowledged, and delivers it until the service acknowledges. */
export function mqttUplinks(url: string, { onTrouble }: UplinkOptions): Uplinks {
  const clients = Array.from({ length: CONNECTIONS }, () => mqtt.connect(url, { resubscribe: false }))
  for (const client of clients) client.on('error', error => onTrouble(error.message))
  const waiting = new Set<(reason: Error) => void>()
  return {
    of: deviceId => ({
      async send(samples) {
        let giveUp: (reason: Error) => void = () => undefined
        try {
          await new Promise((resolve, reject) => {
            giveUp = reject
            waiting.add(giveUp)
            const client = clients[deviceId % clients.length]
            client?.publishAsync(`tacho/${deviceId}/events`, jsonOf(samples), { qos: 1 }).then(resolve, reject)
          })
          return samples
        } finally {
          waiting.delete(giveUp)
        }
      },
    }),
    async cut() {
      for (const giveUp of waiting) giveUp(new Error('the sending was stopped'))
      await Promise.all(clients.map(client => client.endAsync(true)))
    },
  }
}
