import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { loginPacket, writeTcpFrame } from '../teltonika-dongle/write-frame.ts'
import { dongleAt, drivingSample } from './teltonika-decode.ts'

/** What the process of the senders is told to do. */
export interface SenderTask {
  readonly port: number
  readonly connections: number
  readonly recordsEach: number
  /** Of each connection. */
  readonly packets: number
  readonly startMs: number
  /** The first of its steps (see `drivingSample`). */
  readonly firstStep: number
}

/** What it tells back. */
export type SenderNews = { readonly kind: 'ready' } | { readonly kind: 'done'; readonly ms: number }

const LOGIN_ACCEPTED: Buffer = Buffer.of(1)

/**
 * All dongles read into it, one after the other, so that nothing is allocated for an answer: the senders take their time
 * from the same cores as what is measured. An answer that is cut in two would fail; over loopback none is.
 */
const answered = Buffer.alloc(64)

/** One connection. */
class Dongle {
  readonly #login: Buffer
  readonly #frames: readonly Buffer[]
  readonly #acknowledgement = Buffer.alloc(4)
  #expected = LOGIN_ACCEPTED
  #sent = 0
  #socket: Socket | undefined
  #onAnswered: () => void = () => undefined
  #onFailed: (error: Error) => void = () => undefined

  constructor(task: SenderTask, index: number) {
    this.#login = loginPacket(String(dongleAt(index)))
    this.#frames = framesOf(task, index)
    this.#acknowledgement.writeUInt32BE(task.recordsEach)
  }

  async logIn(port: number): Promise<void> {
    const onread = { buffer: answered, callback: (bytes: number) => this.#receive(bytes) }
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    this.#socket = socket
    socket.once('close', () => this.#onFailed(new Error('a connection was closed')))
    await this.#settled(() => void socket.write(this.#login))
    this.#expected = this.#acknowledgement
  }

  /** Resolves when every packet is acknowledged. */
  sendAll(): Promise<void> {
    return this.#settled(() => this.#sendNext())
  }

  close(): void {
    this.#socket?.destroy()
  }

  #settled(begin: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onAnswered = resolve
      this.#onFailed = reject
      begin()
    })
  }

  #sendNext(): void {
    const frame = this.#frames[this.#sent++]
    if (frame) this.#socket?.write(frame)
    else this.#onAnswered()
  }

  /** @returns whether more is to be read */
  #receive(bytes: number): boolean {
    const isExpected = bytes === this.#expected.length && this.#expected.every((byte, at) => byte === answered[at])
    if (!isExpected) this.#onFailed(new Error('a login was refused, or a packet was not stored whole'))
    else if (this.#expected === LOGIN_ACCEPTED) this.#onAnswered()
    else this.#sendNext()
    return isExpected
  }
}

/* Dongles in a process of their own: all log in and are ready; told to go, each sends a packet when the one before is acknowledged. */
if (process.send) {
  const [task] = (await once(process, 'message')) as [SenderTask]
  const dongles = Array.from({ length: task.connections }, (_, index) => new Dongle(task, index))
  // In small steps, so that no backlog of connections overflows.
  for (let first = 0; first < dongles.length; first += 200)
    await Promise.all(dongles.slice(first, first + 200).map(dongle => dongle.logIn(task.port)))
  tell({ kind: 'ready' })
  await once(process, 'message')
  const started = performance.now()
  await Promise.all(dongles.map(dongle => dongle.sendAll()))
  tell({ kind: 'done', ms: performance.now() - started })
  for (const dongle of dongles) dongle.close()
  process.disconnect()
}

function tell(news: SenderNews): void {
  process.send?.(news)
}

function framesOf({ packets, recordsEach, startMs, firstStep }: SenderTask, index: number): Buffer[] {
  const deviceId = dongleAt(index)
  return Array.from({ length: packets }, (_, packet) =>
    writeTcpFrame(
      Array.from({ length: recordsEach }, (__, record) =>
        drivingSample(deviceId, startMs + (index % 1000), firstStep + packet * recordsEach + record),
      ),
    ),
  )
}
