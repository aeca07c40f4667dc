import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../model/errors.ts'
import { makeBase } from './base-backup.ts'
import { type Base, writeBase } from './bases.ts'
import { checkBase } from './check.ts'
import type { BackupFolder } from './folder.ts'
import { withLock } from './lock.ts'
import { Damaged, removeDamagedPiece } from './pieces.ts'
import { Replication } from './replication.ts'
import { lsnText } from './segments.ts'
import { thin } from './thin.ts'
import { readArchived } from './wal-line.ts'

type Step = 'reading' | 'checking'
type OnProgress = (step: Step, doneBytes: number, totalBytes: number) => void

interface BackupOptions {
  /** Of the owner of the database. */
  readonly url: string
  readonly folder: BackupFolder
  /** The line that is being archived. */
  readonly line: string
  readonly isUrgent: boolean
  readonly onProgress?: OnProgress
  /** Aborts with the reason for which the archive can not go on. */
  readonly signal: AbortSignal
}

/** How long the archive may stand still while a backup waits for it. */
const PATIENCE_MS = 300_000
const LOOK_MS = 200

/**
 * Makes a base backup beside an archive that runs: reads, waits until the log that it needs is archived, reads everything back,
 * publishes it, and removes the backups that are no longer kept.
 * @returns the backup, and how many others were removed
 * @throws BackupRuns when another process is at it; Damaged; OperatorError.
 */
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

async function readDatabase({ url, folder, line, isUrgent, onProgress, signal }: BackupOptions): Promise<Base> {
  const connection = await Replication.open(url)
  const stop = () => void connection.close()
  signal.addEventListener('abort', stop)
  try {
    return await makeBase(connection, {
      folder,
      line,
      isUrgent,
      onProgress: (doneBytes, totalBytes) => onProgress?.('reading', doneBytes, totalBytes),
    })
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
