import { afterEach, expect, test, vi } from 'vitest'
import { ingestStandIn } from '../../test/ingest-stand-in.ts'
import { runDemoFleet } from './demo-fleet.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function runFor(url: string, ms: number): Promise<string[]> {
  const lines: string[] = []
  await runDemoFleet({ baseUrl: url, key: 'secret', signal: AbortSignal.timeout(ms), log: line => lines.push(line) })
  return lines
}

const MINUTE_MS = 60_000

test('first the last hours, then what happens, and after a restart only what is new', async () => {
  const startMs = Date.UTC(2026, 5, 1, 9)
  vi.useFakeTimers({ toFake: ['Date'], now: startMs })
  await using server = await ingestStandIn(n => {
    // The clock goes on once the history has arrived.
    if (n === 1) setTimeout(() => vi.setSystemTime(startMs + 10 * MINUTE_MS), 1000)
    return 'answer'
  })
  const timesMs = () => [...server.stored.keys()].map(key => Date.parse(key.split(' ')[1] ?? ''))

  expect(await runFor(server.url, 3500)).toEqual([
    expect.stringMatching(/^demo fleet: 6 cars, \d{5} events of their last hours; they keep moving$/),
  ])
  expect(Math.min(...timesMs())).toBeLessThan(startMs - 350 * MINUTE_MS)
  expect(Math.max(...timesMs())).toBeGreaterThan(startMs + 9 * MINUTE_MS)
  expect(Math.max(...timesMs())).toBeLessThanOrEqual(startMs + 10 * MINUTE_MS)

  const storedBefore = server.stored.size
  await runFor(server.url, 1000)
  expect(server.stored.size).toBe(storedBefore)
})

test('a service that is away is waited for', async () => {
  await using server = await ingestStandIn(n => (n === 1 ? { status: 503, headers: { 'retry-after': '0' } } : 'answer'))
  const lines = await runFor(server.url, 2500)
  expect(lines[0]).toBe('demo fleet: the service answers 503, trying again in 1 s')
  expect(lines[1]).toContain('they keep moving')
})

test('a key that is refused is an error', async () => {
  await using server = await ingestStandIn(() => ({ status: 401 }))
  await expect(runFor(server.url, 2500)).rejects.toThrow('does not know this key')
})
