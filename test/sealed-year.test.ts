import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createKey } from '../src/access/keys.ts'
import { ALL_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { readConfig } from '../src/config.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { sealHistory } from '../src/jobs/seal-history.ts'
import { Partitions } from '../src/store/partitions.ts'
import { apiServerOn, BASE } from './api.ts'
import { IS_DEEP } from './deep.ts'
import { checksumOf, countSamples, type MadeYear, makeYear } from './made-year.ts'
import { sampleWith } from './sample-with.ts'
import { sealingOptions } from './sealed-world.ts'
import { UpgradeWorld } from './upgrade-world.ts'

const DAY_MS = 86_400_000
/** A Monday. */
const START_MS = Date.UTC(2025, 0, 6)
const [CARS, DAYS, KILLS] = IS_DEEP ? [200, 364, 20] : [3, 42, 1]
/** What is left to seal is done by two, as two nodes would. */
const FINISHING = 2
const MAX_POINTS = 1000

it(
  'a year of a fleet is sealed by processes that are killed: all of it reads back to the bit, a month can go, and late data can come',
  async () => {
    await using world = await UpgradeWorld.make()
    const year = await timed('made', () => makeYear(world, CARS, DAYS, START_MS))
    const before = await countSamples(world.database)
    expect(before).toMatchObject({ rows: year.samples, sealed: 0 })
    const all = await timed('read as rows', () => checksumOf(world, year, year.startMs))
    const chart = await startCharts(world)
    const asRows = await chart(year)

    await timed(`killed ${KILLS} times`, async () => {
      const spentMs: number[] = []
      for (let kill = 0; kill < KILLS; kill++) {
        const { days } = await countSamples(world.database)
        // So long that all kills together come before the end; and no further than twice that, however late somebody looks.
        const share = Math.ceil((CARS * DAYS - days) / (KILLS - kill + 2))
        const child = startSealing(world.url, 2 * share)
        const exited = once(child, 'exit')
        await once(child.stdout as NodeJS.ReadableStream, 'data')
        const startedMs = performance.now()
        await untilSealed(world, days + share, Math.random() * 200)
        child.kill('SIGKILL')
        expect(await exited).toEqual([null, 'SIGKILL'])
        spentMs.push(performance.now() - startedMs)
        const { rows, sealed } = await countSamples(world.database)
        expect(rows + sealed).toBe(year.samples)
      }
      const { rows } = await countSamples(world.database)
      expect(rows).toBeGreaterThan(0)
    })
    // Half in rows and half sealed.
    expect(await checksumOf(world, year, year.startMs)).toBe(all)
    await timed('sealed the rest', async () => {
      const last = Array.from({ length: FINISHING }, () => startSealing(world.url))
      for (const child of last) child.stdout?.resume()
      for (const ended of await Promise.all(last.map(child => once(child, 'exit')))) expect(ended).toEqual([0, null])
    })
    const after = await countSamples(world.database)
    expect(after).toMatchObject({ rows: 0, sealed: year.samples, days: CARS * DAYS })
    expect(await timed('read sealed', () => checksumOf(world, year, year.startMs))).toBe(all)
    tell(`${year.samples} samples: ${megabytes(before.bytes)} as rows, ${megabytes(after.bytes)} sealed`)
    // Days of forty samples: their rollups take nearly as much as they do.
    expect(after.bytes).toBeLessThan(before.bytes / 4)
    expect(await chart(year)).toEqual(asRows)

    // What is older than the retention goes a week at a time, here the first four; the others stay as they were.
    const cutMs = year.startMs + 28 * DAY_MS
    const kept = await checksumOf(world, year, cutMs)
    await timed('erased a month', () => new Partitions(world.database).dropBefore(cutMs))
    expect(await countSamples(world.database)).toMatchObject({ rows: 0, days: CARS * (DAYS - 28) })
    expect(await checksumOf(world, year, year.startMs)).toBe(kept)

    // A packet that was on its way for long: one instant that is new, one that is known with another value.
    const [deviceId] = year.deviceIds
    const lateMs = cutMs + 10 * DAY_MS + 3 * 3_600_000
    const late = [lateMs + 1000, lateMs].map(timeMs => sampleWith(deviceId ?? 0, timeMs, { VEHICLE_SPEED_AVERAGE: 77 }))
    await timed('stored a late packet', () => world.store(late))
    const withLate = await checksumOf(world, year, cutMs)
    expect(withLate).not.toBe(kept)
    const { rows } = await countSamples(world.database)
    expect(rows).toBe(2)
    const seal = () => sealHistory(world.database, sealingOptions(world.database, { quietS: 0 }))
    expect(await timed('sealed that day again', seal)).toBe(1)
    expect(await countSamples(world.database)).toMatchObject({ rows: 0, days: CARS * (DAYS - 28) })
    expect(await checksumOf(world, year, cutMs)).toBe(withLate)
  },
  IS_DEEP ? 3_600_000 : 300_000,
)

function startSealing(url: string, mostDays = Number.POSITIVE_INFINITY): ChildProcess {
  return spawn(process.execPath, [inject('sealingProcess'), url, `${mostDays}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function untilSealed({ database }: UpgradeWorld, days: number, moreMs: number): Promise<void> {
  // Counting a year takes as long as sealing a day.
  while ((await countSealedDays(database)) < days) await sleep(IS_DEEP ? 500 : 100)
  await sleep(moreMs)
}

async function countSealedDays(database: UpgradeWorld['database']): Promise<number> {
  const { rows } = await database.writers.query<{ days: number }>('select count(*)::integer as days from sealed_days')
  return rows[0]?.days ?? 0
}

/** The chart of a year of a car, as the console asks for it. @returns what gives its points, and tells how long that took */
async function startCharts({ database, accountId }: UpgradeWorld): Promise<(year: MadeYear) => Promise<unknown>> {
  const server = await apiServerOn(database, readConfig({ RATE_LIMIT: '1000000' }))
  onTestFinished(() => server.close())
  const { secret } = await writeTransaction(database, transaction =>
    createKey(transaction, { accountId, name: 'chart', permissions: ALL_PERMISSIONS, expires: undefined }),
  )
  return async ({ startMs, endMs, deviceIds }) => {
    const range = `fromTimestamp=${new Date(startMs).toISOString()}&toTimestamp=${new Date(endMs).toISOString()}`
    const url = `${BASE}/events?deviceId=${deviceIds[1]}&eventType=VEHICLE_SPEED_AVERAGE&${range}&maxPoints=${MAX_POINTS}`
    const ask = () => server.inject({ url, headers: { authorization: `Bearer ${secret}` } })
    // The first one compiles the code.
    await ask()
    const reply = await timed('chart of the year', ask)
    expect(reply.statusCode).toBe(200)
    expect(reply.body.split('VEHICLE_SPEED_AVERAGE').length).toBeGreaterThan(MAX_POINTS / 10)
    return reply.json()
  }
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  const result = await work()
  tell(`${what} in ${((performance.now() - startedMs) / 1000).toFixed(3)} s`)
  return result
}

/** The figures of the long form are written down (docs/adr/0037). */
function tell(figure: string): void {
  if (IS_DEEP) console.log(figure)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
