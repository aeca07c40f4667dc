import { chmod, mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** File systems in memory on Linux; in a container it may be very small. */
const IN_MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 31

/**
 * A new folder for a PostgreSQL that need not outlive the run: in memory where there is room, as a disk takes ten times
 * as much processor time to copy a database of a thousand small files. The caller removes it.
 */
export async function makeDatabaseFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(await root(), name))
  // As root, PostgreSQL runs as another user and must get through.
  await chmod(folder, 0o755)
  return folder
}

async function root(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(IN_MEMORY)
    if (bavail * bsize >= ENOUGH_BYTES) return IN_MEMORY
  } catch {
    // There is none.
  }
  return tmpdir()
}
