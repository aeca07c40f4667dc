import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net'
import type { ClientBase, Connection, Submittable } from 'pg'
import type { Statement } from './sql.ts'

/** The values of a row as bytes; undefined for null. */
export type CopiedRow = readonly (Buffer | undefined)[]

/**
 * The only row of a statement as bytes, each value in PostgreSQL's binary format; undefined for null. By COPY, because the
 * driver reads the values of a query as UTF-8, whatever format they are in (docs/adr/0028).
 * @returns undefined when there is no row
 */
export async function copiedRow(client: ClientBase, statement: Statement): Promise<CopiedRow | undefined> {
  return rowOfCopy(await copiedBytes(client, statement.inlined()))
}

/**
 * The rows of a query as PostgreSQL sends them, in a buffer of their own, which may be handed to a thread.
 * @param query with its values as literals
 */
export function copiedBytes(client: ClientBase, query: string): Promise<Buffer> {
  const copy = new CopyOut(`copy (${query}) to stdout (format binary)`)
  client.query(copy)
  return copy.result
}

/** What the driver calls for a command of ours. */
class CopyOut implements Submittable {
  readonly result: Promise<Buffer>
  readonly #text: string
  #receiver: CopyReceiver | undefined
  #resolve: (all: Buffer) => void = () => undefined
  #reject: (error: Error) => void = () => undefined

  constructor(text: string) {
    this.#text = text
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit(connection: Connection): void {
    this.#receiver = new CopyReceiver(connection)
    connection.query(this.#text)
  }

  handleCommandComplete(): void {
    // What follows says that the connection can be used again.
  }

  handleReadyForQuery(): void {
    if (this.#receiver) this.#resolve(this.#receiver.bytes)
  }

  handleError(error: Error): void {
    this.#reject(error)
  }
}

/** Signature, flags, and the length of an extension that does not exist. */
const FILE_HEADER_BYTES = 19
const NULL = -1
const END_OF_ROWS = -1

/** The only row of what `copiedBytes` gives. @returns undefined when there is none */
export function rowOfCopy(bytes: Buffer): CopiedRow | undefined {
  return rowsOfCopy(bytes)[0]
}

/** All rows of what `copiedBytes` gives: parts of those bytes. */
function rowsOfCopy(bytes: Buffer): CopiedRow[] {
  const rows: CopiedRow[] = []
  let at = FILE_HEADER_BYTES
  for (;;) {
    const count = bytes.readInt16BE(at)
    if (count === END_OF_ROWS) return rows
    at += 2
    rows.push(
      Array.from({ length: count }, () => {
        const length = bytes.readInt32BE(at)
        const start = at + 4
        at = start + Math.max(0, length)
        return length === NULL ? undefined : bytes.subarray(start, at)
      }),
    )
  }
}

/** A message begins with a byte that tells its kind, and its length without that byte. */
const MESSAGE_HEADER_BYTES = 5
const LENGTH_BYTES = 4
const COPY_DATA = 'd'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
/** After a long row mostly come short ones, or none. */
const FOLLOWING_BYTES = 256

const receiving = new WeakSet<object>()

/** Whether the bytes of a connection are taken as they come, so that their memory may be written over. */
function isReceivingRows(stream: object): boolean {
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
  readonly #header = Buffer.alloc(MESSAGE_HEADER_BYTES)
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
        const copied = chunk.copy(this.#header, this.#headerLength, at, at + MESSAGE_HEADER_BYTES - this.#headerLength)
        at += copied
        this.#headerLength += copied
        if (this.#headerLength < MESSAGE_HEADER_BYTES) return
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

/** As much as a socket gives at once. All connections share it: what is in it is taken before the next one reads. */
const bytes = Buffer.allocUnsafeSlow(65_536)

/**
 * The socket of a connection, for the driver's setting `stream`. Node takes new memory for each read: a history of some
 * megabytes had the collector mark all that the process holds, for memory that is outside of its heap. The rows of a COPY are taken from
 * where they were read; for all else, the driver gets a copy. TLS reads from the socket by itself.
 */
export function connectionSocket(config?: { readonly ssl?: unknown }): Socket {
  if (config?.ssl) return new Socket()
  const options: SocketConstructorOpts & ConnectOpts = {
    onread: {
      buffer: bytes,
      callback(length) {
        const read = bytes.subarray(0, length)
        socket.emit('data', isReceivingRows(socket) ? read : Buffer.from(read))
        return true
      },
    },
  }
  const socket = new Socket(options)
  return socket
}
