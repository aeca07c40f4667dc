import { Command } from 'commander'
import { expect, test } from 'vitest'
import { COMMANDS, loadCommands } from './commands.ts'

async function namesOf(asked: string | undefined): Promise<readonly string[]> {
  const program = new Command()
  for (const register of await loadCommands(asked)) register(program)
  return program.commands.map(command => command.name())
}

test('each command is found by its own name', async () => {
  for (const name of Object.keys(COMMANDS)) expect(await namesOf(name)).toEqual([name])
})

test('help, options and what is no command find all of them, in their order', async () => {
  for (const asked of [undefined, 'help', '--version', 'toString', 'serv'])
    expect(await namesOf(asked)).toEqual(Object.keys(COMMANDS))
})
