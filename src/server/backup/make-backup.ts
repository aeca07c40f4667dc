import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { extract, type Header } from 'tar-stream'
import { OperatorError } from '../../model/errors.ts'
import { grouped } from '../../model/grouped.ts'
import { DAY_MS } from '../../model/time-range.ts'
import { type Base, type BaseFile, checkBase, listBases, readBase, removeBase, writeBase } from './bases.ts'
import { type BackupFolder, explained, withLock } from './folder.ts'
import { Damaged, PIECE_BYTES, Pieces, removeDamagedPiece, removePieces } from './pieces.ts'
import { Replication } from './replication.ts'
import { listLines, listSegments, lsnOf, lsnText, readArchived, removeLine, segmentAt, segmentBefore } from './wal.ts'

interface BackupOptions {
  readonly url: string
  readonly folder: BackupFolder
  readonly line: string
  readonly isUrgent: boolean
  readonly onProgress?: (step: 'reading' | 'checking', doneBytes: number, totalBytes: number) => void
  /** Aborts with the reason for which the archive cannot go on. */
  readonly signal: AbortSignal
}

/** How long the archive may stand still while a backup waits for it. */
const PATIENCE_MS = 300_000
const LOOK_MS = 200

/** Beside an archive that runs; reads the backup back, publishes it, removes those no longer kept.
 * @throws BackupRuns when another process is at it; Damaged; OperatorError */
export function makeBackup(options: BackupOptions): Promise<{ readonly base: Base; readonly removed: number }> {
  const { folder, line, onProgress, signal } = options
  return withLock(folder, async () => {
    const base = await readDatabase(options)
    await untilArchived(folder, base, signal)
    try {
      await checkBase(folder, base, doneBytes => {
        signal.throwIfAborted()
        onProgress?.('checking', doneBytes, base.bytes)
      })
    } catch (error) {
      // The next backup stores it again, which heals the earlier ones as well.
      if (error instanceof Damaged) await removeDamagedPiece(folder, error)
      throw error
    }
    await writeBase(folder, base)
    return { base, removed: await thin(folder, line, base.finishedMs) }
  })
}

async function readDatabase(options: BackupOptions): Promise<Base> {
  const { url, signal } = options
  const connection = await Replication.open(url)
  const stop = () => void connection.close()
  signal.addEventListener('abort', stop)
  try {
    return await makeBase(connection, options)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    await connection.close()
  }
}

async function untilArchived(folder: BackupFolder, base: Base, signal: AbortSignal): Promise<void> {
  let last = 0
  let movedMs = performance.now()
  for (;;) {
    signal.throwIfAborted()
    const { lsn } = (await readArchived(folder, base.line)) ?? { lsn: 0 }
    if (lsn >= base.stopLsn) return
    if (lsn > last) movedMs = performance.now()
    last = lsn
    if (performance.now() - movedMs > PATIENCE_MS)
      throw new OperatorError(
        `The write-ahead log is not archived to ${folder.path} any more (it is at ${lsnText(lsn)}, ` +
          `${lsnText(base.stopLsn)} is needed): see the log of the service.`,
      )
    await sleep(LOOK_MS)
  }
}

/** Kilobytes a second of a backup that nobody waits for. */
const SLOW_KB_PER_S = 32_768
/** Pieces that are compressed and written at the same time. */
const MOST_PENDING = 8

/** BASE_BACKUP verifies the checksums of pages.
 * @throws OperatorError when the disk of the folder is full, or the database is damaged */
