import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { loginPacket, writeTcpFrame } from '../teltonika-dongle/write-frame.ts'
import { dongleAt, fullRecord } from './made-samples.ts'

/** The first message to the process of the dongles; it answers `ready` when all have logged in. */
export interface DonglesTask {
  readonly port: number
  readonly firstDongle: number
  readonly dongles: number
  /** Between two records of a dongle, which it measures as it sends them; undefined: it sends none by itself. */
  readonly everyMs?: number | undefined
  readonly packets?: {
    readonly count: number
    readonly recordsEach: number
    readonly startMs: number
    readonly firstStep: number
  }
}

/** Upon `report` it answers how long each record since `measure` waited for its acknowledgement; upon `send`, when all is sent. */
export type DonglesReport = readonly number[]

/** So many log in at once, so that no backlog of connections overflows. */
const AT_ONCE = 100
const LOGIN_ACCEPTED: Buffer = Buffer.of(1)
const START_S = Math.floor(Date.now() / 1000)

/** All dongles read into it, so that nothing is allocated for an answer; over loopback none is cut in two. */
const answer = Buffer.alloc(64)

class Dongle {
  readonly #index: number
  readonly #socket: Socket
  #expected = LOGIN_ACCEPTED
  #onAnswered: (() => void) | undefined

  constructor(index: number, port: number) {
    this.#index = index
    const onread = { buffer: answer, callback: (bytes: number) => this.#receive(answer.subarray(0, bytes)) }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    this.#socket.once('close', () => {
      throw new Error('a connection was closed')
    })
  }

  logIn(): Promise<void> {
    return this.#exchange(loginPacket(String(dongleAt(this.#index))), LOGIN_ACCEPTED)
  }

  drive(everyMs: number, afterMs: number): void {
    setTimeout(() => {
      void this.#sendNow()
      setInterval(() => void this.#sendNow(), everyMs)
    }, afterMs)
  }

  framesOf({ count, recordsEach, startMs, firstStep }: NonNullable<DonglesTask['packets']>): Buffer[] {
    const samplesOf = (packet: number) =>
      Array.from({ length: recordsEach }, (_, record) =>
        fullRecord(dongleAt(this.#index), startMs + (this.#index % 1000), firstStep + packet * recordsEach + record),
      )
    return Array.from({ length: count }, (_, packet) => writeTcpFrame(samplesOf(packet)))
  }

  async sendAll(frames: readonly Buffer[], recordsEach: number): Promise<void> {
    const acknowledgement = Buffer.of(0, 0, 0, recordsEach)
    for (const frame of frames) await this.#exchange(frame, acknowledgement)
  }

  /** A dongle has one packet on its way; what it measures meanwhile comes later. */
  async #sendNow(): Promise<void> {
    if (this.#onAnswered) return
    const nowMs = Date.now()
    const step = Math.floor(nowMs / 1000) - START_S
    // Each record has a time of its own, also where a dongle sends several a second: one of a known instant would only be compared.
    const frame = writeTcpFrame([fullRecord(dongleAt(this.#index), nowMs - step * 1000, step)])
    const sentMs = performance.now()
    await this.#exchange(frame, Buffer.of(0, 0, 0, 1))
    waitsMs.push(performance.now() - sentMs)
  }

  #exchange(bytes: Buffer, expected: Buffer): Promise<void> {
    this.#expected = expected
    return new Promise(resolve => {
      this.#onAnswered = resolve
      this.#socket.write(bytes)
    })
  }

  #receive(bytes: Buffer): boolean {
    if (!bytes.equals(this.#expected)) throw new Error('a login was refused, or a packet was not stored whole')
    const answered = this.#onAnswered
    this.#onAnswered = undefined
    answered?.()
    return true
  }
}

let waitsMs: number[] = []

if (process.send) {
  const [{ port, firstDongle, dongles, everyMs, packets }] = (await once(process, 'message')) as [DonglesTask]
  const fleet: Dongle[] = []
  while (fleet.length < dongles) {
    const first = fleet.length
    const count = Math.min(AT_ONCE, dongles - first)
    fleet.push(...Array.from({ length: count }, (_, index) => new Dongle(firstDongle + first + index, port)))
    await Promise.all(fleet.slice(first).map(dongle => dongle.logIn()))
    if (everyMs !== undefined)
      for (let index = first; index < fleet.length; index++) fleet[index]?.drive(everyMs, (index * everyMs) / dongles)
  }
  const frames = packets && fleet.map(dongle => dongle.framesOf(packets))
  process.send('ready')
  const obey = async (order: unknown) => {
    if (order === 'send' && packets)
      await Promise.all(fleet.map((dongle, index) => dongle.sendAll(frames?.[index] ?? [], packets.recordsEach)))
    if (order !== 'measure') process.send?.(waitsMs satisfies DonglesReport)
    waitsMs = []
  }
  process.on('message', order => void obey(order))
}
