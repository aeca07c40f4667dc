import { Client } from 'pg'
import { CopyCommand, type CopyRow } from '../../db/copy.ts'
import { type Lsn, lsnOf } from './wal.ts'

/** Speaks PostgreSQL's streaming replication protocol (manual, 54.4). One command at a time. */
export class Replication {
  readonly #client: Client
  #command: CopyCommand | undefined

  private constructor(client: Client) {
    this.#client = client
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
    await client.connect()
    return new Replication(client)
  }

  rows(command: string): Promise<CopyRow[]> {
    return this.copy(command, () => undefined)
  }

  /** Runs a command that sends data, perhaps for ever. @param onData its bytes are valid during the call */
  copy(command: string, onData: (bytes: Buffer) => void, onRow?: (row: CopyRow) => void): Promise<CopyRow[]> {
    this.#command = this.#client.query(new CopyCommand(command, { onData, onRow }))
    return this.#command.result
  }

  /** Sends a message while data is received. */
  send(message: Buffer): void {
    const head = Buffer.from('d\0\0\0\0', 'latin1')
    head.writeUInt32BE(message.length + 4, 1)
    this.#command?.stream?.write(Buffer.concat([head, message]))
  }

  /** Lets the server wait, or no longer: while its data cannot be stored as fast as it comes. */
  pause(isPaused: boolean): void {
    if (isPaused) this.#command?.stream?.pause()
    else this.#command?.stream?.resume()
  }

  /** Identifies the server, and where its write-ahead log ends. */
  async identify(): Promise<{ systemId: string; timeline: number; endLsn: Lsn }> {
    const [row] = await this.rows('IDENTIFY_SYSTEM')
    if (!row) throw new Error('the server does not identify itself')
    return { systemId: row.systemid ?? '', timeline: Number(row.timeline), endLsn: lsnOf(row.xlogpos ?? '') }
  }

  async close(): Promise<void> {
    // A stream that goes on, or is paused, would not let it end in order.
    this.#command?.stream?.destroy()
    await this.#client.end().catch(() => undefined)
  }
}
