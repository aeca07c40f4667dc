import type { Connection } from 'pg'

/** A message begins with a byte that tells its kind, and its length without that byte. */
const HEADER_BYTES = 5
const LENGTH_BYTES = 4
const COPY_DATA = 'd'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
/** After a long row mostly come short ones, or none. */
const FOLLOWING_BYTES = 256

const receiving = new WeakSet<object>()

/** Whether the bytes of a connection are taken as they come, so that their memory may be written over. */
export function isReceivingRows(stream: object): boolean {
  return receiving.has(stream)
}

/**
 * Takes the rows of a COPY out of the bytes of a connection, each to its place. The driver would put a long row together in ever
 * larger buffers first, and memory outside of the heap is what the collector runs for. All other messages go to the driver.
 */
export class CopyReceiver {
  readonly #stream: Connection['stream']
  readonly #driver: readonly DataListener[]
  #rows: Buffer = Buffer.alloc(0)
  #length = 0
  readonly #header = Buffer.alloc(HEADER_BYTES)
  /** So many bytes of the header of the next message are there. */
  #headerLength = 0
  /** So many bytes of a message are still to come, and whether they are rows. */
  #left = 0
  #isOfRows = false

  /** Until the connection is ready for the next query. */
  constructor({ stream }: Pick<Connection, 'stream'>) {
    this.#stream = stream
    this.#driver = stream.listeners('data') as DataListener[]
    for (const listener of this.#driver) stream.removeListener('data', listener)
    stream.on('data', this.#receive)
    receiving.add(stream)
  }

  /** The rows that have come. */
  get bytes(): Buffer {
    return this.#rows.subarray(0, this.#length)
  }

  readonly #receive = (chunk: Buffer): void => {
    let at = 0
    while (at < chunk.length) {
      if (this.#left === 0) {
        const copied = chunk.copy(this.#header, this.#headerLength, at, at + HEADER_BYTES - this.#headerLength)
        at += copied
        this.#headerLength += copied
        if (this.#headerLength < HEADER_BYTES) return
        this.#headerLength = 0
        if (this.#header[0] === READY_FOR_QUERY) return this.#giveBack(chunk.subarray(at))
        this.#beginMessage()
      }
      const end = Math.min(chunk.length, at + this.#left)
      if (this.#isOfRows) this.#length += chunk.copy(this.#rows, this.#length, at, end)
      else this.#pass(chunk.subarray(at, end))
      this.#left -= end - at
      at = end
    }
  }

  #beginMessage(): void {
    this.#left = this.#header.readInt32BE(1) - LENGTH_BYTES
    this.#isOfRows = this.#header[0] === COPY_DATA
    if (!this.#isOfRows) return this.#pass(this.#header)
    const length = this.#length + this.#left
    if (length <= this.#rows.length) return
    // Memory of its own, because it may be handed to a thread.
    const larger = Buffer.allocUnsafeSlow(Math.max(length + FOLLOWING_BYTES, 2 * this.#length))
    this.#rows.copy(larger, 0, 0, this.#length)
    this.#rows = larger
  }

  /** The driver begins the next query when it hears that the connection is ready. */
  #giveBack(rest: Buffer): void {
    receiving.delete(this.#stream)
    this.#stream.removeListener('data', this.#receive)
    for (const listener of this.#driver) this.#stream.on('data', listener)
    this.#pass(this.#header)
    this.#pass(rest)
  }

  /** As a copy: the driver keeps what is not whole yet. */
  #pass(bytes: Buffer): void {
    if (bytes.length === 0) return
    const copy = Buffer.from(bytes)
    for (const listener of this.#driver) listener.call(this.#stream, copy)
  }
}

type DataListener = (bytes: Buffer) => void
