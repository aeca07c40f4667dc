import type { ClientBase, Connection, FieldDef, Submittable } from 'pg'
import type { Statement } from './sql.ts'

/** The values of a row as bytes; undefined for null. */
export type CopiedRow = readonly (Buffer | undefined)[]

/** The only row of a statement in PostgreSQL's binary format, undefined for null. By COPY, because the driver reads the
 * values of a query as UTF-8 (docs/adr/0028). @returns undefined when there is no row */
export async function copiedRow(client: ClientBase, statement: Statement): Promise<CopiedRow | undefined> {
  return rowOfCopy(await copiedBytes(client, statement.inlined()))
}

/** The rows of a query as PostgreSQL sends them. @param query with its values as literals */
export async function copiedBytes(client: ClientBase, query: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  await client.query(
    new CopyCommand(`copy (${query}) to stdout (format binary)`, { onData: chunk => chunks.push(Buffer.from(chunk)) }),
  ).result
  return Buffer.concat(chunks)
}

/** Signature, flags, and the length of an extension that does not exist. */
const FILE_HEADER_BYTES = 19
const NULL = -1
const END_OF_ROWS = -1

/** The only row of what `copiedBytes` gives: parts of those bytes. @returns undefined when there is none */
export function rowOfCopy(bytes: Buffer): CopiedRow | undefined {
  const count = bytes.readInt16BE(FILE_HEADER_BYTES)
  if (count === END_OF_ROWS) return undefined
  let at = FILE_HEADER_BYTES + 2
  return Array.from({ length: count }, () => {
    const length = bytes.readInt32BE(at)
    const start = at + 4
    at = start + Math.max(0, length)
    return length === NULL ? undefined : bytes.subarray(start, at)
  })
}

/** A row around the data, whose values are texts. */
export type CopyRow = Readonly<Record<string, string | null>>

interface Copying {
  /** Called for each message of data; its bytes are valid during the call only. */
  readonly onData: (bytes: Buffer) => void
  /** Called for each row as it arrives. */
  readonly onRow?: ((row: CopyRow) => void) | undefined
}

/** A command that answers with data, perhaps for ever, and before and after it with rows, for the queue of the driver. */
export class CopyCommand implements Submittable {
  readonly result: Promise<CopyRow[]>
  readonly #command: string
  readonly #copying: Copying
  readonly #rows: CopyRow[] = []
  #names: readonly string[] = []
  #resolve: (rows: CopyRow[]) => void = () => undefined
  #reject: (error: Error) => void = () => undefined
  /** Of the connection, once the command was sent. */
  stream: Connection['stream'] | undefined

  constructor(command: string, copying: Copying) {
    this.#command = command
    this.#copying = copying
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit(connection: Connection): void {
    this.stream = connection.stream
    connection.query(this.#command)
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#names = fields.map(({ name }) => name)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row = Object.fromEntries(this.#names.map((name, index) => [name, fields[index] ?? null]))
    this.#rows.push(row)
    this.#copying.onRow?.(row)
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    try {
      this.#copying.onData(chunk)
    } catch (error) {
      this.#reject(error as Error)
    }
  }

  handleError(error: Error): void {
    this.#reject(error)
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#rows)
  }

  handleCommandComplete(): void {}
  handleCopyInResponse(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}
