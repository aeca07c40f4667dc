import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWholeAndSync } from './files.ts'
import type { BackupFolder } from './folder.ts'
import { Damaged, sha256 } from './pieces.ts'
import type { Lsn } from './segments.ts'

/** A file of the database, as it was read. */
export interface BaseFile {
  /** Below the folder of the database. */
  readonly path: string
  readonly bytes: number
  /** As PostgreSQL computed it. */
  readonly sha256: string
  /** The SHA-256 of each piece, in order. */
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
  /** The major version of PostgreSQL. */
  readonly major: string
  /** Of all files together. */
  readonly bytes: number
  /** What was written for it: the rest was there already. */
  readonly writtenBytes: number
  readonly folders: readonly string[]
  readonly files: readonly BaseFile[]
}

/** Publishes a base backup: from now on it is one. */
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
