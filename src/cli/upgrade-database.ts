import type { Command } from 'commander'
import { copyDatabase } from '../db/transfer/copy-database.ts'
import { type EmbeddedLog, SILENT } from '../server/embedded/process.ts'
import { upgradeCluster } from '../server/embedded/upgrade.ts'
import { readEmbeddedFolder } from './embedded-folder.ts'

/** `tacho upgrade-database`: brings the embedded database of an older PostgreSQL over. */
export function registerUpgradeDatabase(program: Command): void {
  program
    .command('upgrade-database')
    .description('bring the embedded database of an older PostgreSQL over to the one of this Tacho, which must not run')
    .action(upgradeDatabase)
}

const NOTES: EmbeddedLog = { ...SILENT, warn: note, error: note }

function note(...words: readonly unknown[]): void {
  console.error(words.findLast(word => typeof word === 'string'))
}

async function upgradeDatabase(): Promise<void> {
  const { dataFolder, mayMove } = readEmbeddedFolder(
    'DATABASE_URL names a PostgreSQL of your own: upgrade it as its manual says.',
  )
  const upgraded = await upgradeCluster({
    folder: dataFolder,
    mayMove,
    log: NOTES,
    copy: addresses =>
      copyDatabase({
        ...addresses,
        onTable: (name, done, all) => console.error(`copying ${done + 1} of ${all}: ${name}`),
      }),
  })
  console.log(
    upgraded === undefined
      ? 'Nothing to do: the database is of the PostgreSQL that this Tacho brings.'
      : `The database is of PostgreSQL ${upgraded.toMajor} now; every table was compared. The former one is in ${upgraded.formerCluster}: ` +
          'start Tacho, look at it, and then remove that folder.',
  )
}
