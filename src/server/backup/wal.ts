import { open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../model/errors.ts'
import { syncFolder } from '../embedded/location.ts'
import { type BackupFolder, FILE_MODE, makePrivateFolder, writeWhole, writeWholeAndSync } from './folder.ts'
import { pack, readPacked, sha256 } from './pieces.ts'

interface ArchivedSegment {
  readonly segment: number
  readonly name: string
  readonly path: string
  /** Undefined for the last one, which grows: its records have checksums themselves. */
  readonly sha256: string | undefined
}

interface Archived {
  readonly lsn: Lsn
  /** All that was acknowledged before this instant is archived: in milliseconds since 1970, by the clock of the database. */
  readonly untilMs: number
}

const GROWING = '.partial'

export async function listLines({ wal }: Pick<BackupFolder, 'wal'>): Promise<string[]> {
  return readdir(wal)
}

/** @returns ascending */
export async function listSegments(folder: BackupFolder, line: string): Promise<ArchivedSegment[]> {
  const names = await readdir(join(folder.wal, line))
  const found = names.flatMap((file): ArchivedSegment[] => {
    const [, name = '', hash] = /^([0-9A-F]{24})(?:-([0-9a-f]{64})\.gz|\.partial)$/.exec(file) ?? []
    const segment = segmentOf(name)
    return segment === undefined ? [] : [{ segment, name, path: join(folder.wal, line, file), sha256: hash }]
  })
  // Cut off between the two, a segment is there in both forms.
  const whole = new Set(found.filter(item => item.sha256 !== undefined).map(item => item.segment))
  return found
    .filter(item => item.sha256 !== undefined || !whole.has(item.segment))
    .sort((a, b) => a.segment - b.segment)
}

/** The 16 MB of a segment. @throws Damaged */
export async function readSegment({ path, sha256: hash }: ArchivedSegment): Promise<Buffer> {
  if (hash !== undefined) return readPacked(path, hash)
  const content = await readFile(path)
  return Buffer.concat([content, Buffer.alloc(SEGMENT_BYTES - content.length)])
}

/** @returns undefined while nothing is archived */
export async function readArchived({ wal }: Pick<BackupFolder, 'wal'>, line: string): Promise<Archived | undefined> {
  try {
    const { lsn, until } = JSON.parse(await readFile(join(wal, line, UNTIL), 'utf8'))
    return { lsn: lsnOf(lsn), untilMs: Date.parse(until) }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

const UNTIL = 'until.json'

export async function removeLine({ wal }: BackupFolder, line: string): Promise<void> {
  await rm(join(wal, line), { recursive: true, force: true })
}

/** Removes what was being written when the writer of a line was killed. */
async function removeLeftovers({ wal }: BackupFolder, line: string): Promise<void> {
  const names = await readdir(join(wal, line))
  const whole = new Set(names.filter(name => name.endsWith('.gz')).map(name => name.slice(0, 24)))
  for (const name of names) {
    const isSealed = name.endsWith(GROWING) && whole.has(name.slice(0, 24))
    if (isSealed || /^[0-9a-f]{16}$/.test(name)) await rm(join(wal, line, name), { force: true })
  }
}

/** The database sends other bytes than are archived already: it went another way meanwhile. */
export class Diverged extends Error {
  constructor() {
    super('The database went another way than the one that is archived: a new archive begins.')
  }
}

export class LineWriter {
  readonly #path: string
  readonly #timeline: number
  #segment: number
  /** Content of the growing segment: it is received again and compared. */
  #former: Buffer
  #file: Awaited<ReturnType<typeof open>> | undefined
  /** Where the next byte belongs. */
  #end: Lsn
  #sealing: Promise<void> = Promise.resolve()

  private constructor(folder: BackupFolder, line: string, timeline: number, segment: number, former: Buffer) {
    this.#path = join(folder.wal, line)
    this.#timeline = timeline
    this.#segment = segment
    this.#former = former
    this.#end = segment * SEGMENT_BYTES
  }

  /** @param segment to begin with, where the line is empty */
  static async open(folder: BackupFolder, line: string, timeline: number, segment: number): Promise<LineWriter> {
    await makePrivateFolder(join(folder.wal, line))
    await syncFolder(folder.wal)
    await removeLeftovers(folder, line)
    const last = (await listSegments(folder, line)).at(-1)
    if (!last) return new LineWriter(folder, line, timeline, segment, Buffer.alloc(0))
    if (last.name !== segmentName(timeline, last.segment)) throw new Diverged()
    if (last.sha256 !== undefined) return new LineWriter(folder, line, timeline, last.segment + 1, Buffer.alloc(0))
    // A loss of power may have taken all that was not on the disk yet.
    const surelyThere = ((await readArchived(folder, line))?.lsn ?? 0) - last.segment * SEGMENT_BYTES
    const former = (await readFile(last.path)).subarray(0, Math.max(0, surelyThere))
    return new LineWriter(folder, line, timeline, last.segment, former)
  }

  /** From where on the database has to send: the start of a segment. */
  get end(): Lsn {
    return this.#end
  }

  async write(content: Buffer): Promise<void> {
    for (let rest = content; rest.length > 0; ) {
      const at = this.#end - this.#segment * SEGMENT_BYTES
      const part = rest.subarray(0, SEGMENT_BYTES - at)
      await this.#writePart(part, at)
      this.#end += part.length
      rest = rest.subarray(part.length)
      if (at + part.length === SEGMENT_BYTES) await this.#complete()
    }
  }

  async #writePart(part: Buffer, at: number): Promise<void> {
    const repeated = Math.max(0, Math.min(part.length, this.#former.length - at))
    if (repeated > 0 && this.#former.compare(part, 0, repeated, at, at + repeated) !== 0) throw new Diverged()
    this.#file ??= await this.#openGrowing()
    if (repeated < part.length) await this.#file.write(part, repeated, part.length - repeated, at + repeated)
  }

  async #openGrowing() {
    const path = join(this.#path, segmentName(this.#timeline, this.#segment) + GROWING)
    try {
      return await open(path, 'r+')
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      const file = await open(path, 'wx+', FILE_MODE)
      await syncFolder(this.#path)
      return file
    }
  }

  /** A whole segment is compressed, while the next one begins. */
  async #complete(): Promise<void> {
    const name = segmentName(this.#timeline, this.#segment)
    await this.#file?.datasync()
    await this.#file?.close()
    this.#file = undefined
    this.#former = Buffer.alloc(0)
    this.#segment++
    // One after the other, so that a database that writes fast has to wait.
    await this.#sealing
    this.#sealing = this.#seal(name)
    this.#sealing.catch(() => undefined)
  }

  async #seal(name: string): Promise<void> {
    const growing = join(this.#path, name + GROWING)
    const content = await readFile(growing)
    const path = join(this.#path, `${name}-${sha256(content)}.gz`)
    await writeWholeAndSync(path, await pack(content), this.#path)
    await rm(growing)
  }

  async sync(): Promise<void> {
    await this.#sealing
    await this.#file?.datasync()
  }

  /** Notes how far the archive goes; lost with the power, it is written again. */
  async note({ lsn, untilMs }: Archived): Promise<void> {
    const content = `${JSON.stringify({ lsn: lsnText(lsn), until: new Date(untilMs).toISOString() })}\n`
    await writeWhole(join(this.#path, UNTIL), content, this.#path)
  }

  async close(): Promise<void> {
    await this.#sealing.catch(() => undefined)
    await this.#file?.close()
  }
}

/** A position in PostgreSQL's write-ahead log, in bytes; exact for 9 petabytes. */
export type Lsn = number

/** The size of a file of the write-ahead log; initdb's default, which Tacho never changes. */
export const SEGMENT_BYTES = 16 * 2 ** 20

/** @param text as PostgreSQL writes it, such as `16/B374D848` */
export function lsnOf(text: string): Lsn {
  const [high = '', low = ''] = text.split('/')
  const lsn = Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16)
  if (!Number.isSafeInteger(lsn)) throw new Error(`${text} is no position in the write-ahead log`)
  return lsn
}

export function lsnText(lsn: Lsn): string {
  return `${Math.floor(lsn / 2 ** 32).toString(16)}/${(lsn % 2 ** 32).toString(16)}`.toUpperCase()
}

/** The number of the segment that holds the byte at `lsn`. */
export const segmentAt = (lsn: Lsn): number => Math.floor(lsn / SEGMENT_BYTES)

/** The number of the segment that holds the last byte before `lsn`. */
export const segmentBefore = (lsn: Lsn): number => segmentAt(lsn - 1)

const SEGMENTS_PER_HIGH = 2 ** 32 / SEGMENT_BYTES

/** The name of its file in `pg_wal`. */
export function segmentName(timeline: number, segment: number): string {
  const parts = [timeline, Math.floor(segment / SEGMENTS_PER_HIGH), segment % SEGMENTS_PER_HIGH]
  return parts
    .map(part => part.toString(16).padStart(8, '0'))
    .join('')
    .toUpperCase()
}

/** Undefined for any other name. */
export function segmentOf(name: string): number | undefined {
  if (!/^[0-9A-F]{24}$/.test(name)) return undefined
  return Number.parseInt(name.slice(8, 16), 16) * SEGMENTS_PER_HIGH + Number.parseInt(name.slice(16), 16)
}
