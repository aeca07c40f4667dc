import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { ingestStandIn } from '../../test/ingest-stand-in.ts'
import { runDemoFleet } from './demo-fleet.ts'

const MINUTE_MS = 60_000

afterEach(() => {
  vi.useRealTimers()
})

/** Not vi.waitFor, which moves the faked clock. The test's own time limit ends it. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20)
}

function startFleet(url: string) {
  const stop = new AbortController()
  const lines: string[] = []
  const ended = runDemoFleet({ baseUrl: url, key: 'secret', signal: stop.signal, log: line => lines.push(line) })
  return {
    lines,
    hasCaughtUp: () => until(() => lines.at(-1)?.includes('they keep moving') ?? false),
    stop() {
      stop.abort()
      return ended
    },
  }
}

test('first the last hours, then what happens, and after a restart only what is new', async () => {
  const startMs = Date.UTC(2026, 5, 1, 9)
  vi.useFakeTimers({ toFake: ['Date'], now: startMs })
  await using server = await ingestStandIn()
  const timesMs = () => [...server.stored.keys()].map(key => Date.parse(key.split(' ')[1] ?? ''))
  const latestMs = () => timesMs().reduce((latest, timeMs) => Math.max(latest, timeMs))

  const first = startFleet(server.url)
  await first.hasCaughtUp()
  expect(first.lines).toEqual([expect.stringMatching(/^demo fleet: 6 cars, \d{5} new events of their last hours/)])
  expect(timesMs().some(timeMs => timeMs < startMs - 350 * MINUTE_MS)).toBe(true)
  expect(latestMs()).toBeLessThanOrEqual(startMs)

  vi.setSystemTime(startMs + 10 * MINUTE_MS)
  await until(() => latestMs() > startMs + 9 * MINUTE_MS)
  await first.stop()
  expect(latestMs()).toBeLessThanOrEqual(startMs + 10 * MINUTE_MS)

  const storedBefore = server.stored.size
  const second = startFleet(server.url)
  await second.hasCaughtUp()
  await second.stop()
  expect(second.lines).toEqual([expect.stringMatching(/^demo fleet: 6 cars, 0 new events/)])
  expect(server.stored.size).toBe(storedBefore)
})

test('a service that is away is waited for', async () => {
  await using server = await ingestStandIn(n => (n === 1 ? { status: 503, headers: { 'retry-after': '0' } } : 'answer'))
  const fleet = startFleet(server.url)
  await fleet.hasCaughtUp()
  await fleet.stop()
  expect(fleet.lines[0]).toBe('demo fleet: the service answers 503, trying again in 1 s')
})

test('a key that is refused is an error', async () => {
  await using server = await ingestStandIn(() => ({ status: 401 }))
  const signal = new AbortController().signal
  await expect(runDemoFleet({ baseUrl: server.url, key: 'none', signal, log: () => {} })).rejects.toThrow(
    'does not know this key',
  )
})