async function makeBase(connection: Replication, options: BackupOptions): Promise<Base> {
  const { folder, line, isUrgent, onProgress } = options
  const startedMs = Date.now()
  const pieces = await Pieces.open(folder)
  const archive = new ArchiveReader(connection, pieces)
  const settings = [
    "LABEL 'tacho'",
    'PROGRESS true',
    `CHECKPOINT '${isUrgent ? 'fast' : 'spread'}'`,
    // The write-ahead log is archived beside it.
    'WAL false',
    'WAIT false',
    "MANIFEST 'yes'",
    "MANIFEST_CHECKSUMS 'SHA256'",
    ...(isUrgent ? [] : [`MAX_RATE ${SLOW_KB_PER_S}`]),
  ]
  let manifest = ''
  let isManifest = false
  let doneBytes = 0
  let totalBytes = 0
  try {
    const rows = await Promise.race([
      connection.copy(
        `BASE_BACKUP (${settings.join(', ')})`,
        bytes => {
          const kind = String.fromCharCode(bytes[0] ?? 0)
          if (kind === 'm') isManifest = true
          else if (kind === 'd' && isManifest) manifest += bytes.toString('utf8', 1)
          else if (kind === 'd') {
            archive.write(bytes.subarray(1))
            doneBytes += bytes.length - 1
          } else if (kind === 'p') onProgress?.('reading', doneBytes, Math.max(doneBytes, totalBytes))
        },
        ({ size }) => {
          if (size) totalBytes = Number(size) * 1024
        },
      ),
      archive.failed,
    ])
    await archive.end()
    const { timeline, startLsn, stopLsn } = extentOf(rows)
    await pieces.sync()
    const files = withChecksums(archive.files, manifest)
    return {
      format: 1,
      line,
      timeline,
      startLsn,
      stopLsn,
      startedMs,
      finishedMs: Date.now(),
      major: archive.major,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      writtenBytes: pieces.writtenBytes,
      folders: archive.folders,
      files,
    }
  } catch (error) {
    throw explained(inWordsOfTheOperator(error), folder.path)
  }
}

function inWordsOfTheOperator(error: unknown): unknown {
  if (error instanceof Error && /checksum verification failure/.test(error.message))
    return new OperatorError(
      `PostgreSQL found damaged pages in the database, so no backup was made of it (${error.message}): look at the disk. ` +
        'Earlier backups are as they were.',
    )
  return error
}

/** The rows before and after the data: where the backup begins, its tablespaces, where it ends. */
function extentOf(rows: readonly Readonly<Record<string, string | null>>[]) {
  const [start, stop] = rows.filter(row => row.recptr !== undefined)
  if (!start?.recptr || !stop?.recptr) throw new Error('the server did not say from where to where the backup is')
  if (rows.some(row => row.spclocation))
    throw new OperatorError('The database has tablespaces outside of its folder, which `tacho backup` does not know.')
  return { timeline: Number(start.tli), startLsn: lsnOf(start.recptr), stopLsn: lsnOf(stop.recptr) }
}

/** Adds what PostgreSQL says the checksum of each file is. */
function withChecksums(files: readonly Omit<BaseFile, 'sha256'>[], manifest: string): BaseFile[] {
  const { Files } = JSON.parse(manifest) as { Files: { Path?: string; Size: number; Checksum: string }[] }
  const checksums = new Map(Files.map(file => [file.Path, file]))
  return files.map(file => {
    const listed = checksums.get(file.path)
    if (!listed || listed.Size !== file.bytes) throw new Error(`${file.path} is not as PostgreSQL's manifest says`)
    return { path: file.path, bytes: file.bytes, sha256: listed.Checksum, pieces: file.pieces }
  })
}

/** Reads the archive that PostgreSQL sends, and stores its files piece by piece. */
class ArchiveReader {
  readonly files: Omit<BaseFile, 'sha256'>[] = []
  readonly folders: string[] = []
  major = ''
  readonly #extract = extract()
  readonly #pieces: Pieces
  readonly #pending = new Set<Promise<void>>()
  readonly #finished: Promise<void>
  /** Rejects when something cannot be read or stored. */
  readonly failed: Promise<never>
  #fail: (error: unknown) => void = () => undefined
  readonly #connection: Replication

