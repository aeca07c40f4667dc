import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isAlive, makeTemporaryFolder } from './embedded-folder.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { logIn, placeDatabase, type Service, startService, untilReady } from './serve-process.ts'

/** Every process of the service loads it: SIGWINCH blocks its event loop for longer than between two heartbeats, SIGUSR2 for ever. */
const BLOCKABLE = fileURLToPath(new URL('fixtures/blockable-process.mjs', import.meta.url))

async function send(service: Service, token: string, second: number): Promise<number> {
  const recordedTimestamp = new Date(Date.UTC(2025, 0, 1, 0, 0, second)).toISOString()
  const reply = await fetch(`${service.address}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([{ deviceId: 356938035643809, recordedTimestamp, eventType: 'GPS_SPEED', value: 50 }]),
  })
  await reply.arrayBuffer()
  return reply.status
}

/** Sends a signal and waits until the process is blocked by it. */
async function block(service: Service, pid: number, signal: 'SIGWINCH' | 'SIGUSR2'): Promise<void> {
  const told = () => service.output().split('blocked by a test').length
  const before = told()
  process.kill(pid, signal)
  await eventually(async () => expect(told()).toBeGreaterThan(before))
}

test('a process whose event loop is blocked is ended and started again, one that has much to do is not', async () => {
  const folder = placeDatabase(await makeTemporaryFolder('tacho-blocked-'))
  const service = startService(folder, await freePort(), 0, {
    NODE_OPTIONS: `--import ${BLOCKABLE}`,
    BLOCKED_LIMIT_S: '6',
  })
  await untilReady(service)
  const token = await logIn(service)

  const busy = service.pidOf('intake')
  await block(service, busy, 'SIGWINCH')
  expect(await send(service, token, 0)).toBe(200)
  expect([service.pidOf('intake'), isAlive(busy)]).toEqual([busy, true])

  for (const part of ['intake', 'api'] as const) {
    const pid = service.pidOf(part)
    await block(service, pid, 'SIGUSR2')
    // What is in flight is not acknowledged: its sender sends it again.
    const inFlight = await send(service, token, 1).catch(() => 'no answer')
    expect([503, 'no answer']).toContain(inFlight)
    await eventually(async () => {
      expect(isAlive(pid)).toBe(false)
      expect(await send(service, token, 1)).toBe(200)
    })
    expect(service.output()).toContain(`The event loop of the ${part} process is blocked: it is ended.`)
  }
  service.supervisor.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})
