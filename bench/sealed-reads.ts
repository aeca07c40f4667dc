import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { ensureFirstAccount } from '../src/access/accounts.ts'
import { selectTypes } from '../src/api/v2/events/selection.ts'
import { readThinnedList } from '../src/api/v2/events/thinned-list.ts'
import { readTimePage } from '../src/api/v2/events/time-page.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrations.ts'
import { Partitions } from '../src/db/samples/partitions.ts'
import { insertSamples } from '../src/db/samples/sample-writer.ts'
import { sealDay } from '../src/db/samples/sealed/seal-day.ts'
import { plain } from '../src/db/samples/sealed/sealed-stretch.ts'
import { lockDevices } from '../src/db/shards/held-devices.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { instantOfMs } from '../src/db/values.ts'
import type { DeviceId, Sample } from '../src/model/sample.ts'
import { Backlog } from '../src/pipeline/backlog/backlog.ts'
import { storeBatch } from '../src/pipeline/batch.ts'
import { startEmbeddedServer } from '../src/server/embedded/server.ts'
import type { Instant } from '../src/server/http/timestamps.ts'
import { makeDatabaseFolder } from '../test/database-folder.ts'
import { recordedDay } from './recorded-days.ts'
import { type BenchResult, median, printResults } from './result.ts'

/** The same year of a car twice: one stays in rows, the other is sealed. */
const ROWS = 356_307_042_999_910 as DeviceId
const SEALED = 356_307_042_999_928 as DeviceId
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAYS = 365
const START_MS = Date.UTC(2022, 0, 1)
/** Some 800 samples of 20 values on each of them. */
const DRIVES = [7, 16].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.46) * HOUR_MS }))
const DAYS_MEASURED = 100
const YEARS_MEASURED = 5
const MAX_POINTS = 1000
const ALL_EVENTS = 1_000_000

/** What reading takes from sealed days, against the same from rows: as a list of events and as a chart are read, but without HTTP. */
async function benchSealedReads(database: Database): Promise<BenchResult[]> {
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  const scopeOf = (deviceId: DeviceId) => ({ accountId, deviceId, vehicleId: undefined, tripId: undefined })
  const readDay = async (deviceId: DeviceId, day: number, names?: readonly string[]) => {
    const fromMs = START_MS + day * DAY_MS
    const query = {
      fromTimestamp: instantOfMs(fromMs) as Instant,
      toTimestamp: instantOfMs(fromMs + DAY_MS - 1) as Instant,
    }
    const selection = selectTypes(names, new Set())
    const { page } = await readTimePage(database.readsOf(accountId), {
      scope: scopeOf(deviceId),
      selection,
      query,
      limit: ALL_EVENTS,
    })
    return lengthOf(page.texts())
  }
  const readYear = async (deviceId: DeviceId) => {
    const range = { fromMs: START_MS, toMs: START_MS + DAYS * DAY_MS }
    const thinned = { range, maxPoints: MAX_POINTS, typeCount: 1 }
    const selection = selectTypes(['VEHICLE_SPEED_AVERAGE'], new Set())
    return lengthOf(
      await readThinnedList(database.readsOf(accountId), work => work(), {
        scope: scopeOf(deviceId),
        selection,
        thinned,
      }),
    )
  }
  // Each day once, because a process remembers what it unpacked.
  const dayOf = (run: number) => Math.floor((run * DAYS) / (2 * DAYS_MEASURED))
  return [
    await compared('a day of a car', 1, DAYS_MEASURED, (id, run) => readDay(id, dayOf(run))),
    await compared('one type of a day', 1, DAYS_MEASURED, (id, run) =>
      readDay(id, dayOf(DAYS_MEASURED + run), ['VEHICLE_SPEED_AVERAGE']),
    ),
    await compared(`one type of a year in ${MAX_POINTS} points`, 0.05, YEARS_MEASURED, readYear),
  ]
}

async function compared(
  name: string,
  target: number,
  runs: number,
  read: (deviceId: DeviceId, run: number) => Promise<number>,
): Promise<BenchResult> {
  const ms: Record<'rows' | 'sealed', number[]> = { rows: [], sealed: [] }
  for (let run = 0; run < runs; run++) {
    const lengths: number[] = []
    for (const [from, id] of [
      ['rows', ROWS],
      ['sealed', SEALED],
    ] as const) {
      const startedMs = performance.now()
      lengths.push(await read(id, run))
      ms[from].push(performance.now() - startedMs)
    }
    if (lengths[0] !== lengths[1]) throw new Error('sealed days give something else than rows')
  }
  const [rowsMs, sealedMs] = [median(ms.rows), median(ms.sealed)]
  return {
    name: `Sealed, ${name}`,
    measured: `${sealedMs.toFixed(1)} ms, median of ${runs}`,
    against: `from rows ${rowsMs.toFixed(1)} ms`,
    ratio: sealedMs / rowsMs,
    target: { atMost: target },
  }
}

function lengthOf(texts: Iterable<string>): number {
  let length = 0
  for (const text of texts) length += text.length
  return length
}

/** Both years, one of them sealed. */
async function fillSealedYear(database: Database): Promise<void> {
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  const partitions = new Partitions(database)
  await partitions.ensure(Array.from({ length: DAYS }, (_, day) => START_MS + day * DAY_MS))
  const backlog = new Backlog(database.createLeaseLock())
  for (const deviceId of [ROWS, SEALED]) {
    const dayOf = (day: number) =>
      recordedDay({
        deviceId,
        dayMs: START_MS + day * DAY_MS,
        drivingMs: 5000,
        parkedMs: 600_000,
        drives: DRIVES,
        packet: 1,
        seed: day,
      }).map(plain)
    // Both ends go the ordinary way, so that everything knows of the car.
    const [first, last] = [dayOf(0)[0], dayOf(DAYS - 1).at(-1)]
    if (!first || !last) throw new Error('a year without samples')
    await writeTransaction(database, transaction =>
      storeBatch(transaction, [{ samples: [first, last], accountId }], {
        unknownDevices: 'accept',
        firstAccountId: accountId,
        backlog,
      }),
    )
    for (let day = 0; day < DAYS; day++) {
      const samples: Sample[] = dayOf(day).filter(({ timeMs }) => timeMs !== first.timeMs && timeMs !== last.timeMs)
      await writeTransaction(database, async transaction => {
        const held = await lockDevices(transaction, [deviceId])
        await insertSamples(held, samples, await transaction.takeRevisions(1))
      })
    }
  }
  for (let day = 0; day < DAYS; day++) {
    const fromMs = START_MS + day * DAY_MS
    const done = await sealDay(database, SEALED, { fromMs, toMs: fromMs + DAY_MS })
    if (done === 'refused' || done === 'nothing') throw new Error(`a day that was not sealed: ${done}`)
  }
  await database.writers.query('vacuum analyze')
  await database.writers.query('checkpoint')
}

/** In a database of its own. */
export async function measuredAlone(): Promise<BenchResult[]> {
  const folder = await makeDatabaseFolder('tacho-bench-')
  const server = await startEmbeddedServer({ folder, log: pino({ level: 'silent' }) })
  try {
    await migrate(server.url, { log: pino({ level: 'silent' }) })
    const database = openDatabase({ url: server.url })
    try {
      await fillSealedYear(database)
      return await benchSealedReads(database)
    } finally {
      await database.close()
    }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) printResults(await measuredAlone())
