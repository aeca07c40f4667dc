import { Command } from 'commander'
import { afterEach, beforeEach, vi } from 'vitest'

/** What commands printed since the test began. */
interface Printed {
  readonly output: string[]
  readonly notes: string[]
  /** Types in a command. @throws what the command throws */
  readonly tacho: (...words: string[]) => Promise<void>
}

/**
 * Commands as they are typed in, in this process. To be called where a file of tests begins.
 * @param registers of the groups of commands that the tests use
 * @param databaseUrl of the database that they work on, asked before each test
 */
export function typedCommands(registers: readonly ((program: Command) => void)[], databaseUrl: () => string): Printed {
  const output: string[] = []
  const notes: string[] = []
  beforeEach(() => {
    vi.stubEnv('DATABASE_URL', databaseUrl())
    output.length = 0
    notes.length = 0
    vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line))
    vi.spyOn(console, 'error').mockImplementation((line: string) => void notes.push(line))
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  return {
    output,
    notes,
    async tacho(...words) {
      const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
      for (const register of registers) register(program)
      for (const command of program.commands.flatMap(group => group.commands)) command.exitOverride()
      await program.parseAsync(words, { from: 'user' })
    },
  }
}
