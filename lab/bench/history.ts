import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { ensureFirstAccount } from '../../src/access/accounts.ts'
import { readTimePage } from '../../src/api/v2/events/events.ts'
import { selectTypes } from '../../src/api/v2/events/query.ts'
import { readThinnedList } from '../../src/api/v2/events/thinned.ts'
import type { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { instantOfMs } from '../../src/db/values.ts'
import { Failing } from '../../src/derive/failing.ts'
import { lowPriority } from '../../src/derive/histories.ts'
import { sealHistory } from '../../src/jobs/seal-history.ts'
import { SYSTEM_CLOCK } from '../../src/lib/clock.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import type { Instant } from '../../src/server/http/timestamps.ts'
import { Partitions, sealDay } from '../../src/store/index.ts'
import { storeAndDerive } from './derivation.ts'
import { fullRecordsPerS, withLoad } from './dongles.ts'
import { generateVedShape, insertRows, plain, recordedDay, registerWithReach } from './made-samples.ts'
import { type BenchResult, elapsedInTurn, limited, median, pairRatios, quantile } from './result.ts'
import { type RunningService, withDatabase } from './running-service.ts'

const ROWS = 356_307_042_999_910 as DeviceId
const SEALED = 356_307_042_999_928 as DeviceId
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAYS = 365
const START_MS = Date.UTC(2022, 0, 1)
const DRIVES = [7, 16].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.46) * HOUR_MS }))
const DAYS_MEASURED = 150
/** The first chart of a year from rollups took 59 ms on a quiet machine, the eighth 16 and later ones 9.6. */
const WARM_UP_YEARS = 20
const YEARS_MEASURED = 40
const MAX_POINTS = 1000
const ALL_EVENTS = 1_000_000

export async function benchSealedReads(): Promise<BenchResult[]> {
  return withDatabase(async ofRows =>
    withDatabase(async ofSealed => {
      const rows = await fillYear(ofRows, ROWS)
      const sealed = await fillYear(ofSealed, SEALED)
      await sealYear(sealed)
      for (const { writers } of [ofRows, ofSealed]) {
        await writers.query('vacuum analyze')
        await writers.query('checkpoint')
      }
      return measuredReads(rows, sealed)
    }),
  )
}

/** From sealed days, against the same from rows: as a list of events and as a chart are read, but without HTTP. */
async function measuredReads(rows: Year, sealed: Year): Promise<BenchResult[]> {
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
  ]
}

async function compared(
  years: readonly [Year, Year],
  name: string,
  target: number,
  runs: number,
  read: (year: Year, run: number) => Promise<number>,
): Promise<BenchResult> {
  const lengths: [number[], number[]] = [[], []]
  const [rowsMs, sealedMs] = await elapsedInTurn({ warmUp: 0, runs }, [
    async run => lengths[0].push(await read(years[0], run)),
    async run => lengths[1].push(await read(years[1], run)),
  ] as const)
  if (lengths[0].join() !== lengths[1].join()) throw new Error('sealed days give something else than rows')
  return {
    name: `Sealed, ${name}`,
    measured: `${median(sealedMs).toFixed(1)} ms, median of ${runs}`,
    against: `from rows ${median(rowsMs).toFixed(1)} ms`,
    ratio: median(sealedMs) / median(rowsMs),
    target: { atMost: target },
    runs: pairRatios(sealedMs, rowsMs),
  }
}

/** In bytes: V8 joins a concatenated text only when its characters are needed, which a client waits for, too. */
function lengthOf(texts: Iterable<string>): number {
  let length = 0
  for (const text of texts) length += Buffer.from(text, 'latin1').length
  return length
}

interface Year {
  readonly database: Database
  readonly accountId: number
  readonly deviceId: DeviceId
}

