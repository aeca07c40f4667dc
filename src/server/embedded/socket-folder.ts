import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { handOver } from './folder.ts'
import type { DatabaseLocation } from './location.ts'

/** The path of a socket may have 103 bytes (macOS) or 107 (Linux); `/.s.PGSQL.5432.lock` takes some of them. */
const LONGEST_FOLDER_BYTES = 84
const PREFIX = 'tacho-socket-'

/** A folder that no other user can enter: that of the database, or a new one where its path is too long. */
export async function makeSocketFolder(location: DatabaseLocation): Promise<string> {
  if (Buffer.byteLength(location.cluster) <= LONGEST_FOLDER_BYTES) return location.cluster
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  await handOver(folder, location)
  return folder
}

/** Removes a folder that was created only for the socket. */
export async function removeSocketFolder(folder: string): Promise<void> {
  if (dirname(folder) === tmpdir() && basename(folder).startsWith(PREFIX))
    await rm(folder, { recursive: true, force: true })
}
