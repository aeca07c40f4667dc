import { Command } from 'commander'
import { expect, test } from 'vitest'
import { lab } from '../../lab/index.ts'
import { OperatorError } from '../model/errors.ts'
import { COMMANDS, loadCommands, ofLab } from './commands.ts'

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

test('every command of lab is one of the program', () => {
  expect(Object.keys(COMMANDS)).toEqual(expect.arrayContaining(Object.keys(lab.commands)))
})

test('without lab, its commands say in one sentence that they are not installed', async () => {
  const program = new Command()
  ofLab('simulate', undefined)(program)
  const run = program.parseAsync(['simulate', '--vehicles', '3'], { from: 'user' })
  await expect(run).rejects.toThrow(
    new OperatorError('`tacho simulate` is not installed here: it is in the folder lab/ of the sources.'),
  )
})