async function fillYear(database: Database, deviceId: DeviceId): Promise<Year> {
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  const partitions = new Partitions(database)
  await partitions.ensure(Array.from({ length: DAYS }, (_, day) => START_MS + day * DAY_MS))
  const dayOf = (day: number) =>
    recordedDay({ deviceId, dayMs: START_MS + day * DAY_MS, ...OF_DONGLE, drives: DRIVES, seed: day }).map(plain)
  // Both ends go the ordinary way, so that everything knows of the car.
  const [first, last] = [dayOf(0)[0], dayOf(DAYS - 1).at(-1)]
  if (!first || !last) throw new Error('a year without samples')
  await storeAndDerive({ database, accountId }, [first, last])
  for (let day = 0; day < DAYS; day++) {
    const samples: Sample[] = dayOf(day).filter(({ timeMs }) => timeMs !== first.timeMs && timeMs !== last.timeMs)
    await insertRows(database, samples)
  }
  return { database, accountId, deviceId }
}

/** As the job does: tables that are empty go. */
async function sealYear({ database, deviceId }: Year): Promise<void> {
  for (let day = 0; day < DAYS; day++) await seal(database, deviceId, START_MS + day * DAY_MS)
  await new Partitions(database).dropSealedBefore(START_MS + (DAYS + 7) * DAY_MS)
}

async function seal(database: Database, deviceId: DeviceId, fromMs: number): Promise<void> {
  const done = await sealDay(database, deviceId, { fromMs, toMs: fromMs + DAY_MS })
  if (typeof done !== 'object') throw new Error(`a day that was not sealed: ${done}`)
}

const DONGLES = 1_000
const ROUNDS = 4
const MEASURED_MS = 10_000
const WARM_UP_MS = 5_000
const CAR = 356_307_042_999_936 as DeviceId

/** Dongles that send half of what the machine takes, while history is sealed and while it is not, in turn. */
export async function benchSealingBesideIngest(service: RunningService): Promise<BenchResult[]> {
  const { database } = service
  await fillYear(database, CAR)
  const fullPerS = await fullRecordsPerS(service, DONGLES)
  const acknowledged = { alone: [] as number[], beside: [] as number[] }
  const p99 = { alone: [] as number[], beside: [] as number[] }
  let sealed = 0
  const halfLoad = { dongles: DONGLES, recordsPerS: fullPerS / 2, warmUpMs: WARM_UP_MS }
  await withLoad(service, halfLoad, async load => {
    for (let round = 0; round < ROUNDS; round++)
      for (const kind of ['alone', 'beside'] as const) {
        const stop = new AbortController()
        const sealing = kind === 'beside' ? sealAsJob(database, stop.signal) : Promise.resolve(0)
        const waitsMs = await load.measureWhile(() => sleep(MEASURED_MS))
        stop.abort()
        sealed += await sealing
        acknowledged[kind].push((waitsMs.length * 1000) / MEASURED_MS)
        p99[kind].push(quantile(waitsMs, 0.99))
      }
  })
  const figures = {
    aloneRecordsPerS: median(acknowledged.alone),
    besideRecordsPerS: median(acknowledged.beside),
    sealedDays: sealed,
  }
  const ratios = pairRatios(acknowledged.beside, acknowledged.alone)
  return [
    {
      name: 'Ingest at half load while days are sealed',
      measured: `${figures.besideRecordsPerS.toFixed(0)} records/s of ${fullPerS.toFixed(0)}, p99 ${median(p99.beside).toFixed(0)} ms, ${sealed} days sealed in ${(ROUNDS * MEASURED_MS) / 1000} s`,
      against: `without ${figures.aloneRecordsPerS.toFixed(0)} records/s, p99 ${median(p99.alone).toFixed(0)} ms`,
      ratio: median(ratios),
      target: { atLeast: 0.9 },
      runs: ratios,
      figures,
    },
  ]
}

