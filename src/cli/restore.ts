import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { restore } from '../server/backup/restore.ts'
import { parseTimestamp } from '../server/http/timestamps.ts'
import { processLog } from '../server/process.ts'
import { beginBar } from './byte-progress.ts'
import { readEmbeddedFolder } from './embedded-folder.ts'

/** `tacho restore`: the embedded database from its backups. */
export function registerRestore(program: Command): void {
  program
    .command('restore')
    .description('restore the embedded database from backups into an empty data folder')
    .argument('<folder>', 'folder of backups')
    .option(
      '--to <instant>',
      'as it was then, such as 2026-01-15T08:00:00Z; by default the newest there is',
      parseInstant,
    )
    .action(restoreFrom)
}

function parseInstant(text: string): number {
  const instant = parseTimestamp(text)
  if (instant === undefined) throw new InvalidArgumentError('It must be a timestamp such as 2026-01-15T08:00:00Z.')
  return Date.parse(instant)
}

async function restoreFrom(path: string, { to }: { readonly to?: number }): Promise<void> {
  const { dataFolder, mayMove, logLevel } = readEmbeddedFolder(
    '`tacho restore` is for the embedded database, and DATABASE_URL names a server of your own: restore that with the ' +
      'tool that made its backups (docs/operation/backup.md).',
  )
  const bar = beginBar()
  try {
    const {
      toMs,
      backupMs,
      dataFolder: place,
    } = await restore({
      path: resolve(path),
      toMs: to,
      dataFolder,
      mayMove,
      // What PostgreSQL says while it recovers is no news.
      log: processLog('restore', { logLevel: logLevel === 'info' ? 'error' : logLevel }),
      onProgress: (doneBytes, totalBytes) => bar.show('restoring', doneBytes, totalBytes),
    })
    bar.end()
    console.log(
      `The database is restored in ${place} as it was at ${new Date(toMs).toISOString()} ` +
        `(from the backup of ${new Date(backupMs).toISOString()}). Start Tacho as usual.`,
    )
    console.log(
      'What changed after that instant is lost: users, keys and logins that were revoked since are valid again. ' +
        'Clients that sync are sent everything again (docs/operation/backup.md).',
    )
  } finally {
    bar.end()
  }
}
