import type { Command } from 'commander'
import { distribute } from '../db/citus/distribute.ts'
import { migrate } from '../db/migrations.ts'
import { onServiceAddress } from '../server/database.ts'

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
