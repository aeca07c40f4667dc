import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { loginPacket, writeTcpFrame } from '../teltonika-dongle/write-frame.ts'
import { dongleAt, drivingSample } from './teltonika-decode.ts'

/** What the process of the dongles is told first; it answers `ready` when all have logged in. */
export interface OrdinaryTask {
  readonly port: number
  readonly firstDongle: number
  readonly dongles: number
  /** Between two records of a dongle; undefined: none sends any. */
  readonly everyMs: number | undefined
}

/** Told `measure`, it counts from then on; told `report`, it answers with this. */
export interface OrdinaryReport {
  /** From sending each record to its acknowledgement. */
  readonly waitsMs: readonly number[]
}

const ONE_RECORD = Buffer.of(0, 0, 0, 1)
const AT_ONCE = 100
/** Of the acknowledgements of all dongles. */
let waitsMs: number[] = []

class Dongle {
  readonly #index: number
  readonly #socket: Socket
  #sentMs = 0
  #isWaiting = false

  private constructor(index: number, socket: Socket) {
    this.#index = index
    this.#socket = socket
  }

  static async logIn(index: number, port: number): Promise<Dongle> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.write(loginPacket(String(dongleAt(index))))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    if (answer[0] !== 1) throw new Error('a login was refused')
    const dongle = new Dongle(index, socket)
    socket.on('data', data => dongle.#acknowledged(data))
    socket.once('close', () => {
      throw new Error('a connection was closed')
    })
    return dongle
  }

  /** A record each `everyMs`, the first one `afterMs` from now. */
  drive(everyMs: number, afterMs: number): void {
    setTimeout(() => {
      this.#send()
      setInterval(() => this.#send(), everyMs)
    }, afterMs)
  }

  #send(): void {
    // A dongle has one packet on its way; what it measures meanwhile comes later.
    if (this.#isWaiting) return
    this.#isWaiting = true
    const nowMs = Date.now()
    const step = Math.floor(nowMs / 1000) - START_S
    // Each record has a time of its own, also where a dongle sends several a second: one of a known instant would only be compared.
    const frame = writeTcpFrame([drivingSample(dongleAt(this.#index), nowMs - step * 1000, step)])
    this.#sentMs = performance.now()
    this.#socket.write(frame)
  }

  #acknowledged(data: Buffer): void {
    if (!data.equals(ONE_RECORD)) throw new Error('a record was not stored')
    this.#isWaiting = false
    waitsMs.push(performance.now() - this.#sentMs)
  }
}

const START_S = Math.floor(Date.now() / 1000)

/* Dongles in a process of their own: all log in, then each sends its records evenly spread over time. */
if (process.send) {
  const [{ port, firstDongle, dongles, everyMs }] = (await once(process, 'message')) as [OrdinaryTask]
  for (let first = 0; first < dongles; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, dongles - first)
    const fleet = await Promise.all(
      Array.from({ length: count }, (_, index) => Dongle.logIn(firstDongle + first + index, port)),
    )
    if (everyMs !== undefined)
      fleet.forEach((dongle, index) => dongle.drive(everyMs, ((first + index) * everyMs) / dongles))
  }
  process.send('ready')
  process.on('message', what => {
    if (what === 'report') process.send?.({ waitsMs } satisfies OrdinaryReport)
    waitsMs = []
  })
}
