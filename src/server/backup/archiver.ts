import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { onConnection } from '../../db/pool.ts'
import { pause } from '../../lib/clock.ts'
import { codeOf } from '../../model/errors.ts'
import { listBases, readBase } from './bases.ts'
import type { BackupFolder } from './folder.ts'
import { Replication } from './replication.ts'
import { Diverged, LineWriter, type Lsn, listLines, lsnText, removeLine, segmentAt } from './wal.ts'

/** Every replication slot of backups has a name that begins so; then the id of the folder follows, and the line. */
const PREFIX = 'tacho_backup_'

interface OpenLine {
  readonly line: string
  /** Archives until the signal aborts; not there where another process archives the line. @throws what ended it before */
  readonly run?: (signal: AbortSignal) => Promise<void>
}

/** Begins a line at first, after a restore, and when PostgreSQL gave up keeping what it misses.
 * @param isKept PostgreSQL keeps what is not archived when we are gone, as for a service */
export async function openLine(
  url: string,
  folder: BackupFolder,
  { isKept }: { readonly isKept: boolean },
): Promise<OpenLine> {
  const connection = await Replication.open(url)
  try {
    const opened = await open(url, connection, folder, isKept)
    if (!opened.run) await connection.close()
    return opened
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function open(url: string, connection: Replication, folder: BackupFolder, isKept: boolean): Promise<OpenLine> {
  const own = `${PREFIX}${folder.id}_`
  const { timeline, endLsn } = await connection.identify()
  const lines = await listLines(folder)
  let found: string | undefined
  for (const slot of await readSlots(url)) {
    if (!slot.name.startsWith(own)) continue
    const line = slot.name.slice(own.length)
    if (slot.isActive) return { line }
    if (slot.isLost || found !== undefined || !lines.includes(line)) await dropSlot(url, slot.name)
    else found = line
  }
  for (;;) {
    const line = found ?? (await makeSlot(connection, own, isKept))
    const slot = own + line
    try {
      const archiver = new Archiver(connection, await LineWriter.open(folder, line, timeline, segmentAt(endLsn)))
      const isNew = found === undefined
      return {
        line,
        async run(signal) {
          try {
            await archiver.run(
              `START_REPLICATION SLOT "${slot}" PHYSICAL ${archiver.start} TIMELINE ${timeline}`,
              signal,
            )
          } catch (error) {
            // The next attempt begins a new line.
            if (error instanceof Diverged || isGone(error)) {
              await connection.close()
              await dropWhenFree(url, slot)
            }
            throw error
          } finally {
            await connection.close()
            if (!isKept && isNew) await removeIfEmpty(folder, line)
          }
        },
      }
    } catch (error) {
      if (!(error instanceof Diverged) || found === undefined) throw error
      await dropSlot(url, slot)
      found = undefined
    }
  }
}

/** PostgreSQL no longer has what the slot should have kept (undefined_file, object_not_in_prerequisite_state). */
const isGone = (error: unknown) => codeOf(error) === '58P01' || codeOf(error) === '55000'

async function makeSlot(connection: Replication, own: string, isKept: boolean): Promise<string> {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const line = `${day}_${randomBytes(4).toString('hex')}`
  const kind = isKept ? 'PHYSICAL' : 'TEMPORARY PHYSICAL'
  await connection.rows(`CREATE_REPLICATION_SLOT "${own}${line}" ${kind} (RESERVE_WAL true)`)
  return line
}

/** A backup by hand that failed leaves a line that nothing needs. */
async function removeIfEmpty(folder: BackupFolder, line: string): Promise<void> {
  for (const time of await listBases(folder)) if ((await readBase(folder, time)).line === line) return
  await removeLine(folder, line)
}

/** Drops the slots of other folders. @param keptId the id of the folder in use */
export async function forgetOtherFolders(url: string, keptId?: string): Promise<void> {
  for (const { name, isActive } of await readSlots(url))
    if (!isActive && !(keptId && name.startsWith(`${PREFIX}${keptId}_`))) await dropSlot(url, name)
}

interface Slot {
  readonly name: string
  readonly isActive: boolean
  /** PostgreSQL has not kept what was not archived: more than `max_slot_wal_keep_size`. */
  readonly isLost: boolean
}

function readSlots(url: string): Promise<Slot[]> {
  return onServer<Slot>(
    url,
    `select slot_name as name, active as "isActive", wal_status = 'lost' or restart_lsn is null as "isLost"
     from pg_replication_slots where starts_with(slot_name, $1)`,
    PREFIX,
  )
}

/** A slot that is in use, or is gone, is left alone. */
async function dropSlot(url: string, name: string): Promise<void> {
  await onServer(
    url,
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active',
    name,
  )
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

async function onServer<Row extends object>(url: string, query: string, name: string): Promise<Row[]> {
  return onConnection(url, 'tacho backup', async client => (await client.query<Row>(query, [name])).rows)
}

/** How often what was received is brought to the disk. */
const SYNC_MS = 1000
/** How often the database is asked how far it is, while nothing happens. */
const ASK_MS = 10_000
const LAST_ANSWER_MS = 300
/** This much may wait for the disk of the archive before the database has to wait. */
const MOST_BUFFERED_BYTES = 32 * 2 ** 20

const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)

/** Archives the write-ahead log by streaming replication: within a second or so. */
class Archiver {
  readonly #connection: Replication
  readonly #writer: LineWriter
  readonly #received: Buffer[] = []
  #receivedBytes = 0
  /** How far the log of the database went at last, and when. */
  #newest = { lsn: 0, atMs: 0 }
  /** Everything before it is archived. */
  #archivedLsn: Lsn = 0
  #notedMs = 0
  #isClosed = false

  constructor(connection: Replication, writer: LineWriter) {
    this.#connection = connection
    this.#writer = writer
  }

  /** From where on the database has to send. */
  get start(): string {
    return lsnText(this.#writer.end)
  }

  /** Until the signal aborts, or the database ends the connection. @throws Diverged, errors of database and disk */
  async run(command: string, signal: AbortSignal): Promise<void> {
    let end: { readonly error?: unknown } | undefined
    const over = this.#connection
      .copy(command, message => this.#take(message))
      .then(() => void (end = {}))
      .catch(error => void (end = { error }))
    try {
      let askedMs = performance.now()
      for (;;) {
        // All that came before the end is archived, too.
        const isLast = end !== undefined || signal.aborted
        const hasNews = await this.#flush()
        if (isLast) break
        const isDue = performance.now() - askedMs >= ASK_MS
        if (hasNews || isDue) this.#report(isDue)
        if (isDue) askedMs = performance.now()
        await Promise.race([over, pause(SYNC_MS, signal)])
        if (!signal.aborted || end) continue
        this.#report(true)
        await Promise.race([over, sleep(LAST_ANSWER_MS)])
      }
      if (end?.error) throw end.error
    } finally {
      this.#isClosed = true
      await this.#writer.close()
    }
  }

  #take(message: Buffer): void {
    const kind = String.fromCharCode(message[0] ?? 0)
    if (kind === 'w') {
      this.#newest = { lsn: Number(message.readBigUInt64BE(9)), atMs: timeAt(message, 17) }
      this.#received.push(Buffer.from(message.subarray(25)))
      this.#receivedBytes += message.length - 25
      if (this.#receivedBytes > MOST_BUFFERED_BYTES) this.#connection.pause(true)
    } else if (kind === 'k') {
      this.#newest = { lsn: Number(message.readBigUInt64BE(1)), atMs: timeAt(message, 9) }
      if (message[17] === 1 && !this.#isClosed) this.#report(false)
    }
  }

  /** Brings what was received to the disk. @returns whether there was anything, or another instant is archived */
  async #flush(): Promise<boolean> {
    const newest = this.#newest
    const content = Buffer.concat(this.#received.splice(0))
    if (content.length > 0) {
      await this.#writer.write(content)
      this.#receivedBytes -= content.length
      this.#connection.pause(false)
      await this.#writer.sync()
      this.#archivedLsn = this.#writer.end
    }
    const isWhole = newest.atMs > this.#notedMs && newest.lsn <= this.#writer.end
    if (isWhole) {
      this.#archivedLsn = this.#writer.end
      await this.#writer.note({ lsn: this.#writer.end, untilMs: newest.atMs })
      this.#notedMs = newest.atMs
    }
    return content.length > 0 || isWhole
  }

  /** Reports to the database what it need not keep for us. @param asks for an answer that says how far it is */
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
