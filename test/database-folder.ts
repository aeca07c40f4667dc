import { readFileSync, statfsSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
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
  const folder = await mkdtemp(join(temporaryFolder(ENOUGH_BYTES), name))
  // As root, PostgreSQL runs as another user and must get through.
  await chmod(folder, 0o755)
  return folder
}

/** Where temporary files are made: in memory where `leastBytes` are free and programs can be run from there. */
export function temporaryFolder(leastBytes: number): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    if (bavail * bsize >= leastBytes && canRunPrograms()) return IN_MEMORY
  } catch {
    // There is none.
  }
  return tmpdir()
}

function canRunPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , , options = ''] = mounts.findLast(line => line.split(' ')[1] === IN_MEMORY)?.split(' ') ?? []
  return !options.split(',').includes('noexec')
}
