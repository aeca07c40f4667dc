import { Command } from 'commander'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createEmptyDatabase } from '../../test/database.ts'
import { makeTemporaryFolder } from '../../test/embedded-folder.ts'
import { registerMigrate } from './migrate.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** @returns what it printed. */
async function tachoMigrate(): Promise<string[]> {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  const program = new Command()
  registerMigrate(program)
  await program.parseAsync(['migrate'], { from: 'user' })
  return lines
}

test('it says what it did, and the second time that there was nothing to do', async () => {
  const database = await createEmptyDatabase()
  onTestFinished(() => database.drop())
  vi.stubEnv('DATABASE_URL', database.url)
  const first = await tachoMigrate()
  expect(first[0]).toBe('applied 0001-tables.sql')
  const count = first.length - 1
  expect(first.at(-1)).toBe(`The database has all ${count} migrations now.`)
  expect(await tachoMigrate()).toEqual([`Nothing to do: the database has all ${count} migrations.`])
})

test('without a database it says what to do', async () => {
  const folder = await makeTemporaryFolder()
  vi.stubEnv('DATABASE_URL', '')
  vi.stubEnv('TACHO_DATA', folder)
  await expect(tachoMigrate()).rejects.toThrow(`Tacho is not running on ${folder}; start it or set DATABASE_URL.`)
  vi.stubEnv('DATABASE_URL', 'postgres://nobody@127.0.0.1:9/tacho')
  await expect(tachoMigrate()).rejects.toThrow('The database cannot be reached at the moment. (')
})
