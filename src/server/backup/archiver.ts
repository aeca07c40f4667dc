import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { codeOf } from '../../model/errors.ts'
import { listBases, readBase } from './bases.ts'
import type { BackupFolder } from './folder.ts'
import { Replication } from './replication.ts'
import { Diverged, LineWriter, type Lsn, listLines, lsnText, removeLine, segmentAt } from './wal.ts'

/** Every replication slot of backups has a name that begins so; then the id of the folder follows, and the line. */
const PREFIX = 'tacho_backup_'

interface Slot {
  readonly name: string
  readonly isActive: boolean
  /** PostgreSQL has not kept what was not archived: more than `max_slot_wal_keep_size`. */
  readonly isLost: boolean
}

/** Another process archives to this folder. */
interface ArchivedElsewhere {
  readonly line: string
}

/** An archiver that is ready to run. */
interface OpenLine {
  readonly archiver: Archiver
  /** Archives until the signal aborts. @throws what ended it before */
  run(signal: AbortSignal): Promise<void>
}

/**
 * Goes on with the line of this folder, or begins a new one: at the first time, after a restore (slots are in no backup), and
 * after the archive fell behind so far that PostgreSQL gave up keeping what it misses.
 * @param isKept whether PostgreSQL keeps what is not archived when we are gone, as for a service that comes back
 * @returns the line that another process archives, if one does
 */
export async function openLine(
  url: string,
  folder: BackupFolder,
  { isKept }: { readonly isKept: boolean },
): Promise<OpenLine | ArchivedElsewhere> {
  const connection = await Replication.open(url)
  try {
    const opened = await open(url, connection, folder, isKept)
    if (!('archiver' in opened)) await connection.close()
    return opened
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function open(
  url: string,
  connection: Replication,
  folder: BackupFolder,
  isKept: boolean,
): Promise<OpenLine | ArchivedElsewhere> {
  const own = `${PREFIX}${folder.id}_`
  const { timeline, endLsn } = await connection.identify()
  const segment = segmentAt(endLsn)
  const lines = await listLines(folder)
  let found: { line: string; slot: string } | undefined
  for (const slot of await readSlots(url)) {
    if (!slot.name.startsWith(own)) continue
    const line = slot.name.slice(own.length)
    if (slot.isActive) return { line }
    if (slot.isLost || found || !lines.includes(line)) await dropSlot(url, slot.name)
    else found = { line, slot: slot.name }
  }
  for (;;) {
    const { line, slot } = found ?? (await makeSlot(connection, own, isKept))
    try {
      const archiver = await Archiver.open({ connection, folder, line, slot, timeline, segment })
      return {
        archiver,
        async run(signal) {
          try {
            await archiver.run({ slot, timeline }, signal)
          } catch (error) {
            // The next attempt begins a new line.
            if (error instanceof Diverged || isGone(error)) {
              await connection.close()
              await dropWhenFree(url, slot)
            }
            throw error
          } finally {
            await connection.close()
            if (!isKept && !found) await removeIfEmpty(folder, line)
          }
        },
      }
    } catch (error) {
      if (!(error instanceof Diverged) || !found) throw error
      await dropSlot(url, slot)
      found = undefined
    }
  }
}

/** PostgreSQL no longer has what the slot should have kept (undefined_file, object_not_in_prerequisite_state). */
const isGone = (error: unknown) => codeOf(error) === '58P01' || codeOf(error) === '55000'

async function makeSlot(
  connection: Replication,
  own: string,
  isKept: boolean,
): Promise<{ line: string; slot: string }> {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const line = `${day}_${randomBytes(4).toString('hex')}`
  const slot = own + line
  await connection.rows(`CREATE_REPLICATION_SLOT "${slot}" ${isKept ? '' : 'TEMPORARY '}PHYSICAL (RESERVE_WAL true)`)
  return { line, slot }
}

/** A backup by hand that failed leaves a line that nothing needs. */
async function removeIfEmpty(folder: BackupFolder, line: string): Promise<void> {
  for (const time of await listBases(folder)) if ((await readBase(folder, time)).line === line) return
  await removeLine(folder, line)
}

/**
 * Lets PostgreSQL keep nothing for folders that backups went to before.
 * @param keptId the id of the folder they go to now
 */
export async function forgetOtherFolders(url: string, keptId?: string): Promise<void> {
  for (const { name, isActive } of await readSlots(url))
    if (!isActive && !(keptId && name.startsWith(`${PREFIX}${keptId}_`))) await dropSlot(url, name)
}

function readSlots(url: string): Promise<Slot[]> {
  return onServer(url, async client => {
    const { rows } = await client.query<{ slot_name: string; active: boolean; lost: boolean }>(
      `select slot_name, active, wal_status = 'lost' or restart_lsn is null as lost from pg_replication_slots
       where starts_with(slot_name, $1)`,
      [PREFIX],
    )
    return rows.map(row => ({ name: row.slot_name, isActive: row.active, isLost: row.lost }))
  })
}

/** A slot that is in use, or is gone, is left alone. */
function dropSlot(url: string, name: string): Promise<void> {
  return onServer(url, async client => {
    await client.query(
      'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active',
      [name],
    )
  })
}

/** The slot may be in use for a moment after the connection that used it was closed. One that is gone is left alone. */
async function dropWhenFree(url: string, name: string): Promise<void> {
  const connection = await Replication.open(url)
  try {
    await connection.rows(`DROP_REPLICATION_SLOT "${name}" WAIT`)
  } catch (error) {
    if (codeOf(error) !== UNDEFINED_OBJECT) throw error
  } finally {
    await connection.close()
  }
}

const UNDEFINED_OBJECT = '42704'

async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'tacho backup' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

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
class Archiver {
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
