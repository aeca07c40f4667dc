import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { ensureFirstAccount } from '../../src/access/accounts.ts'
import { selectTypes } from '../../src/api/v2/events/query.ts'
import { readTimePage } from '../../src/api/v2/events/read-pages.ts'
import { readThinnedList } from '../../src/api/v2/events/thinned.ts'
import type { Database } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards/locked-devices.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { instantOfMs } from '../../src/db/values.ts'
import { Failing } from '../../src/derive/failing.ts'
import { lowPriority } from '../../src/derive/histories.ts'
import { sealHistory } from '../../src/jobs/sealing/seal-history.ts'
import { SYSTEM_CLOCK } from '../../src/lib/clock.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import type { Instant } from '../../src/server/http/timestamps.ts'
import { insertSamples, Partitions, sealDay } from '../../src/store/index.ts'
import { storeAndDerive } from './derivation.ts'
import { withHalfLoad } from './load.ts'
import { type BenchResult, median, pairRatios, quantile } from './result.ts'
import { type RunningService, withDatabase } from './running-service.ts'
import { plain, recordedDay } from './sealing.ts'
import { sendLive } from './teltonika-ingest.ts'

/** The same year of a car twice, each in a database of its own: one stays in rows, the other is sealed. */
const ROWS = 356_307_042_999_910 as DeviceId
const SEALED = 356_307_042_999_928 as DeviceId
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAYS = 365
const START_MS = Date.UTC(2022, 0, 1)
/** Some 800 samples of 20 values on each of them. */
const DRIVES = [7, 16].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.46) * HOUR_MS }))
const DAYS_MEASURED = 150
/** The first chart of a year from rollups took 59 ms on a quiet machine, the eighth 16 and later ones 9.6. */
const WARM_UP_YEARS = 20
/** Those of version 1 of the rollups, of which a third met the garbage collector, needed so many. */
const YEARS_MEASURED = 40
const MAX_POINTS = 1000
const ALL_EVENTS = 1_000_000

/** What reading takes from sealed days, against the same from rows: as a list of events and as a chart are read, but without HTTP. */
async function benchSealedReads(rows: Year, sealed: Year): Promise<BenchResult[]> {
  const scopeOf = ({ accountId, deviceId }: Year) => ({ accountId, deviceId, vehicleId: undefined, tripId: undefined })
  const readDay = async (year: Year, day: number, names?: readonly string[]) => {
    const fromMs = START_MS + day * DAY_MS
    const query = {
      fromTimestamp: instantOfMs(fromMs) as Instant,
      toTimestamp: instantOfMs(fromMs + DAY_MS - 1) as Instant,
    }
    const selection = selectTypes(names, new Set())
    const { page } = await readTimePage(year.database.readsOf(year.accountId), {
      scope: scopeOf(year),
      selection,
      query,
      limit: ALL_EVENTS,
    })
    return lengthOf(page.texts())
  }
  const readYear = async (year: Year) => {
    const range = { fromMs: START_MS, toMs: START_MS + DAYS * DAY_MS }
    const thinned = { range, maxPoints: MAX_POINTS, typeCount: 1 }
    const selection = selectTypes(['VEHICLE_SPEED_AVERAGE'], new Set())
    return lengthOf(
      await readThinnedList(year.database.readsOf(year.accountId), work => work(), {
        scope: scopeOf(year),
        selection,
        thinned,
      }),
    )
  }
  // A service runs for weeks, so the code of both is compiled first. Days took a seventh longer before each had been read once.
  for (const year of [rows, sealed]) {
    for (let again = 0; again < WARM_UP_YEARS; again++) await readYear(year)
    for (let day = 0; day < DAYS; day++) await readDay(year, day)
  }
  // A process remembers what it unpacked: of these days the last 140. So those measured are others, and none twice.
  return [
    await compared([rows, sealed], 'a day of a car', 1, DAYS_MEASURED, (year, run) => readDay(year, run)),
    await compared([rows, sealed], 'one type of a day', 1, DAYS_MEASURED, (year, run) =>
      readDay(year, DAYS_MEASURED + run, ['VEHICLE_SPEED_AVERAGE']),
    ),
    await compared([rows, sealed], `one type of a year in ${MAX_POINTS} points`, 0.05, YEARS_MEASURED, readYear),
    await sizeOfRollups(sealed.database),
  ]
}

/** What rollups take beside the days that they belong to. */
async function sizeOfRollups(database: Database): Promise<BenchResult> {
  const [row] = await database.rows<{ rollup: number; body: number }>(
    sql`select avg(octet_length(rollup))::float8 as rollup, avg(octet_length(body))::float8 as body from sealed_days`,
  )
  if (!row) throw new Error('no sealed days')
  return {
    name: 'Rollups of 20 event types, hour by hour',
    measured: `${row.rollup.toFixed(0)} bytes a day of a car`,
    against: `its sealed samples ${row.body.toFixed(0)} bytes`,
    ratio: row.rollup / row.body,
    target: { atMost: 0.25 },
  }
}

