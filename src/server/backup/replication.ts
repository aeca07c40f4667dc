import { Client, type Connection, type FieldDef, type Submittable } from 'pg'
import { type Lsn, lsnOf } from './wal.ts'

type Row = Readonly<Record<string, string | null>>

interface Copying {
  /** Called for each message of data; its bytes are valid during the call only. */
  readonly onData: (bytes: Buffer) => void
  /** Called for each row as it arrives. */
  readonly onRow?: (row: Row) => void
}

/**
 * A connection that speaks PostgreSQL's streaming replication protocol (manual, 54.4): base backups and the write-ahead log as
 * it is written. One command at a time.
 */
export class Replication {
  readonly #client: Client
  #stream: Connection['stream'] | undefined
  #isPaused = false
  /** Resolves when the connection is gone, for whatever reason. */
  readonly ended: Promise<void>

  private constructor(client: Client) {
    this.#client = client
    this.ended = new Promise(resolve => {
      client.once('end', resolve)
    })
  }

  /** @param url for the owner of the server */
  static async open(url: string): Promise<Replication> {
    const client = new Client({
      connectionString: url,
      replication: 'true',
      application_name: 'tacho backup',
      // Hours may pass in a base backup, and a stream has no end.
      statement_timeout: 0,
    } as ConstructorParameters<typeof Client>[0])
    // The command that runs gets the error.
    client.on('error', () => undefined)
    const replication = new Replication(client)
    await client.connect()
    return replication
  }

  /** Runs a command that answers with rows. */
  rows(command: string): Promise<Row[]> {
    return this.copy(command, { onData: () => undefined })
  }

  /**
   * Runs a command that sends data, perhaps for ever, and before and after it rows.
   * @returns all rows
   */
  copy(command: string, { onData, onRow }: Copying): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const query = new CopyCommand(command, { onData, onRow: onRow ?? (() => undefined) }, resolve, reject)
      query.onStream = stream => {
        this.#stream = stream
      }
      this.#client.query(query)
    })
  }

  /** Sends a message while data is received. */
  send(message: Buffer): void {
    const head = Buffer.from('d\0\0\0\0', 'latin1')
    head.writeUInt32BE(message.length + 4, 1)
    this.#stream?.write(Buffer.concat([head, message]))
  }

  /** Lets the server wait, or no longer: for whoever cannot keep up with the data. */
  hold(isHeld: boolean): void {
    if (isHeld === this.#isPaused) return
    this.#isPaused = isHeld
    if (isHeld) this.#stream?.pause()
    else this.#stream?.resume()
  }

  /** What the server is, and where its write-ahead log ends. */
  async identify(): Promise<{ systemId: string; timeline: number; endLsn: Lsn }> {
    const [row] = await this.rows('IDENTIFY_SYSTEM')
    if (!row) throw new Error('the server does not identify itself')
    return {
      systemId: row.systemid ?? '',
      timeline: Number(row.timeline),
      endLsn: lsnOf(row.xlogpos ?? ''),
    }
  }

  /** Ends the connection at once. */
  async close(): Promise<void> {
    // A stream that goes on, or is held, would not let it end in order.
    this.#stream?.destroy()
    await this.#client.end().catch(() => undefined)
  }
}

/** A command as the queue of `pg` runs it; its rows are texts. */
class CopyCommand implements Submittable {
  readonly #command: string
  readonly #copying: Required<Copying>
  readonly #resolve: (rows: Row[]) => void
  readonly #reject: (error: Error) => void
  readonly #rows: Row[] = []
  #names: readonly string[] = []
  onStream: (stream: Connection['stream']) => void = () => undefined

  constructor(
    command: string,
    copying: Required<Copying>,
    resolve: (rows: Row[]) => void,
    reject: (error: Error) => void,
  ) {
    this.#command = command
    this.#copying = copying
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: Connection): void {
    this.onStream(connection.stream)
    connection.query(this.#command)
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#names = fields.map(({ name }) => name)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row = Object.fromEntries(this.#names.map((name, index) => [name, fields[index] ?? null]))
    this.#rows.push(row)
    this.#copying.onRow(row)
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
