import { afterAll, beforeAll, expect, test } from 'vitest'
import { setUpDemo } from '../src/cli/demo.ts'
import { readConfig } from '../src/config.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { startService, type TestService } from '../test/service.ts'
import { FIRM_CARS } from './demo-firm.ts'
import { demoFleet, readNewest, runDemoFleet } from './demo-fleet.ts'
import { lab } from './index.ts'
import { DAY_MS, planCarDay } from './simulation/fleet/car-day.ts'
import { transmissionsBetween } from './simulation/fleet/transmissions.ts'
import { metresBetween } from './simulation/ground.ts'
import { positionAt } from './simulation/situation.ts'

const MINUTE_MS = 60_000

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

/** Two weeks in winter that begin on a Monday. */
const FROM_MS = Date.UTC(2026, 0, 12)
const DAYS = Array.from({ length: 14 }, (_, day) => FROM_MS / DAY_MS + day)
const cars = demoFleet().map(({ cars: [car] }) => car)

test('whenever somebody looks, somebody drives or is about to', () => {
  const looks = Array.from({ length: 14 * 144 }, (_, i) => FROM_MS + i * 10 * MINUTE_MS)
  const drives = cars.flatMap(car => DAYS.flatMap(day => planCarDay(car, day).drives))
  const isDriving = (timeMs: number) => drives.some(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs)
  const quiet = looks.slice(144).filter(timeMs => !isDriving(timeMs))
  expect(quiet.length / looks.length).toBeLessThan(0.1)
  expect(quiet.filter(timeMs => [10, 20, 30, 40].every(min => !isDriving(timeMs + min * MINUTE_MS)))).toEqual([])
})

test('vans drive 150 to 400 km a week, the salesman more, and at night they are parked where they belong', () => {
  for (const [i, car] of cars.entries()) {
    const plans = DAYS.map(day => planCarDay(car, day))
    const weekKm = plans.flatMap(({ drives }) => drives).reduce((sum, { lengthM }) => sum + lengthM / 2000, 0)
    const [least, most] = { Sales: [600, 1000], Service: [150, 400] }[FIRM_CARS[i]?.group ?? ''] ?? [400, 650]
    expect(weekKm).toBeGreaterThan(least ?? 0)
    expect(weekKm).toBeLessThan(most ?? 0)
    for (const plan of plans) expect(metresBetween(positionAt(plan, plan.toMs - 1), car.home)).toBeLessThan(1)
  }
})

test('twelve cars report what is past, and after a restart only what is new, without a gap', async () => {
  const beginMs = Date.now() - 75 * MINUTE_MS
  const config = readConfig({})
  await writeTransaction(service.database, transaction => setUpDemo(transaction, lab, config))
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

  const found = await service.database.rows<{ kind: string; severity: string }>(
    sql`select kind, severity from incidents where end_time is null order by kind`,
  )
  expect(found).toEqual(expect.arrayContaining([{ kind: 'TROUBLE_CODE', severity: 'critical' }]))
})
