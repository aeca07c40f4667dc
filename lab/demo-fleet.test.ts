import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../src/db/sql.ts'
import { startService, type TestService } from '../test/service.ts'
import { demoFleet, readNewest, runDemoFleet } from './demo-fleet.ts'
import { dayAt, planCarDay } from './simulation/fleet/car-day.ts'
import { transmissionsBetween } from './simulation/fleet/transmissions.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.key('Fleet')
})
afterAll(() => service.stop())

/** Runs the demonstration until all that is past is sent, and stops it. @returns what it printed */
async function runUntilLive(beginMs: number): Promise<string[]> {
  const stop = new AbortController()
  const lines: string[] = []
  await runDemoFleet({
    address: { host: '127.0.0.1', port: service.teltonikaPort },
    beginMs,
    newestMs: await readNewest(service.database),
    signal: stop.signal,
    print(line) {
      lines.push(line)
      stop.abort()
    },
  })
  return lines
}

test('whenever somebody looks, a third of the cars drive', () => {
  const cars = demoFleet().map(({ cars: [car] }) => car)
  let looks = 0
  const quiet: string[] = []
  // A Friday and a Saturday, in winter.
  for (let timeMs = Date.UTC(2026, 0, 16); timeMs < Date.UTC(2026, 0, 18); timeMs += 10 * 60_000) {
    const driving = cars.filter(car =>
      planCarDay(car, dayAt(car, timeMs)).drives.some(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs),
    )
    looks++
    if (driving.length < cars.length / 3) quiet.push(`${new Date(timeMs).toISOString()} ${driving.length}`)
  }
  // Now and then several of those who hardly stop do so at the same time.
  expect(quiet.length / looks).toBeLessThan(0.02)
})

test('twelve cars report what is past, and after a restart only what is new, without a gap', async () => {
  const beginMs = Date.now() - 45 * 60_000
  expect(await runUntilLive(beginMs)).toEqual([expect.stringMatching(/^ {2}12 made-up cars drive/)])
  const [first] = await service.database.rows<{ count: number }>(sql`select count(*)::integer from samples`)
  // The newest sample of a dongle is known when it is derived.
  await expect.poll(() => service.database.rows(sql`select device_id from due where kind <> 'history'`)).toEqual([])
  const [line = ''] = await runUntilLive(beginMs)
  const untilMs = Date.now() - 5000

  const rows = await service.database.rows<{ device_id: number; time: string }>(
    sql`select device_id, time from samples`,
  )
  const stored = new Set(rows.map(row => `${row.device_id} ${Date.parse(row.time)}`))
  const expected = demoFleet().flatMap(dongle =>
    [...transmissionsBetween(dongle, beginMs, untilMs)].flatMap(({ samples }) =>
      samples.map(({ deviceId, timeMs }) => `${deviceId} ${timeMs}`),
    ),
  )
  expect(expected.filter(sample => !stored.has(sample))).toEqual([])
  expect(first?.count).toBeGreaterThan(12)
  // The newest sample of each dongle comes again, and what was measured meanwhile.
  expect(Number(/\((\d+) measurements/.exec(line)?.[1])).toBeLessThan(40)
})
