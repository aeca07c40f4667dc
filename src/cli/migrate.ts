import type { Command } from 'commander'
import { migrate } from '../db/migrations.ts'
import { onServiceAddress } from '../server/service-database.ts'

/** `tacho migrate`: only the migrations, which every start of the service runs first. */
export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the schema of the database up to this version; every start does so, too')
    .action(async () => {
      const { all, applied } = await onServiceAddress(url => migrate(url))
      for (const name of applied) console.log(`applied ${name}`)
      console.log(
        applied.length === 0
          ? `Nothing to do: the database has all ${all.length} migrations.`
          : `The database has all ${all.length} migrations now.`,
      )
    })
}
