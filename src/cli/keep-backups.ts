import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { OperatorError } from '../model/errors.ts'
import { keepBackups } from '../server/backup/keep-backups.ts'
import { awaitStop, type ChildMessage, processLog } from '../server/process.ts'
import { lowerPriority } from './low-priority.ts'

const STOP_LIMIT_MS = 20_000
const HOUR_MS = 3_600_000

/** `tacho keep-backups`: `tacho serve` runs it in a separate process while `BACKUP_DIR` is set. */
export function registerKeepBackups(program: Command): void {
  program.command('keep-backups', { hidden: true }).action(async () => {
    const { databaseUrl, backupDir, backupEveryH, logLevel } = readConfig()
    if (!databaseUrl || !backupDir) throw new OperatorError('Backups are kept by `tacho serve`; see BACKUP_DIR.')
    lowerPriority()
    const log = processLog('backup', { logLevel })
    const signal = awaitStop(log, STOP_LIMIT_MS)
    const message: ChildMessage = { type: 'working' }
    process.send?.(message)
    await keepBackups({ url: databaseUrl, path: backupDir, everyMs: backupEveryH * HOUR_MS, log, signal })
    if (process.connected) process.disconnect()
  })
}
