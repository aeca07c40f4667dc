import { fileURLToPath } from 'node:url'
import { ensureFirstAccount } from '../../src/access/accounts.ts'
import type { Database } from '../../src/db/database.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { Partitions, sealDay } from '../../src/store/index.ts'
import { storeAndDerive } from './derivation.ts'
import { withDatabase } from './own-database.ts'
import { processCost } from './process-cost.ts'
import { plain, recordedDay } from './recorded-days.ts'
import { type BenchResult, printResults } from './result.ts'

const CARS = 20
const DAYS = 4
const START_MS = Date.UTC(2022, 0, 3)
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DRIVES = [7, 16].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.46) * HOUR_MS }))
/** What comes together in a transaction while a fleet drives. */
const BATCH_MS = 60_000
const DEVICES = Array.from({ length: CARS }, (_, car) => (356_307_042_990_000 + car * 10) as DeviceId)

/** What sealing costs on a processor, rollups included, against storing and deriving the same samples live. All processes together. */
export async function benchSealingCost(): Promise<BenchResult[]> {
  return withDatabase(async database => {
    const batches = driveByBatch()
    const samples = batches.reduce((sum, batch) => sum + batch.length, 0)
    // Until the code is compiled.
    const warm = Math.floor(batches.length / DAYS)
    await ingest(database, batches.slice(0, warm))
    const live = await microsecondsASample(() => ingest(database, batches.slice(warm)))
    await seal(database, 0)
    const sealing = await microsecondsASample(async () => {
      let sealed = 0
      for (let day = 1; day < DAYS; day++) sealed += await seal(database, day)
      return sealed
    })
    return [
      {
        name: 'Sealing, against storing and deriving live',
        measured: `${sealing.toFixed(0)} µs of CPU a sample of 20 values`,
        against: `${live.toFixed(0)} µs, ${samples} samples of ${CARS} cars`,
        ratio: sealing / live,
        target: { atMost: 1 },
      },
    ]
  })
}

/** Samples of all cars in the order of time, as many as come in a minute. */
function driveByBatch(): Sample[][] {
  const batches = new Map<number, Sample[]>()
  for (const [car, deviceId] of DEVICES.entries())
    for (let day = 0; day < DAYS; day++) {
      const dayMs = START_MS + day * DAY_MS
      const samples = recordedDay({
        deviceId,
        dayMs,
        drivingMs: 5000,
        parkedMs: 600_000,
        drives: DRIVES,
        packet: 1,
        seed: day * CARS + car,
      })
      for (const sample of samples.map(plain)) {
        const key = Math.floor(sample.timeMs / BATCH_MS)
        batches.set(key, [...(batches.get(key) ?? []), sample])
      }
    }
  return [...batches].sort(([a], [b]) => a - b).map(([, batch]) => batch)
}

async function ingest(database: Database, batches: readonly (readonly Sample[])[]): Promise<number> {
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  await new Partitions(database).ensure(batches.flat().map(({ timeMs }) => timeMs))
  for (const samples of batches) await storeAndDerive({ database, accountId }, samples)
  return batches.reduce((sum, batch) => sum + batch.length, 0)
}

/** @returns how many samples */
async function seal(database: Database, day: number): Promise<number> {
  let samples = 0
  const fromMs = START_MS + day * DAY_MS
  for (const deviceId of DEVICES) {
    const done = await sealDay(database, deviceId, { fromMs, toMs: fromMs + DAY_MS })
    if (typeof done !== 'object') throw new Error(`a day that was not sealed: ${done}`)
    samples += done.samples.length
  }
  return samples
}

async function microsecondsASample(work: () => Promise<number>): Promise<number> {
  const before = await processCost(process.pid)
  const samples = await work()
  return ((await processCost(process.pid)).cpuSeconds - before.cpuSeconds) * (1e6 / samples)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printResults(await benchSealingCost())
