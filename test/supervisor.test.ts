import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAlive, query } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { logIn, placeDatabase, type Service, type ServicePart, startService, untilReady } from './serve-process.ts'

const PARTS: readonly ServicePart[] = ['supervisor', 'api', 'intake', 'postgres']
const DEVICE = 356_938_035_643_809
/** Of a sender, between two measurements: so that what was killed has the time to start again. */
const PAUSE_MS = 10

/** Shared: making a database takes longer than what is tested here. */
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tacho-service-'))
  await chmod(folder, 0o755)
  placeDatabase(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const pidsOf = (service: Service) => PARTS.map(part => service.pidOf(part))

async function start(port?: number): Promise<Service> {
  const service = startService(folder, port ?? (await freePort()))
  await untilReady(service)
  return service
}

/** Sends one measurement. @returns the status and what was said, or 0 when there was no answer. */
async function send(service: Service, token: string, atMs: number): Promise<[status: number, text: string]> {
  const event = { deviceId: DEVICE, recordedTimestamp: new Date(atMs).toISOString(), eventType: 'GPS_SPEED', value: 50 }
  try {
    const reply = await fetch(`${service.address}/ingest/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify([event]),
    })
    return [reply.status, await reply.text()]
  } catch {
    return [0, '']
  }
}

test('it starts, and SIGTERM, or Ctrl-C in a terminal, stops all of it in order', async () => {
  const port = await freePort()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const service = await start(port)
    expect((await send(service, await logIn(service), Date.UTC(2025, 0, 1)))[1]).toMatch(/"accepted":/)
    // What it serves from packages, it finds as a bundle, too.
    for (const path of ['/docs/', '/docs/static/swagger-ui.css', '/docs/static/logo.svg'])
      expect((await fetch(service.address + path)).status).toBe(200)
    const pids = pidsOf(service)
    // A terminal's Ctrl-C goes to the whole group.
    process.kill(signal === 'SIGINT' ? -service.supervisor.pid! : service.supervisor.pid!, signal)
    expect(await service.exited).toBe(0)
    expect(pids.filter(isAlive)).toEqual([])
  }
})

test('what is acknowledged while parts of it are killed is there afterwards, once', async () => {
  let service = await start()
  const port = Number(new URL(service.address).port)
  const token = await logIn(service)
  const acknowledged: number[] = []
  const refusals = new Set<string>()
  const enough = new AbortController()
  const senders = [0, 1, 2, 3].map(async shard => {
    for (let atMs = Date.UTC(2025, 0, 1) + shard; !enough.signal.aborted; ) {
      const [status, text] = await send(service, token, atMs)
      if (status === 200) {
        acknowledged.push(atMs)
        atMs += 1000
        await sleep(PAUSE_MS)
        continue
      }
      // What has no good answer is sent again until it has, as a dongle does.
      if (status !== 0 && status !== 503) refusals.add(`${status} ${text}`)
      await sleep(20)
    }
  })
  const progress = async () => {
    const before = acknowledged.length
    expect([...refusals]).toEqual([])
    await eventually(async () => expect(acknowledged.length).toBeGreaterThan(before + 20))
  }
  const kills: ServicePart[][] = [['intake'], ['postgres'], ['api', 'postgres'], ['supervisor'], [...PARTS]]
  for (const parts of kills) {
    await progress()
    for (const pid of parts.map(part => service.pidOf(part))) process.kill(pid, 'SIGKILL')
    if (!parts.includes('supervisor')) continue
    await service.exited
    service = startService(folder, port)
  }
  await progress()
  enough.abort()
  await Promise.all(senders)
  expect([...refusals]).toEqual([])
  const stored = await query(service.databaseUrl, 'select extract(epoch from time)::float8 * 1000 as at from samples')
  const times = stored.map(({ at }) => Number(at))
  expect(new Set(times).size).toBe(times.length)
  expect(acknowledged.filter(atMs => !times.includes(atMs))).toEqual([])
  service.supervisor.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

test.each(['PORT', 'TELTONIKA_PORT'])('%s that is taken stops the start with one sentence', async name => {
  const port = await freePort()
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  const service = name === 'PORT' ? startService(folder, port) : startService(folder, await freePort(), port)
  expect(await service.exited).toBe(1)
  other.close()
  const sentence = `Port ${port} is in use by another program: choose another with ${name}.\n`
  expect(service.output().split(sentence)).toHaveLength(2)
  expect(service.output()).not.toMatch(/^\s+at /m)
  expect(() => readFileSync(join(folder, 'postgres', 'postmaster.pid'))).toThrow('ENOENT')
})
