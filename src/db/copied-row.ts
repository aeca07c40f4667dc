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

const NO_BYTES = Buffer.alloc(0)
/** After a long row mostly come short ones, or none. */
const FOLLOWING_BYTES = 256

/** What the driver calls for a command of ours. */
class CopyOut implements Submittable {
  readonly result: Promise<Buffer>
  readonly #text: string
  #received: Buffer = NO_BYTES
  #length = 0
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
    connection.query(this.#text)
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // The driver uses its buffer again. One copy of most answers: memory outside of the heap is what its collector runs for.
    const length = this.#length + chunk.length
    if (length > this.#received.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length + FOLLOWING_BYTES, 2 * this.#length))
      this.#received.copy(larger, 0, 0, this.#length)
      this.#received = larger
    }
    chunk.copy(this.#received, this.#length)
    this.#length = length
  }

  handleCommandComplete(): void {
    // What follows says that the connection can be used again.
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#received.subarray(0, this.#length))
  }

  handleError(error: Error): void {
    this.#reject(error)
  }
}

/** Signature, flags, and the length of an extension that does not exist. */
const HEADER_BYTES = 19
const NULL = -1
const END_OF_ROWS = -1

/** The only row of what `copiedBytes` gives. @returns undefined when there is none */
export function rowOfCopy(bytes: Buffer): CopiedRow | undefined {
  let at = HEADER_BYTES
  const count = bytes.readInt16BE(at)
  if (count === END_OF_ROWS) return undefined
  at += 2
  return Array.from({ length: count }, () => {
    const length = bytes.readInt32BE(at)
    const start = at + 4
    at = start + Math.max(0, length)
    return length === NULL ? undefined : bytes.subarray(start, at)
  })
}
