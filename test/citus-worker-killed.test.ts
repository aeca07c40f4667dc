import { exec } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { isAlive, makeTemporaryFolder, query } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { followList } from './list-follower.ts'
import { isOnCitus } from './on-citus.ts'
import { expectNoDifferences } from './rebuild-check.ts'
import { startSenders, untilMoreIsAcknowledged } from './remembering-senders.ts'
import { logIn, startService, untilReady } from './serve-process.ts'
import { byId, everythingAt, untilAllDerived } from './settled-nodes.ts'
import { expectOnlyWhatWasSent, storedNumbers } from './stored-numbers.ts'

const { CITUS_START: startCommand = '' } = process.env
const canKill = isOnCitus && startCommand !== ''
const why = canKill
  ? ''
  : ' (skipped: no CITUS_URL on this machine, or no CITUS_START, the command that starts its workers)'

/** Each worker in turn. */
const KILLS = 4
const LISTS = ['vehicles', 'devices', 'trips'] as const

describe.runIf(canKill)(`workers of Citus that are killed${why}`, () => {
  test('while devices send: nothing acknowledged is lost or twice, nothing that was refused is there in part, sync is right', async () => {
    const database = await createTestDatabase()
    const { url } = database
    onTestFinished(() => database.drop())
    const service = startService(await makeTemporaryFolder(), await freePort(), 0, {
      DATABASE_URL: url,
      RATE_LIMIT: '1000000',
      UNKNOWN_DEVICES: 'accept',
    })
    await untilReady(service)
    const token = await logIn(service)
    const senders = startSenders(service.address, token, 4)
    const lists = LISTS.map(name => followList(() => [service.address], token, name))
    const workers = inject('workerUrls')
    onTestFinished(async () => void (await run(startCommand)))
    for (let kill = 0; kill < KILLS; kill++) {
      await untilMoreIsAcknowledged(senders)
      // Not always at the same moment of what they do.
      await sleep((kill * 37) % 100)
      const worker = workers[kill % workers.length] ?? ''
      await killServer(worker)
      await sleep(500)
      await startAgain(worker)
    }
    await untilMoreIsAcknowledged(senders)
    await senders.stop()

    expect(senders.violations).toEqual([])
    // It was felt, or nothing was tested.
    expect(senders.refused).toBeGreaterThan(0)
    // What a worker had prepared when it was killed can be read as soon as Citus has committed it there.
    await eventually(() => query(url, 'select require_decided()'))
    expectOnlyWhatWasSent(await storedNumbers(service.address, token), senders)
    await untilAllDerived(url)
    await expectNoDifferences(url)
    for (const [index, name] of LISTS.entries()) {
      const believed = await lists[index]!.finish()
      expect(lists[index]!.answers).toBeGreaterThan(5)
      expect(byId(believed.values())).toEqual(byId(await everythingAt(service.address, token, name)))
    }
    service.supervisor.kill('SIGTERM')
    expect(await service.exited).toBe(0)
  })
})

const run = promisify(exec)

/** As long as init has not collected the killed server, `pg_ctl` takes it for a running one and starts none. */
async function startAgain(url: string): Promise<void> {
  await eventually(async () => {
    await run(startCommand)
    await query(url, 'select')
  })
}

/** Kills the whole server, with which its processes end, as when its machine goes. */
async function killServer(url: string): Promise<void> {
  const [row] = await query(url, `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer as pid`)
  const backends = await query(url, 'select pid from pg_stat_activity where pid <> pg_backend_pid()')
  const pid = Number(row?.pid)
  process.kill(pid, 'SIGKILL')
  await eventually(async () => {
    expect([pid, ...backends.map(backend => Number(backend.pid))].filter(isAlive)).toEqual([])
  })
}