  constructor(connection: Replication, pieces: Pieces) {
    this.#connection = connection
    this.#pieces = pieces
    this.failed = new Promise((_, reject) => {
      this.#fail = error => {
        reject(error)
        // Nobody reads the rest.
        this.#extract.destroy(error as Error)
      }
    })
    this.failed.catch(() => undefined)
    this.#extract.on('drain', () => connection.pause(false))
    this.#finished = this.#readAll()
    this.#finished.catch(error => this.#fail(error))
  }

  async #readAll(): Promise<void> {
    for await (const entry of this.#extract) await this.#read(entry.header, entry)
  }

  /** @param bytes are copied */
  write(bytes: Buffer): void {
    if (this.#extract.destroyed) return
    if (!this.#extract.write(Buffer.from(bytes))) this.#connection.pause(true)
  }

  async end(): Promise<void> {
    this.#extract.end(null)
    await Promise.race([this.#finished, this.failed])
    await Promise.race([Promise.all(this.#pending), this.failed])
  }

  async #read({ name, type, size }: Header, content: AsyncIterable<unknown>): Promise<void> {
    const path = name.replace(/^\.\//, '').replace(/\/$/, '')
    if (type === 'directory') this.folders.push(path)
    if (type !== 'file' && type !== 'directory') throw new Error(`${name} in the backup is neither file nor folder`)
    const hashes: string[] = []
    let parts: Buffer[] = []
    let bytes = 0
    const store = async () => {
      const piece = Buffer.concat(parts)
      parts = []
      bytes = 0
      if (path === 'PG_VERSION') this.major = piece.toString('utf8').trim()
      await this.#store(piece, hashes, hashes.push('') - 1)
    }
    for await (const chunk of content) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('an archive consists of bytes')
      let rest = chunk
      while (bytes + rest.length >= PIECE_BYTES) {
        const taken = PIECE_BYTES - bytes
        parts.push(rest.subarray(0, taken))
        rest = rest.subarray(taken)
        await store()
      }
      if (rest.length > 0) parts.push(rest)
      bytes += rest.length
    }
    if (bytes > 0) await store()
    if (type === 'file') this.files.push({ path, bytes: size, pieces: hashes })
  }

  /** Begins to store a piece; waits only while many are being stored. */
  async #store(piece: Buffer, hashes: string[], index: number): Promise<void> {
    const storing: Promise<void> = this.#pieces
      .store(piece)
      .then(hash => void (hashes[index] = hash))
      .catch(error => this.#fail(error))
      .finally(() => this.#pending.delete(storing))
    this.#pending.add(storing)
    while (this.#pending.size >= MOST_PENDING) await Promise.race(this.#pending)
  }
}

/** Only under the lock of the folder. @returns how many backups were removed */
async function thin(folder: BackupFolder, currentLine: string | undefined, nowMs: number): Promise<number> {
  const times = await listBases(folder)
  const kept = keptBackups(times, nowMs)
  const removed = times.filter(time => !kept.has(time))
  for (const time of removed) await removeBase(folder, time)

  const bases: Base[] = []
  for (const time of [...kept].sort((a, b) => a - b)) bases.push(await readBase(folder, time))
  await removePieces(folder, new Set(bases.flatMap(({ files }) => files.flatMap(({ pieces }) => pieces))))
  const byLine = grouped(bases, ({ line }) => line)
  for (const line of await listLines(folder)) {
    const ofLine = byLine.get(line)
    if (ofLine) await thinLine(folder, line, ofLine, nowMs)
    else if (line !== currentLine) await removeLine(folder, line)
  }
  return removed.length
}

/** The log is kept from the oldest backup on of those not older than a week; of older ones, what each of them needs itself. */
async function thinLine(folder: BackupFolder, line: string, bases: readonly Base[], nowMs: number): Promise<void> {
  const first = bases.find(({ finishedMs }) => finishedMs > nowMs - EVERY_INSTANT_MS) ?? bases.at(-1)
  if (!first) return
  for (const { segment, path } of await listSegments(folder, line)) {
    if (segment >= segmentAt(first.startLsn)) continue
    const isNeeded = bases.some(base => segment >= segmentAt(base.startLsn) && segment <= segmentBefore(base.stopLsn))
    if (!isNeeded) await rm(path, { force: true })
  }
}

/** For so long every backup is kept, and every instant since can be restored. */
const EVERY_INSTANT_MS = 7 * DAY_MS

/** Of backups older than a day, the newest one of each of so many days, weeks and months that have any. */
const KEPT = [
  { count: 7, periodOf: (ms: number) => isoDay(ms) },
  // Weeks begin on Monday: the epoch was a Thursday.
  { count: 4, periodOf: (ms: number) => String(Math.floor((ms / DAY_MS + 3) / 7)) },
  { count: 12, periodOf: (ms: number) => isoDay(ms).slice(0, 7) },
]

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** In UTC: all of the last day, the newest of each of the last 7 days, 4 weeks and 12 months that have any, and the
 * newest of all. @param times in milliseconds since 1970 */
export function keptBackups(times: readonly number[], nowMs: number): Set<number> {
  const newestFirst = [...times].sort((a, b) => b - a)
  const kept = new Set(newestFirst.filter((time, index) => index === 0 || time > nowMs - DAY_MS))
  for (const { count, periodOf } of KEPT) {
    const periods = new Set<string>()
    for (const time of newestFirst) {
      const period = periodOf(time)
      if (periods.has(period) || periods.size === count) continue
      periods.add(period)
      kept.add(time)
    }
  }
  return kept
}
