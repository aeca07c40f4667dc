import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Gauge, type Registry } from 'prom-client'
import { type BackupFolder, backupPartsOf, madeAt, writeWholeAndSync } from './folder.ts'
import { Damaged, readPiece, sha256 } from './pieces.ts'
import {
  type Lsn,
  listLines,
  listSegments,
  readArchived,
  readSegment,
  segmentAt,
  segmentBefore,
  segmentName,
} from './wal.ts'

export interface BaseFile {
  /** Below the folder of the database. */
  readonly path: string
  readonly bytes: number
  /** As PostgreSQL computed it. */
  readonly sha256: string
  readonly pieces: readonly string[]
}

/** A base backup: every file of the database, from which the write-ahead log leads on. */
export interface Base {
  readonly format: 1
  /** The line of the write-ahead log that leads on from it. */
  readonly line: string
  readonly timeline: number
  /** It needs the write-ahead log from here on … */
  readonly startLsn: Lsn
  /** … to here at least. */
  readonly stopLsn: Lsn
  readonly startedMs: number
  /** From then on, every instant can be restored. */
  readonly finishedMs: number
  readonly major: string
  readonly bytes: number
  /** Written for it: the rest was there already. */
  readonly writtenBytes: number
  readonly folders: readonly string[]
  readonly files: readonly BaseFile[]
}

export async function writeBase(folder: BackupFolder, base: Base): Promise<void> {
  const text = JSON.stringify(base)
  const content = `${sha256(Buffer.from(text))}\n${text}\n`
  await writeWholeAndSync(pathOf(folder, base.finishedMs), content, folder.temporary)
}

/** When the base backups of a folder were finished, ascending. */
export async function listBases({ bases }: Pick<BackupFolder, 'bases'>): Promise<number[]> {
  const names = await readdir(bases)
  return names
    .filter(name => name.endsWith(SUFFIX))
    .map(name => timeOf(name.slice(0, -SUFFIX.length)))
    .filter(time => !Number.isNaN(time))
    .sort((a, b) => a - b)
}

/** @throws Damaged when the manifest is not what was written. */
export async function readBase(folder: BackupFolder, finishedMs: number): Promise<Base> {
  const path = pathOf(folder, finishedMs)
  const [hash, text = ''] = (await readFile(path, 'utf8')).split('\n')
  if (sha256(Buffer.from(text)) !== hash) throw new Damaged(path, 'is not what was written')
  return JSON.parse(text) as Base
}

export async function removeBase(folder: BackupFolder, finishedMs: number): Promise<void> {
  await rm(pathOf(folder, finishedMs), { force: true })
}

const SUFFIX = '.json'

const pathOf = ({ bases }: BackupFolder, finishedMs: number) => join(bases, `${nameOf(finishedMs)}${SUFFIX}`)

/** Some file systems allow no colons: `2026-01-15T08-00-00.250Z`. */
const nameOf = (ms: number) => new Date(ms).toISOString().replaceAll(':', '-')
const timeOf = (name: string) => Date.parse(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))

/** Reads a base backup back, with its log. @param onProgress bytes that were read @throws Damaged naming the file */
export async function checkBase(
  folder: BackupFolder,
  base: Base,
  onProgress: (doneBytes: number) => void = () => undefined,
): Promise<void> {
  let doneBytes = 0
  for (const file of base.files)
    for await (const content of readBaseFile(folder, file)) {
      doneBytes += content.length
      onProgress(doneBytes)
    }
  const segments = new Map((await listSegments(folder, base.line)).map(item => [item.segment, item]))
  for (let segment = segmentAt(base.startLsn); segment <= segmentBefore(base.stopLsn); segment++) {
    const found = segments.get(segment)
    if (!found) throw new Damaged(`${folder.wal}/${base.line}/${segmentName(base.timeline, segment)}`, 'is missing')
    await readSegment(found)
  }
}

