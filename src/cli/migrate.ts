import type { Command } from 'commander'
import { distribute } from '../db/citus.ts'
import { copyDatabase } from '../db/copy-database.ts'
import { migrate } from '../db/migrations.ts'
import { onServiceAddress } from '../server/database.ts'
import type { EmbeddedLog } from '../server/embedded/location.ts'
import { SILENT } from '../server/embedded/process.ts'
import { upgradeCluster } from '../server/embedded/upgrade.ts'
import { spanOfTable } from '../store/index.ts'
import { readEmbeddedFolder } from './backup.ts'

/** `tacho migrate`: only the migrations, which every start of the service runs first; and the step to several machines. */
export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the schema of the database up to this version; every start does so, too')
    .option('--citus', 'then distribute the measurements over the workers of Citus; writers wait while they are moved')
    .action(async ({ citus }: { readonly citus?: boolean }) => {
      await onServiceAddress(async url => {
        const { all, applied } = await migrate(url)
        for (const name of applied) console.log(`applied ${name}`)
        console.log(
          applied.length === 0
            ? `Nothing to do: the database has all ${all.length} migrations.`
            : `The database has all ${all.length} migrations now.`,
        )
        if (citus) report(await distribute(url))
      })
    })
}

function report(distributed: readonly string[]): void {
  for (const table of distributed) console.log(`distributed ${table}`)
  console.log(
    distributed.length === 0
      ? 'Nothing to move: all measurements are on the workers.'
      : 'All measurements are on the workers now. Restart every Tacho that was running meanwhile.',
  )
}

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
        isSampleTable: name => spanOfTable(name) !== undefined,
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
