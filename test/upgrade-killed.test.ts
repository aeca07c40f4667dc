import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { DERIVATION_VERSION } from '../src/derive/due.ts'
import { codeOf } from '../src/model/errors.ts'
import { makeTemporaryFolder } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { PROGRAM, placeDatabase, type Service, startService, untilReady } from './serve-process.ts'
import { START_MS, UpgradeWorld } from './upgrade-world.ts'

vi.setConfig({ testTimeout: 600_000 })
/** A history of so many drives is folded in some six stretches. */
const [DRIVES, DRIVE_MINUTES] = [600, 3]

const ALL_DONE = 'folded by the rules of this version: 1 of 1 devices; nothing waits\n'

test('an intake that is killed while it folds a history again goes on where it was', async () => {
  const service = startService(placeDatabase(await makeTemporaryFolder()), await freePort())
  await untilReady(service)
  const rebuildStatus = async () => {
    const env = { ...process.env, DATABASE_URL: service.databaseUrl }
    return (await promisify(execFile)(process.execPath, [PROGRAM, 'rebuild', '--status'], { env })).stdout
  }
  await using world = await UpgradeWorld.on(service.databaseUrl)
  const car = await world.drivenDongle(DRIVES, DRIVE_MINUTES)
  expect(await rebuildStatus()).toBe(ALL_DONE)
  // Older rows that span many drives leave no place between two stretches: then all is one.
  await car.outdated('without trips')

  const reached: string[] = []
  /** Lets the intake work for moments, and looks how far it is while it stands still: so nothing is missed on any machine. */
  const workUntil = async (isEnough: () => Promise<boolean>) => {
    for (const untilMs = Date.now() + 240_000; Date.now() < untilMs; await sleep(50)) {
      signalIntake(service, 'SIGSTOP')
      const to = await eventually(() => world.foldedTo(car.id))
      if (to !== undefined && to !== '-infinity' && to !== reached.at(-1)) reached.push(to)
      if (await isEnough()) return
      signalIntake(service, 'SIGCONT')
    }
  }
  const twoStretches = async () => {
    const enough = reached.length + 2
    await workUntil(async () => reached.length >= enough)
    expect(reached.length).toBeGreaterThanOrEqual(enough)
  }
  await twoStretches()
  expect(await rebuildStatus()).toMatch(`${car.id} is folded again up to 2026-`)
  signalIntake(service, 'SIGKILL')
  await twoStretches()
  signalIntake(service, 'SIGKILL')
  await workUntil(async () => (await eventually(() => world.foldedBy(car.id))) === DERIVATION_VERSION)
  signalIntake(service, 'SIGCONT')
  // Never back to the beginning.
  expect(reached).toEqual([...reached].sort())
  expect(Date.parse(reached[0] ?? '')).toBeGreaterThan(START_MS)
  expect(await rebuildStatus()).toBe(ALL_DONE)
  expect(await world.differencesOf(car.id)).toEqual([])
})

/** One that was killed and is not there again gets none. */
function signalIntake(service: Service, signal: NodeJS.Signals): void {
  try {
    process.kill(service.pidOf('intake'), signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}
