import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { sealingOptions } from '../../test/sealed-world.ts'
import { START_MS, UpgradeWorld } from '../../test/upgrade-world.ts'
import { sealHistory } from '../jobs/seal-history.ts'
import { registerHistory } from './history.ts'

let world: UpgradeWorld
beforeAll(async () => {
  world = await UpgradeWorld.make()
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** @returns what it printed. */
async function tachoHistory(...words: string[]): Promise<string> {
  vi.stubEnv('DATABASE_URL', world.url)
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  const program = new Command().exitOverride()
  registerHistory(program)
  await program.parseAsync(['history', ...words], { from: 'user' })
  return lines.join('\n')
}

test('it says how much is sealed, and shows the measurements of a day, sealed or not', async () => {
  const car = await world.drivenDongle(1, 5)
  const day = new Date(START_MS).toISOString().slice(0, 10)
  expect(await tachoHistory()).toMatch(/^Nothing is sealed\.\nNot sealed: about \d+ samples/)
  const samples = await tachoHistory('show', String(car.id), day)
  expect(samples).toMatch(/^This day is not sealed\.\nRECORDED +EVENT TYPE +VALUE +UNIT\n/)
  await expect(tachoHistory('show', String(car.id), '2001-01-01')).rejects.toThrow('Nothing is stored')
  await sealHistory(world.database, sealingOptions(world.database, { quietS: 0 }))
  expect(await tachoHistory()).toMatch(/^Sealed: 1 days of devices from/)
  const shown = await tachoHistory('show', String(car.id), day)
  expect(shown).toMatch(/^Sealed: \d+ samples in \d+ bytes, rollup \d+ bytes\.\n/)
  expect(shown).toMatch(/^POSITION: \w+.*, \d+ bytes; \w+.*, \d+ bytes$/m)
  expect(shown.slice(shown.indexOf('RECORDED'))).toBe(samples.slice(samples.indexOf('RECORDED')))
  expect(shown).toMatch(new RegExp(`^${new Date(START_MS).toISOString()} +POSITION +[\\d.]+, [\\d.]+$`, 'm'))
})

test('sealing is paused and goes on', async () => {
  expect(await tachoHistory('pause')).toBe('Sealing is paused.')
  expect(await tachoHistory()).toMatch(/Paused: `tacho history resume` goes on\.$/)
  expect(await tachoHistory('resume')).toBe('Sealing goes on.')
})
