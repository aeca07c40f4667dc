import { type Command, Option } from 'commander'
import { readConfig } from '../config.ts'
import { ROLES, type Role, runRole } from '../server/role.ts'
import { supervise } from './supervisor.ts'

/** `tacho serve`: the service itself. */
export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the service: the database unless DATABASE_URL is set, the intake and the API')
    .addOption(new Option('--role <role>', 'run one role alone, with the database of DATABASE_URL').choices(ROLES))
    .addOption(
      new Option('--demo', 'make a login and show a small made-up fleet while the database is empty').hideHelp(),
    )
    .action(({ role, demo }: { role?: Role; demo?: true }) => {
      const config = readConfig()
      return role ? runRole(role, config) : supervise(config, { demo: demo ?? false })
    })
}
