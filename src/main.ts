import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { loadCommands } from './cli/commands.ts'
import { loadEnvironmentFile } from './config.ts'
import { OperatorError } from './model/errors.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

void main()

async function main(): Promise<void> {
  const program = new Command('tacho')
    .description('Connected-car fleet server.')
    .version(`${version} (commit ${commit()})`)
  try {
    for (const register of await loadCommands(process.argv[2])) register(program)
    loadEnvironmentFile()
    await program.parseAsync()
  } catch (error) {
    process.exitCode = 1
    console.error(error instanceof OperatorError ? error.message : error)
  }
}

/** The commit that the program was built from. */
function commit(): string {
  try {
    return (JSON.parse(readFileSync(new URL('build.json', import.meta.url), 'utf8')) as { commit: string }).commit
  } catch {
    return 'unknown: run from the sources'
  }
}
