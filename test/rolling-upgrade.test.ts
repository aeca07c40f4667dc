import { expect, onTestFinished, test } from 'vitest'
import { createEmptyDatabase } from './database.ts'
import { makeTemporaryFolder, query } from './embedded-folder.ts'
import { buildFormerProgram, WITHOUT_FORMER } from './former-program.ts'
import { freePort } from './free-port.ts'
import { followList } from './list-follower.ts'
import { expectNoDifferences } from './rebuild-check.ts'
import { startSenders, untilMoreIsAcknowledged } from './remembering-senders.ts'
import { logIn, type Service, startService, untilReady } from './serve-process.ts'
import { byId, everythingAt, untilAllDerived } from './settled-nodes.ts'
import { expectOnlyWhatWasSent, storedNumbers } from './stored-numbers.ts'

const LISTS = ['vehicles', 'devices', 'trips'] as const

test.skipIf(WITHOUT_FORMER)(
  'the former release and this one work on one database at once: both store, both show all, and sync misses nothing',
  async () => {
    const program = await buildFormerProgram()
    const database = await createEmptyDatabase()
    const { url } = database
    onTestFinished(() => database.drop())
    const settings = { DATABASE_URL: url, SEALED_AFTER_DAYS: '2', RATE_LIMIT: '1000000', UNKNOWN_DEVICES: 'accept' }
    const start = async (version: 'former' | 'this') => {
      const folder = await makeTemporaryFolder()
      return startService(folder, await freePort(), 0, settings, version === 'former' ? program : undefined)
    }
    const newest = async () => (await query(url, 'select max(number) as number from migrations'))[0]?.number

    const former = await start('former')
    await untilReady(former)
    const formerSchema = await newest()
    const token = await logIn(former)
    const before = startSenders(former.address, token, 2)
    await untilMoreIsAcknowledged(before)

    // The next one migrates under the load of the former one, which goes on.
    const current = await start('this')
    await untilReady(current)
    expect(await newest()).toBeGreaterThan(Number(formerSchema))
    const nodes = [former.address, current.address]
    const followers = LISTS.map(name => followList(() => nodes, token, name))
    const beside = startSenders(current.address, token, 2)
    await Promise.all([untilMoreIsAcknowledged(before), untilMoreIsAcknowledged(beside)])
    // What dies starts again as it was, without asking about the schema.
    process.kill(former.pidOf('intake'), 'SIGKILL')
    await Promise.all([untilMoreIsAcknowledged(before), untilMoreIsAcknowledged(beside)])
    expect(await query(url, 'select count(*)::integer as days from sealed_days')).toEqual([{ days: 0 }])

    // Both show the same, whoever stored it.
    await Promise.all([before.stop(), beside.stop()])
    expect([...before.violations, ...beside.violations]).toEqual([])
    expect(await storedNumbers(former.address, token)).toEqual(await storedNumbers(current.address, token))

    await stop(former)
    nodes.shift()
    const after = startSenders(current.address, token, 2)
    await untilMoreIsAcknowledged(after)
    await after.stop()
    // All senders send the same numbers, so each is stored once, whoever had it first.
    const acknowledged = new Set([...before.acknowledged, ...beside.acknowledged, ...after.acknowledged])
    const abandoned = [...before.abandoned, ...beside.abandoned, ...after.abandoned].filter(batch =>
      batch.every(number => !acknowledged.has(number)),
    )
    expectOnlyWhatWasSent(await storedNumbers(current.address, token), { ...after, acknowledged, abandoned })
    await untilAllDerived(url)
    // Also what the former release derived with its rules, meanwhile folded again.
    await expectNoDifferences(url)
    for (const [index, name] of LISTS.entries()) {
      const believed = await followers[index]?.finish()
      expect(followers[index]?.answers).toBeGreaterThan(5)
      expect(byId(believed?.values() ?? [])).toEqual(byId(await everythingAt(current.address, token, name)))
    }
    await stop(current)
  },
)

async function stop(service: Service): Promise<void> {
  service.supervisor.kill('SIGTERM')
  expect(await service.exited).toBe(0)
}
