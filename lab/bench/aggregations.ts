import { type BinRequest, readBins } from '../../src/api/v2/aggregations/query.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { drive, dropForeignKeysOfTrips, makeFleet, sumUpDays } from './driven-fleet.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { pairRatios } from './spread.ts'

const VEHICLES = 2_000
const TRIPS = 1_000_000
const OPEN_TRIPS = 200
const WARM_UP_RUNS = 30
const RUNS = 200
/** For queries that take long. */
const FEW_RUNS = 3

const YEAR = { fromTimestamp: '2025-01-01T00:00:00.000000Z', toTimestamp: '2025-12-31T23:59:59.999000Z' }
const MONTH = { fromTimestamp: '2025-12-01T00:00:00.000000Z', toTimestamp: YEAR.toTimestamp }
/** The last tenth of the year, in which the month is. */
const LAST_TENTH = '2025-11-25T12:00:00Z'
const LAST_DAY = '2025-12-31T00:00:00Z'
const END_OF_YEAR = '2026-01-01T00:00:00Z'

type Question = Omit<BinRequest, 'vehicleId'>
const FLEET = { perVehicle: false, withTotals: false, binSize: 'DAY', timeZone: 'UTC' } as const
const FLEET_MONTH: Question = { ...FLEET, ...MONTH }
const FLEET_YEAR: Question = { ...FLEET, ...YEAR, binSize: 'MONTH' }

/**
 * GET /aggregations at the query level, over one connection, against `SELECT 1` over the same. Other benchmarks can not use
 * the database afterwards.
 */
export async function benchAggregations({ databaseUrl }: Pick<RunningService, 'databaseUrl'>): Promise<BenchResult[]> {
  const database = openDatabase({ url: databaseUrl, readerCount: 1 })
  try {
    const { year, tenth, tenYears } = await fill(database)
    const selectOne = () => database.rows(sql`select 1`)
    const ask = (accountId: number, question: Question) => () =>
      readBins(database, accountId, { vehicleId: undefined, ...question })

    const month = await compare(ask(year, FLEET_MONTH), selectOne)
    const wholeYear = await compare(ask(year, FLEET_YEAR), selectOne)
    const monthGrown = await compare(ask(year, FLEET_MONTH), ask(tenth, FLEET_MONTH))
    const yearGrown = await compare(ask(tenYears, FLEET_YEAR), ask(year, FLEET_YEAR))
    await printFigures(database, year)
    return [
      atMostThirtyTimes('Fleet-month, 31 days', month),
      atMostThirtyTimes('Fleet-year, 12 months', wholeYear),
      growth('Fleet-month with 10 times the history', monthGrown, '1,000,000 trips', '100,000 trips at the same rate'),
      growth('Fleet-year with 10 times the history', yearGrown, 'ten years of days', 'one year'),
    ]
  } finally {
    await database.close()
  }
}

/** @returns accounts with a year of trips, with the last tenth of such a year, and with ten such years of days. */
async function fill(database: Database): Promise<{ year: number; tenth: number; tenYears: number }> {
  await dropForeignKeysOfTrips(database)
  const year = await makeFleet(database, 'A year', VEHICLES)
  const tenth = await makeFleet(database, 'A tenth of a year', VEHICLES)
  await drive(database, year, { trips: TRIPS, openTrips: OPEN_TRIPS, from: YEAR.fromTimestamp, to: END_OF_YEAR })
  await drive(database, tenth, { trips: TRIPS / 10, openTrips: OPEN_TRIPS, from: LAST_TENTH, to: END_OF_YEAR })
  const tenYears = await makeFleet(database, 'Ten years', OPEN_TRIPS)
  await drive(database, tenYears, { trips: OPEN_TRIPS, openTrips: OPEN_TRIPS, from: LAST_DAY, to: END_OF_YEAR })
  await sumUpDays(database)
  // Days and open trips are what is read: nine million more trips would take too long to insert.
  await database.writers.query(
    `insert into account_days
      select $1, day - 365 * years, trips, metres_min, metres_max, metres_sum, seconds_min, seconds_max, seconds_sum
      from account_days, generate_series(0, 9) as years where account_id = $2`,
    [tenYears.accountId, year.accountId],
  )
  await database.writers.query('vacuum analyze account_days')
  return { year: year.accountId, tenth: tenth.accountId, tenYears: tenYears.accountId }
}

type Ask = () => Promise<unknown>

interface Compared {
  readonly ms: number
  readonly againstMs: number
  readonly runs: readonly number[]
}

/** Alternately, so that both run under the same load of a shared machine. */
async function compare(ask: Ask, against: Ask): Promise<Compared> {
  const askedMs: number[] = []
  const againstMs: number[] = []
  for (let run = 0; run < WARM_UP_RUNS + RUNS; run++) {
    againstMs.push(await timeMs(against))
    askedMs.push(await timeMs(ask))
  }
  const [measuredMs, limitMs] = [askedMs.slice(WARM_UP_RUNS), againstMs.slice(WARM_UP_RUNS)]
  return { ms: median(measuredMs), againstMs: median(limitMs), runs: pairRatios(measuredMs, limitMs) }
}

function atMostThirtyTimes(name: string, { ms, againstMs, runs }: Compared): BenchResult {
  return {
    name: `${name}, 1,000,000 trips, 2,000 vehicles`,
    measured: `${ms.toFixed(2)} ms`,
    against: `SELECT 1 over the same connection ${againstMs.toFixed(3)} ms`,
    ratio: ms / againstMs,
    target: { atMost: 30 },
    runs,
  }
}

function growth(name: string, { ms, againstMs, runs }: Compared, grown: string, small: string): BenchResult {
  return {
    name,
    measured: `${ms.toFixed(2)} ms with ${grown}`,
    against: `${againstMs.toFixed(2)} ms with ${small}`,
    ratio: ms / againstMs,
    target: { atMost: 1.2 },
    runs,
  }
}

/** What has no target. */
async function printFigures(database: Database, accountId: number): Promise<void> {
  const byVehicle = { ...FLEET_MONTH, perVehicle: true, binSize: 'MONTH' } as const
  const figures: [name: string, question: Question][] = [
    ['fleet-year, 365 days', { ...FLEET_YEAR, binSize: 'DAY' }],
    ['fleet-month that ends at noon', { ...FLEET_MONTH, toTimestamp: '2025-12-31T12:00:00.000000Z' }],
    ['fleet-month in Europe/Berlin', { ...FLEET_MONTH, timeZone: 'Europe/Berlin' }],
    ['fleet-year in Europe/Berlin', { ...FLEET_YEAR, timeZone: 'Europe/Berlin' }],
    ['month by VEHICLE', byVehicle],
    ['month by VEHICLE with running totals', { ...byVehicle, withTotals: true }],
    ['year by VEHICLE, 12 months', { ...byVehicle, ...YEAR }],
  ]
  for (const [name, question] of figures) {
    const runsMs: number[] = []
    let bins = 0
    for (let run = 0; run < FEW_RUNS; run++)
      runsMs.push(
        await timeMs(async () => {
          bins = (await readBins(database, accountId, { vehicleId: undefined, ...question })).length
        }),
      )
    console.log(`       Aggregations, ${name}: ${median(runsMs).toFixed(1)} ms for ${bins} bins`)
  }
}

async function timeMs(work: Ask): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
