import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { codeOf, codeOrTextOf, OperatorError } from '../../model/errors.ts'
import { syncFolder } from '../embedded/location.ts'
import { type BackupFolder, makePrivateFolder, writeWhole } from './folder.ts'

/** Files are cut into pieces of this size; one that did not change since an earlier backup is not stored again. */
export const PIECE_BYTES = 2 ** 20

/** The fastest level: it halves most files, and the others hardly make more of it. */
const LEVEL = 1

const compress = promisify(gzip)
const decompress = promisify(gunzip)

export const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/** The contents of files, stored by SHA-256. */
export class Pieces {
  readonly #folder: BackupFolder
  readonly #known: Set<string>
  readonly #changedFolders = new Set<string>()
  writtenBytes = 0

  private constructor(folder: BackupFolder, known: Set<string>) {
    this.#folder = folder
    this.#known = known
  }

  static async open(folder: BackupFolder): Promise<Pieces> {
    return new Pieces(folder, new Set(await listPieces(folder)))
  }

  /** @returns the SHA-256 of the content, by which it is found again */
  async store(content: Uint8Array): Promise<string> {
    const hash = sha256(content)
    if (this.#known.has(hash)) return hash
    this.#known.add(hash)
    const packed = await pack(content)
    const path = pathOf(this.#folder, hash)
    const folder = dirname(path)
    if (!this.#changedFolders.has(folder)) await makePrivateFolder(folder)
    this.#changedFolders.add(folder)
    await writeWhole(path, packed, this.#folder.temporary)
    this.writtenBytes += packed.length
    return hash
  }

  /** Brings the names of what was stored to the disk. */
  async sync(): Promise<void> {
    for (const folder of this.#changedFolders) await syncFolder(folder)
    await syncFolder(this.#folder.pieces)
  }
}

/** A file of a backup is missing, or is not what was written. */
export class Damaged extends OperatorError {
  readonly path: string

  constructor(path: string, what: string) {
    super(`The backup is damaged: ${path} ${what}.`)
    this.path = path
  }
}

/** @throws Damaged naming the file when it is missing or is not what was stored. */
export async function readPiece(folder: BackupFolder, hash: string): Promise<Buffer> {
  return readPacked(pathOf(folder, hash), hash)
}

/** Reads a compressed file whose content must have this SHA-256. @throws Damaged */
export async function readPacked(path: string, hash: string): Promise<Buffer> {
  const content = await readFile(path).then(
    packed => decompress(packed).catch(() => undefined),
    error => {
      if (codeOf(error) === 'ENOENT') throw new Damaged(path, 'is missing')
      throw new Damaged(path, `cannot be read (${codeOrTextOf(error)})`)
    },
  )
  if (!content || sha256(content) !== hash) throw new Damaged(path, 'is not what was written')
  return content
}

/** The compressed form of a file of the write-ahead log. */
export const pack = (content: Uint8Array): Promise<Buffer> => compress(content, { level: LEVEL })

const pathOf = ({ pieces }: BackupFolder, hash: string) => join(pieces, hash.slice(0, 2), `${hash}.gz`)

async function listPieces({ pieces }: BackupFolder): Promise<string[]> {
  const found: string[] = []
  for (const part of await readdir(pieces))
    for (const name of await readdir(join(pieces, part))) if (name.endsWith('.gz')) found.push(name.slice(0, -3))
  return found
}

/** Removes the pieces that no backup needs. Only under the lock of the folder. */
export async function removePieces(folder: BackupFolder, needed: ReadonlySet<string>): Promise<void> {
  for (const hash of await listPieces(folder)) if (!needed.has(hash)) await rm(pathOf(folder, hash), { force: true })
}

/** Removes a piece that was found to be damaged, if it is one: a backup that finds the same content stores it again. */
export async function removeDamagedPiece({ pieces }: BackupFolder, { path }: Damaged): Promise<void> {
  if (path.startsWith(join(pieces, '/'))) await rm(path, { force: true })
}
