import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Longer than any answer takes on a busy machine. */
const PATIENCE_MS = 100_000

export async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  return socket
}

/** A connection as a dongle has it, with what it was answered so far. */
export class DongleSocket {
  readonly socket: Socket
  /** Settles when the server has closed its side, or the connection broke. */
  readonly ended: Promise<void>
  #received = Buffer.alloc(0)
  #isEnded = false
  #onChange: () => void = () => undefined

  /** @param socket connected */
  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', chunk => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#onChange()
    })
    this.ended = new Promise<void>(resolve => {
      const end = () => {
        this.#isEnded = true
        this.#onChange()
        resolve()
      }
      socket.on('end', end).on('close', end)
    })
    socket.on('error', () => undefined)
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes)
  }

  /** The next bytes that were answered; rejects when there are fewer before the connection ends or the time is up. */
  async answer(byteCount: number, withinMs = PATIENCE_MS): Promise<Buffer> {
    const untilMs = performance.now() + withinMs
    while (this.#received.length < byteCount) {
      const leftMs = untilMs - performance.now()
      if (this.#isEnded) throw new Error(`the connection ended after ${this.#received.length} of ${byteCount} bytes`)
      if (leftMs <= 0) throw new Error(`only ${this.#received.length} of ${byteCount} bytes were answered`)
      const changed = new Promise<void>(resolve => (this.#onChange = resolve))
      await Promise.race([changed, new Promise(resolve => setTimeout(resolve, leftMs))])
    }
    const bytes = this.#received.subarray(0, byteCount)
    this.#received = this.#received.subarray(byteCount)
    return bytes
  }

  /** What was answered and nobody asked for yet. */
  get unread(): number {
    return this.#received.length
  }

  async close(): Promise<void> {
    const closed = this.socket.destroyed ? undefined : once(this.socket, 'close')
    this.socket.destroy()
    await closed
  }
}

/** Sends a datagram and waits for the answer. @returns undefined when there is none in that time. */
export async function sendDatagram(port: number, bytes: Buffer, withinMs = PATIENCE_MS): Promise<Buffer | undefined> {
  const socket = createSocket('udp4')
  try {
    const answered = new Promise<Buffer | undefined>(resolve => {
      socket.once('message', resolve)
      setTimeout(() => resolve(undefined), withinMs)
    })
    socket.send(bytes, port, '127.0.0.1')
    return await answered
  } finally {
    socket.close()
  }
}