/** The content of a file, piece by piece. @throws Damaged naming what is damaged, at the end at the latest. */
export async function* readBaseFile(folder: BackupFolder, file: BaseFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for (const piece of file.pieces) {
    const content = await readPiece(folder, piece)
    hash.update(content)
    yield content
  }
  if (hash.digest('hex') !== file.sha256) throw new Damaged(file.path, 'is not as PostgreSQL read it')
}

/** A base backup, and the instants to which the write-ahead log leads from it. */
export interface Restorable {
  readonly base: Base
  /** Every instant from `base.finishedMs` to here can be restored; in milliseconds since 1970. */
  readonly untilMs: number
  /** The segments that lead there. */
  readonly segments: Awaited<ReturnType<typeof listSegments>>
}

/** The backups that can be restored, oldest first; those without the log that they need are left out. */
export async function readRestorable(folder: BackupFolder): Promise<Restorable[]> {
  const lines = new Set(await listLines(folder))
  const found: Restorable[] = []
  for (const time of await listBases(folder)) {
    const base = await readBase(folder, time)
    if (!lines.has(base.line)) continue
    const all = await listSegments(folder, base.line)
    const segments = unbrokenFrom(all, segmentAt(base.startLsn))
    const last = segments.at(-1)
    if (!last || last.segment < segmentBefore(base.stopLsn)) continue
    const archived = last === all.at(-1) ? await readArchived(folder, base.line) : undefined
    found.push({ base, segments, untilMs: Math.max(base.finishedMs, archived?.untilMs ?? 0) })
  }
  return found
}

function unbrokenFrom<T extends { readonly segment: number }>(segments: readonly T[], first: number): T[] {
  const later = segments.filter(({ segment }) => segment >= first)
  const end = later.findIndex(({ segment }, index) => segment !== first + index)
  return end === -1 ? later : later.slice(0, end)
}

/** The newest backup from which the log leads to the instant. @param toMs undefined for the newest state there is */
export function chooseRestorable(all: readonly Restorable[], toMs: number | undefined): Restorable | undefined {
  if (toMs !== undefined) return all.findLast(({ base, untilMs }) => base.finishedMs <= toMs && toMs <= untilMs)
  const newestMs = Math.max(...all.map(({ untilMs }) => untilMs))
  return all.findLast(({ untilMs }) => untilMs === newestMs)
}

/** Unbroken ranges of instants, oldest first, as texts. */
export function restorableInstants(all: readonly Restorable[]): string[] {
  const merged: [number, number][] = []
  for (const { base, untilMs } of all) {
    const last = merged.at(-1)
    if (last && base.finishedMs <= last[1]) last[1] = Math.max(last[1], untilMs)
    else merged.push([base.finishedMs, untilMs])
  }
  const textOf = (ms: number) => new Date(ms).toISOString()
  return merged.map(([from, to]) => (from === to ? textOf(from) : `${textOf(from)} to ${textOf(to)}`))
}

/** Metrics of the backups in a folder. Without any, they count from when the folder was made, or from now. */
export function observeBackups(registry: Registry, path: string): void {
  const folder = backupPartsOf(path)
  const nowMs = Date.now()
  const age = async (timesMs: readonly number[]) => {
    const newestMs = timesMs.length > 0 ? Math.max(...timesMs) : ((await madeAt(folder)) ?? nowMs)
    return Math.max(0, Date.now() - newestMs) / 1000
  }
  const gauge = (name: string, help: string, timesMs: () => Promise<number[]>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await age(await timesMs().catch(() => [])))
      },
    })
  gauge('tacho_backup_age_seconds', 'Seconds since the newest backup was finished and checked.', () =>
    listBases(folder),
  )
  gauge(
    'tacho_backup_wal_lag_seconds',
    'Seconds up to now of which the changes are not known to be in the archive: what would be lost with the disk.',
    async () => {
      const lines = await listLines(folder)
      const archived = await Promise.all(lines.map(line => readArchived(folder, line).catch(() => undefined)))
      return archived.flatMap(item => (item ? [item.untilMs] : []))
    },
  )
}
