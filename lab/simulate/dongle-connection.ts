import { connect, type Socket } from 'node:net'

const CONNECT_WITHIN_MS = 15_000
const ANSWER_WITHIN_MS = 60_000

interface Waiting {
  readonly bytes: number
  readonly resolve: (answer: Buffer) => void
  readonly reject: (error: Error) => void
}

/** A TCP connection on which one side sends a message and then waits for an answer of known length. */
export class DongleConnection {
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

  /** @throws when nobody answers at that address. */
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