/** As the job of the service does while it finds nothing more urgent: a quarter of the time. */
function sealAsJob(database: Database, signal: AbortSignal): Promise<number> {
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

const MONDAY_MS = Date.UTC(2026, 0, 12)
const FIRST_CAR = 356_307_042_700_000
const OF_DONGLE = { drivingMs: 5000, parkedMs: 600_000, packet: 1 } as const
const SAMPLES_AT_ONCE = 20_000

interface Recordings {
  readonly name: string
  readonly samples: readonly Sample[]
  readonly hotLimit: number
  readonly sealedLimit: number
}

export async function benchStoredBytes(): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const make of [vedShaped, teltonikaLike, eachSecond])
    results.push(...(await withDatabase(database => measuredStoredBytes(database, make()))))
  return results
}

function vedShaped(): Recordings {
  const samples = [...generateVedShape({ vehicles: 133, samples: 322_263, seed: 1 })]
  return { name: 'VED-like', samples, hotLimit: 31, sealedLimit: 2 }
}

function teltonikaLike(): Recordings {
  const drives = [{ fromMs: 6 * HOUR_MS, toMs: 14 * HOUR_MS }]
  const samples = Array.from({ length: 20 }, (_, car) =>
    recordedDay({ deviceId: (FIRST_CAR + car) as DeviceId, dayMs: MONDAY_MS, ...OF_DONGLE, drives, seed: car }),
  )
  return { name: 'records of 20 values', samples: samples.flat().map(plain), hotLimit: 20, sealedLimit: 1.5 }
}

function eachSecond(): Recordings {
  const drives = [7, 12, 17].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.8) * HOUR_MS }))
  const often = { drivingMs: 1000, parkedMs: 1000, packet: 10, drives }
  const samples = [0, 1].map(day =>
    recordedDay({ deviceId: (FIRST_CAR + 100) as DeviceId, dayMs: MONDAY_MS + day * DAY_MS, ...often, seed: day }),
  )
  return { name: '20 values each second', samples: samples.flat().map(plain), hotLimit: 20, sealedLimit: 1 }
}

async function measuredStoredBytes(
  database: Database,
  { name, samples, hotLimit, sealedLimit }: Recordings,
): Promise<BenchResult[]> {
  await storeRows(database, samples)
  const values = samples.reduce((sum, { types }) => sum + types.length, 0)
  const hot =
    (await bytesOf(database, sql`(select inhrelid from pg_inherits where inhparent = 'samples'::regclass)`)) / values
  const empty = await bytesOf(database, sql`('sealed_days'::regclass)`)
  const days = new Set(samples.map(({ deviceId, timeMs }) => `${deviceId} ${Math.floor(timeMs / DAY_MS)}`))
  const startedMs = performance.now()
  for (const text of days) {
    const [deviceId = 0, day = 0] = text.split(' ').map(Number)
    await seal(database, deviceId as DeviceId, day * DAY_MS)
  }
  const sealUs = ((performance.now() - startedMs) * 1000) / samples.length
  await database.writers.query('vacuum sealed_days')
  const sealed = ((await bytesOf(database, sql`('sealed_days'::regclass)`)) - empty) / values
  const figures = { hotBytesAValue: hot, sealedBytesAValue: sealed, valuesEach: values / samples.length, sealUs }
  const measured = (bytes: number) =>
    `${bytes.toFixed(2)} B, ${values} values of ${samples.length} samples, tables and indexes`
  const result = (what: string, bytes: number, limit: number): BenchResult => ({
    ...limited(`Bytes a value ${what}, ${name}`, bytes, limit, { measured: measured(bytes), against: `${limit} B` }),
    figures,
  })
  return [result('as rows', hot, hotLimit), result('sealed', sealed, sealedLimit)]
}

async function storeRows(database: Database, samples: readonly Sample[]): Promise<void> {
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
    await insertRows(database, samples.slice(first, first + SAMPLES_AT_ONCE))
}

async function bytesOf(database: Database, tables: ReturnType<typeof sql>): Promise<number> {
  const [row] = await database.rows<{ bytes: number }>(
    sql`select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where oid in ${tables}`,
  )
  return row?.bytes ?? 0
}
