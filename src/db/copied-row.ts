import type { ClientBase, Connection, Submittable } from 'pg'
import { CopyReceiver } from './copy-receiver.ts'
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
const HEADER_BYTES = 19
const NULL = -1
const END_OF_ROWS = -1

/** The only row of what `copiedBytes` gives. @returns undefined when there is none */
export function rowOfCopy(bytes: Buffer): CopiedRow | undefined {
  return rowsOfCopy(bytes)[0]
}

/** All rows of what `copiedBytes` gives: parts of those bytes. */
export function rowsOfCopy(bytes: Buffer): CopiedRow[] {
  const rows: CopiedRow[] = []
  let at = HEADER_BYTES
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
