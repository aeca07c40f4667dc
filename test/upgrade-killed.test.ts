import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeAll, expect, test, vi } from 'vitest'
import { DERIVATION_VERSION } from '../src/facts/derivation-version.ts'
import { makeTemporaryFolder } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { buildProgram, PROGRAM, startService, untilReady } from './serve-process.ts'
import { START_MS, UpgradeWorld } from './upgrade-world.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 })
beforeAll(buildProgram)

/** A history of so many drives is folded in more than seven stretches, at low priority. */
const [DRIVES, DRIVE_MINUTES] = [1500, 10]

const ALL_DONE = 'folded by the rules of this version: 1 of 1 devices; nothing waits\n'

test('an intake that is killed while it folds a history again goes on where it was', async () => {
  const service = startService(join(await makeTemporaryFolder(), 'data'), await freePort())
  await untilReady(service)
  const rebuildStatus = async () => {
    const env = { ...process.env, DATABASE_URL: service.databaseUrl }
    return (await promisify(execFile)(process.execPath, [PROGRAM, 'rebuild', '--status'], { env })).stdout
  }
  await using world = await UpgradeWorld.on(service.databaseUrl)
  const car = await world.drivenDongle(DRIVES, DRIVE_MINUTES)
  expect(await rebuildStatus()).toBe(ALL_DONE)
  // Rows of before that span many drives leave no place between two stretches: then all is one.
  await car.outdated('without trips')

  const reached: string[] = []
  const look = async () => {
    const to = await eventually(() => world.foldedTo(car.id))
    if (to !== undefined && to !== '-infinity' && to !== reached.at(-1)) reached.push(to)
  }
  const twoStretches = async () => {
    const before = reached.length
    for (const untilMs = Date.now() + 150_000; reached.length < before + 2 && Date.now() < untilMs; await sleep(20))
      await look()
    expect(reached.length).toBeGreaterThanOrEqual(before + 2)
  }
  await twoStretches()
  // It stands still meanwhile, so that it does not come to the end.
  process.kill(service.pidOf('intake'), 'SIGSTOP')
  expect(await rebuildStatus()).toMatch(`${car.id} is folded again up to 2026-`)
  process.kill(service.pidOf('intake'), 'SIGKILL')
  await twoStretches()
  process.kill(service.pidOf('intake'), 'SIGKILL')
  for (const untilMs = Date.now() + 240_000; Date.now() < untilMs; await sleep(20)) {
    await look()
    if ((await eventually(() => world.foldedBy(car.id))) === DERIVATION_VERSION) break
  }
  // Never back to the beginning.
  expect(reached).toEqual([...reached].sort())
  expect(Date.parse(reached[0] ?? '')).toBeGreaterThan(START_MS)
  expect(await rebuildStatus()).toBe(ALL_DONE)
  expect(await world.differencesOf(car.id)).toEqual([])
})
