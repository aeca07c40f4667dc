import { setTimeout as sleep } from 'node:timers/promises'
import type { BackupFolder } from './folder.ts'
import type { Replication } from './replication.ts'
import { type Lsn, lsnText } from './segments.ts'
import { LineWriter } from './wal-line.ts'

/** How often what was received is brought to the disk. */
const SYNC_MS = 1000
/** How often the database is asked how far it is, while nothing happens. */
const ASK_MS = 10_000
/** How long its last answer is waited for. */
const LAST_ANSWER_MS = 300
/** What may wait for the disk of the archive, before the database has to wait. */
const MOST_BUFFERED_BYTES = 32 * 2 ** 20

const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)

interface ArchiverOptions {
  readonly connection: Replication
  readonly folder: BackupFolder
  readonly line: string
  readonly slot: string
  readonly timeline: number
  /** Where to begin, if nothing of the line is archived yet. */
  readonly segment: number
}

/**
 * Archives the write-ahead log as the database writes it, by streaming replication: within a second or so. The slot makes the
 * database keep what was not received yet.
 */
export class Archiver {
  readonly #connection: Replication
  readonly #writer: LineWriter
  readonly #received: Buffer[] = []
  #receivedBytes = 0
  /** The newest word of the database on how far its log goes, and when. */
  #said = { lsn: 0, atMs: 0 }
  #archivedLsn: Lsn = 0
  #isClosed = false
  readonly line: string

  private constructor(connection: Replication, writer: LineWriter, line: string) {
    this.#connection = connection
    this.#writer = writer
    this.line = line
  }

  /** @throws Diverged when the line is not that of this database. */
  static async open(options: ArchiverOptions): Promise<Archiver> {
    const { connection, folder, line, timeline, segment } = options
    return new Archiver(connection, await LineWriter.open(folder, line, timeline, segment), line)
  }

  /** Everything before it is archived. */
  get archivedLsn(): Lsn {
    return this.#archivedLsn
  }

  /**
   * Archives until the signal aborts, or the database ends the connection.
   * @throws Diverged, errors of the database, and of the disk of the archive.
   */
  async run({ slot, timeline }: Pick<ArchiverOptions, 'slot' | 'timeline'>, signal: AbortSignal): Promise<void> {
    const start = lsnText(this.#writer.end)
    const streaming = this.#connection.copy(`START_REPLICATION SLOT "${slot}" PHYSICAL ${start} TIMELINE ${timeline}`, {
      onData: message => this.#take(message),
    })
    let isOver = false
    const ended = streaming.then(
      () => undefined,
      error => error as Error,
    )
    const over = ended.then(error => {
      isOver = true
      return error
    })
    try {
      let askedMs = performance.now()
      for (;;) {
        // What came before the end is archived, too.
        const isLast = isOver || signal.aborted
        const hasNews = await this.#flush()
        if (isLast) break
        const isDue = performance.now() - askedMs >= ASK_MS
        if (hasNews || isDue) this.#report(isDue)
        if (isDue) askedMs = performance.now()
        await Promise.race([over, sleep(SYNC_MS, undefined, { signal }).catch(() => undefined)])
        if (!signal.aborted || isOver) continue
        this.#report(true)
        await Promise.race([over, sleep(LAST_ANSWER_MS)])
      }
      const error = isOver ? await over : undefined
      if (error) throw error
    } finally {
      this.#isClosed = true
      await this.#writer.close()
    }
  }

  #take(message: Buffer): void {
    const kind = String.fromCharCode(message[0] ?? 0)
    if (kind === 'w') {
      this.#said = { lsn: Number(message.readBigUInt64BE(9)), atMs: timeAt(message, 17) }
      this.#received.push(Buffer.from(message.subarray(25)))
      this.#receivedBytes += message.length - 25
      if (this.#receivedBytes > MOST_BUFFERED_BYTES) this.#connection.hold(true)
    } else if (kind === 'k') {
      this.#said = { lsn: Number(message.readBigUInt64BE(1)), atMs: timeAt(message, 9) }
      if (message[17] === 1 && !this.#isClosed) this.#report(false)
    }
  }

  /** Brings what was received to the disk. @returns whether there was anything, or another instant is archived */
  async #flush(): Promise<boolean> {
    const said = this.#said
    const content = Buffer.concat(this.#received.splice(0))
    if (content.length > 0) {
      await this.#writer.write(content)
      this.#receivedBytes -= content.length
      this.#connection.hold(false)
      await this.#writer.sync()
      this.#archivedLsn = this.#writer.end
    }
    const isWhole = said.atMs > this.#notedMs && said.lsn <= this.#writer.end
    if (isWhole) {
      this.#archivedLsn = this.#writer.end
      await this.#writer.note({ lsn: this.#writer.end, untilMs: said.atMs })
      this.#notedMs = said.atMs
    }
    return content.length > 0 || isWhole
  }

  #notedMs = 0

  /** Tells the database what it need not keep for us. @param asks for an answer that says how far it is */
  #report(asks: boolean): void {
    const message = Buffer.alloc(34)
    message.write('r', 'latin1')
    for (const at of [1, 9, 17]) message.writeBigUInt64BE(BigInt(this.#archivedLsn), at)
    message.writeBigInt64BE(BigInt(Date.now() - POSTGRES_EPOCH_MS) * 1000n, 25)
    message.writeUInt8(asks ? 1 : 0, 33)
    this.#connection.send(message)
  }
}

/** The clock of the database, in milliseconds since 1970. */
const timeAt = (message: Buffer, at: number) => Number(message.readBigInt64BE(at) / 1000n) + POSTGRES_EPOCH_MS
