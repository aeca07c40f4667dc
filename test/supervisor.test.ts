import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAlive } from './embedded-folder.ts'
import { freePort } from './free-port.ts'
import { logIn, placeDatabase, type Service, type ServicePart, startService, untilReady } from './serve-process.ts'

const PARTS: readonly ServicePart[] = ['supervisor', 'api', 'intake', 'postgres']
const DEVICE = 356_938_035_643_809

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

/** Sends one measurement. @returns what was said */
async function send(service: Service, token: string, atMs: number): Promise<string> {
  const event = { deviceId: DEVICE, recordedTimestamp: new Date(atMs).toISOString(), eventType: 'GPS_SPEED', value: 50 }
  const reply = await fetch(`${service.address}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([event]),
  })
  return reply.text()
}

test('it starts, and SIGTERM, or Ctrl-C in a terminal, stops all of it in order', async () => {
  const port = await freePort()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const service = await start(port)
    expect(await send(service, await logIn(service), Date.UTC(2025, 0, 1))).toMatch(/"accepted":/)
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

test.each([
  [{ TACHO_PASSWORD: 'a long one' }, 'TACHO_PASSWORD must have at least 12 characters.'],
  [{ TLS_CERT: '/nowhere', TLS_KEY: '/nowhere' }, 'The certificate /nowhere with the key /nowhere cannot be used'],
  [{ MAP_FILE: '/nowhere' }, 'MAP_FILE is /nowhere, which cannot be read (ENOENT).'],
])('%j stops the start before a database is made', async (settings, sentence) => {
  const fresh = await mkdtemp(join(tmpdir(), 'tacho-fresh-'))
  await chmod(fresh, 0o755)
  const service = startService(fresh, await freePort(), 0, settings)
  expect(await service.exited).toBe(1)
  expect(service.output()).toContain(sentence)
  expect(await readdir(fresh)).toEqual([])
  await rm(fresh, { recursive: true })
})
