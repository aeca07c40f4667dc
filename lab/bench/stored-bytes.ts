import { ensureFirstAccount } from '../../src/access/accounts.ts'
import type { Database } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards/locked-devices.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { insertSamples, Partitions, sealDay } from '../../src/store/index.ts'
import { withDatabase } from './own-database.ts'
import { plain, recordedDay } from './recorded-days.ts'
import { registerWithReach } from './registered-devices.ts'
import type { BenchResult } from './result.ts'
import { generateVedShape } from './ved-shape.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MONDAY_MS = Date.UTC(2026, 0, 12)
const SAMPLES_AT_ONCE = 20_000

interface Recordings {
  readonly name: string
  readonly samples: readonly Sample[]
  readonly hotLimit: number
  readonly sealedLimit: number
}

/** Bytes that a value takes on disk as a row and sealed, tables and indexes, for three kinds of recordings. */
export async function benchStoredBytes(): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const make of [vedShaped, teltonikaLike, eachSecond])
    results.push(...(await withDatabase(database => measured(database, make()))))
  return results
}

function vedShaped(): Recordings {
  const samples = [...generateVedShape({ vehicles: 133, samples: 322_263, seed: 1 })]
  return { name: 'VED-like', samples, hotLimit: 31, sealedLimit: 2 }
}

function teltonikaLike(): Recordings {
  const samples = Array.from({ length: 20 }, (_, car) =>
    recordedDay({
      deviceId: (356_307_042_700_000 + car) as DeviceId,
      dayMs: MONDAY_MS,
      drivingMs: 5000,
      parkedMs: 600_000,
      drives: [{ fromMs: 6 * HOUR_MS, toMs: 14 * HOUR_MS }],
      packet: 1,
      seed: car,
    }).map(plain),
  ).flat()
  return { name: 'records of 20 values', samples, hotLimit: 20, sealedLimit: 1.5 }
}

function eachSecond(): Recordings {
  const samples = [0, 1].flatMap(day =>
    recordedDay({
      deviceId: 356_307_042_700_100 as DeviceId,
      dayMs: MONDAY_MS + day * DAY_MS,
      drivingMs: 1000,
      parkedMs: 1000,
      drives: [7, 12, 17].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.8) * HOUR_MS })),
      packet: 10,
      seed: day,
    }).map(plain),
  )
  return { name: '20 values each second', samples, hotLimit: 20, sealedLimit: 1 }
}

async function measured(
  database: Database,
  { name, samples, hotLimit, sealedLimit }: Recordings,
): Promise<BenchResult[]> {
  await store(database, samples)
  const values = samples.reduce((sum, { types }) => sum + types.length, 0)
  const hot =
    (await bytesOf(database, sql`(select inhrelid from pg_inherits where inhparent = 'samples'::regclass)`)) / values
  const empty = await bytesOf(database, sql`('sealed_days'::regclass)`)
  const days = new Set(samples.map(({ deviceId, timeMs }) => `${deviceId} ${Math.floor(timeMs / DAY_MS)}`))
  const startedMs = performance.now()
  for (const text of days) {
    const [deviceId = 0, day = 0] = text.split(' ').map(Number)
    const range = { fromMs: day * DAY_MS, toMs: (day + 1) * DAY_MS }
    const sealed = await sealDay(database, deviceId as DeviceId, range)
    if (typeof sealed !== 'object') throw new Error(`a day that was not sealed: ${sealed}`)
  }
  const sealUs = ((performance.now() - startedMs) * 1000) / samples.length
  await database.writers.query('vacuum sealed_days')
  const sealed = ((await bytesOf(database, sql`('sealed_days'::regclass)`)) - empty) / values
  const figures = { hotBytesAValue: hot, sealedBytesAValue: sealed, valuesEach: values / samples.length, sealUs }
  const result = (what: string, bytes: number, limit: number): BenchResult => ({
    name: `Bytes a value ${what}, ${name}`,
    measured: `${bytes.toFixed(2)} B, ${values} values of ${samples.length} samples, tables and indexes`,
    against: `${limit} B`,
    ratio: bytes / limit,
    target: { atMost: 1 },
    figures,
  })
  return [result('as rows', hot, hotLimit), result('sealed', sealed, sealedLimit)]
}

async function store(database: Database, samples: readonly Sample[]): Promise<void> {
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  const times = samples.map(({ timeMs }) => timeMs)
  const range = {
    fromMs: times.reduce((least, timeMs) => Math.min(least, timeMs)),
    // As if all of it were derived already.
    toMs: times.reduce((most, timeMs) => Math.max(most, timeMs)) + DAY_MS,
  }
  for (const deviceId of new Set(samples.map(each => each.deviceId)))
    await registerWithReach(database, { accountId, firstDeviceId: deviceId, count: 1, ...range })
  await new Partitions(database).ensure(times)
  for (let first = 0; first < samples.length; first += SAMPLES_AT_ONCE)
    await writeTransaction(database, async transaction => {
      const some = samples.slice(first, first + SAMPLES_AT_ONCE)
      const locked = await lockDevices(transaction, new Set(some.map(({ deviceId }) => deviceId)))
      await insertSamples(locked, some, await transaction.takeRevisions(1))
    })
}

async function bytesOf(database: Database, tables: ReturnType<typeof sql>): Promise<number> {
  const [row] = await database.rows<{ bytes: number }>(
    sql`select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where oid in ${tables}`,
  )
  return row?.bytes ?? 0
}