async function compared(
  years: readonly [Year, Year],
  name: string,
  target: number,
  runs: number,
  read: (year: Year, run: number) => Promise<number>,
): Promise<BenchResult> {
  const ms: Record<'rows' | 'sealed', number[]> = { rows: [], sealed: [] }
  for (let run = 0; run < runs; run++) {
    const lengths: number[] = []
    const inTurn = [['rows', years[0]] as const, ['sealed', years[1]] as const]
    // What one leaves to the garbage collector, the next one pays.
    if (run % 2 === 1) inTurn.reverse()
    for (const [from, year] of inTurn) {
      const startedMs = performance.now()
      lengths.push(await read(year, run))
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
    runs: pairRatios(ms.sealed, ms.rows),
  }
}

function lengthOf(texts: Iterable<string>): number {
  let length = 0
  for (const text of texts) length += text.length
  return length
}

interface Year {
  readonly database: Database
  readonly accountId: number
  readonly deviceId: DeviceId
}

/** A year of a car, registered and in rows. */
export async function fillYear(database: Database, deviceId: DeviceId): Promise<Year> {
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  const partitions = new Partitions(database)
  await partitions.ensure(Array.from({ length: DAYS }, (_, day) => START_MS + day * DAY_MS))
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
  await storeAndDerive({ database, accountId }, [first, last])
  for (let day = 0; day < DAYS; day++) {
    const samples: Sample[] = dayOf(day).filter(({ timeMs }) => timeMs !== first.timeMs && timeMs !== last.timeMs)
    await writeTransaction(database, async transaction => {
      const locked = await lockDevices(transaction, [deviceId])
      await insertSamples(locked, samples, await transaction.takeRevisions(1))
    })
  }
  return { database, accountId, deviceId }
}

/** As the job does: tables that are empty go. */
async function sealYear({ database, deviceId }: Year): Promise<void> {
  for (let day = 0; day < DAYS; day++) {
    const fromMs = START_MS + day * DAY_MS
    const done = await sealDay(database, deviceId, { fromMs, toMs: fromMs + DAY_MS })
    if (done === 'refused' || done === 'nothing') throw new Error(`a day that was not sealed: ${done}`)
  }
  await new Partitions(database).dropSealedBefore(START_MS + (DAYS + 7) * DAY_MS)
}

/** In databases of their own. */
export async function measuredAlone(): Promise<BenchResult[]> {
  return withDatabase(async ofRows =>
    withDatabase(async ofSealed => {
      const rows = await fillYear(ofRows, ROWS)
      const sealed = await fillYear(ofSealed, SEALED)
      await sealYear(sealed)
      for (const { writers } of [ofRows, ofSealed]) {
        await writers.query('vacuum analyze')
        await writers.query('checkpoint')
      }
      return benchSealedReads(rows, sealed)
    }),
  )
}

const DONGLES = 1_000
/** Of dongles that send a record as soon as the one before is acknowledged: how much the machine takes at most. */
const FULL_PACKETS = 60
const ROUNDS = 4
const MEASURED_MS = 10_000
const WARM_UP_MS = 5_000
/** With a year of 712 samples of 20 values a day. */
const CAR = 356_307_042_999_936 as DeviceId

/** What dongles that send half of what the machine takes get stored while history is sealed, against the same without, in turn. */
export async function benchSealingBesideIngest(service: RunningService): Promise<BenchResult[]> {
  const { database } = service
  await fillYear(database, CAR)
  const full = await sendLive(service, DONGLES, FULL_PACKETS)
  const fullRecordsPerS = (DONGLES * FULL_PACKETS * 1000) / full.derivedMs
  const acknowledged = { alone: [] as number[], beside: [] as number[] }
  const p99 = { alone: [] as number[], beside: [] as number[] }
  let sealed = 0
  await withHalfLoad(
    service,
    { dongles: DONGLES, recordsPerS: fullRecordsPerS / 2, warmUpMs: WARM_UP_MS },
    async load => {
      for (let round = 0; round < ROUNDS; round++)
        for (const kind of ['alone', 'beside'] as const) {
          const stop = new AbortController()
          const sealing = kind === 'beside' ? seal(stop.signal) : Promise.resolve(0)
          const waitsMs = await load.measureWhile(() => sleep(MEASURED_MS))
          stop.abort()
          sealed += await sealing
          acknowledged[kind].push((waitsMs.length * 1000) / MEASURED_MS)
          p99[kind].push(quantile(waitsMs, 0.99))
        }
    },
  )
  const figures = {
    aloneRecordsPerS: median(acknowledged.alone),
    besideRecordsPerS: median(acknowledged.beside),
    sealedDays: sealed,
  }
  const ratios = pairRatios(acknowledged.beside, acknowledged.alone)
  return [
    {
      name: 'Ingest at half load while days are sealed',
      measured: `${figures.besideRecordsPerS.toFixed(0)} records/s of ${fullRecordsPerS.toFixed(0)}, p99 ${median(p99.beside).toFixed(0)} ms, ${sealed} days sealed in ${(ROUNDS * MEASURED_MS) / 1000} s`,
      against: `without ${figures.aloneRecordsPerS.toFixed(0)} records/s, p99 ${median(p99.alone).toFixed(0)} ms`,
      ratio: median(ratios),
      target: { atLeast: 0.9 },
      runs: ratios,
      figures,
    },
  ]

  /** As the job of the service does while it finds nothing more urgent: a quarter of the time. */
  function seal(signal: AbortSignal): Promise<number> {
    return sealHistory(database, {
      afterDays: 2,
      quietS: 0,
      partitions: new Partitions(database),
      pace: lowPriority(() => false, signal),
      signal,
      failing: new Failing(),
      log: pino({ level: 'silent' }),
      clock: SYSTEM_CLOCK,
      observe: () => undefined,
    })
  }
}
