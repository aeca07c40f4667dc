import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Nobody but its owner reads a backup: it holds everything that the database does. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/**
 * Writes a file that is there as a whole or not at all, whatever happens: to a temporary name, to the disk, then renamed. The
 * folder it is in is not synced: see `syncFolder`.
 * @param temporary the folder for temporary names, on the same file system
 */
export async function writeWhole(path: string, content: Uint8Array | string, temporary: string): Promise<void> {
  const unfinished = join(temporary, randomBytes(8).toString('hex'))
  try {
    const file = await open(unfinished, 'wx', FILE_MODE)
    try {
      await file.writeFile(content)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** The same for a file alone, with its folder: when this returns, a loss of power can not take it back. */
export async function writeWholeAndSync(path: string, content: Uint8Array | string, temporary: string): Promise<void> {
  await writeWhole(path, content, temporary)
  await syncFolder(dirname(path))
}

/** Brings the names in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } catch {
    // File systems of networks may refuse this for folders, and bring names to the disk themselves.
  } finally {
    await handle.close()
  }
}

export const makePrivateFolder = (path: string) => mkdir(path, { recursive: true, mode: FOLDER_MODE })
