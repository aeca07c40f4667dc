import { rm } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { Client } from 'pg'
import { pino } from 'pino'
import { ensureAccount, ensureFirstAccount } from '../../src/access/accounts.ts'
import { readBins } from '../../src/api/v2/aggregations/query.ts'
import { readTimePage } from '../../src/api/v2/events/events.ts'
import { selectTypes } from '../../src/api/v2/events/query.ts'
import { listTrips } from '../../src/api/v2/trips.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrations.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { instantOfMs } from '../../src/db/values.ts'
import { refreshAccountDays } from '../../src/derive/days/account-days.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { startEmbeddedServer } from '../../src/server/embedded/server.ts'
import type { Instant } from '../../src/server/http/timestamps.ts'
import { Partitions } from '../../src/store/index.ts'
import { makeDatabaseFolder } from '../../test/database-folder.ts'
import { rebuildDays } from '../../test/settled.ts'
import { drivingSample, insertRows, registerWithReach } from './made-samples.ts'
import { type BenchResult, elapsedInTurn, limited, median, pairRatios } from './result.ts'

const DAY_MS = 86_400_000
const CARS = 10
const FIRST_DEVICE = 356_307_042_800_000
/** A month, so that the fleet-month is whole also in the shortest history. */
const LEAST_DAYS = 31
const TIMES = [1, 10, 100] as const
const TRIPS_A_DAY = 2
const SAMPLES_A_DAY = 50
/**
 * The other tenants of an installation with 1,000 cars; only their trips and days are there. An index gets a level at some 200 and some
 * 50,000 rows, and each level is a page more to read: in a database of ten cars, both would come between a month and a hundred.
 */
const OTHERS = { accounts: 11, cars: 90 }
/** As the service has them by default: older samples are in tables of years. */
const HOT_DAYS = 400
const DAYS_AT_ONCE = 50
const WARM_UP_RUNS = 20
const RUNS = 100
const ALL_EVENTS = 100_000

interface History {
  readonly times: number
  readonly database: Database
  readonly accountId: number
}

type Read = (history: History) => Promise<unknown>

const END_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS

/** As the API reads them, without HTTP; ten cars of a thousand, two trips and fifty samples a day, 1 to 100 months. */
export async function benchGrowth(): Promise<BenchResult[]> {
  const folder = await makeDatabaseFolder('tacho-bench-')
  const server = await startEmbeddedServer({ folder, log: pino({ level: 'silent' }) })
  const histories: History[] = []
  try {
    for (const times of TIMES) histories.push(await makeHistory(server, times))
    return [
      ...(await growthOf('a vehicle-day whole', histories, readVehicleDay)),
      ...(await growthOf('fleet-month', histories, readFleetMonth)),
      ...(await growthOf('a page of trips', histories, readTripPage)),
    ]
  } finally {
    for (const { database } of histories) await database.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function readVehicleDay({ database, accountId }: History): Promise<void> {
  const query = {
    fromTimestamp: instantOfMs(END_MS - 3 * DAY_MS) as Instant,
    toTimestamp: instantOfMs(END_MS - 2 * DAY_MS - 1) as Instant,
  }
  const scope = { accountId, deviceId: FIRST_DEVICE as DeviceId, vehicleId: undefined, tripId: undefined }
  const selection = selectTypes(undefined, new Set())
  const request = { scope, selection, query, limit: ALL_EVENTS }
  const { page } = await readTimePage(database.readsOf(accountId), request)
  let length = 0
  for (const text of page.texts()) length += text.length
  if (length === 0) throw new Error('a day without events')
}

async function readFleetMonth({ database, accountId }: History): Promise<void> {
  const bins = await readBins(database.readsOf(accountId), accountId, {
    vehicleId: undefined,
    perVehicle: false,
    withTotals: false,
    binSize: 'DAY',
    timeZone: 'UTC',
    fromTimestamp: instantOfMs(END_MS - LEAST_DAYS * DAY_MS),
    toTimestamp: instantOfMs(END_MS - 1),
  })
  if (bins.length !== LEAST_DAYS) throw new Error(`${bins.length} days in a month`)
}

async function readTripPage({ database, accountId }: History): Promise<void> {
  const { rows } = await listTrips(database.readsOf(accountId), accountId, { maxResults: 100 })
  if (rows.length !== 100) throw new Error(`${rows.length} trips on a page`)
}

async function growthOf(what: string, histories: readonly History[], read: Read): Promise<BenchResult[]> {
  const ms = await elapsedInTurn(
    { warmUp: WARM_UP_RUNS, runs: RUNS },
    histories.map(history => () => read(history)),
  )
  const pages: number[] = []
  for (const history of histories) pages.push(await pagesReadBy(() => read(history)))
  const [shortMs = [], shortPages = 0] = [ms[0], pages[0]]
  return TIMES.flatMap((times, index) => {
    const [longMs = [], longPages = 0] = [ms[index], pages[index]]
    if (times === 1) return []
    return [
      {
        name: `Growth, ${what}, ${times} times the history`,
        measured: `${median(longMs).toFixed(2)} ms`,
        against: `${median(shortMs).toFixed(2)} ms with a month of history`,
        ratio: median(longMs) / median(shortMs),
        target: { atMost: 1.2 },
        runs: pairRatios(longMs, shortMs),
      },
      limited(`Growth, ${what}, ${times} times the history: pages`, longPages, shortPages, {
        measured: `${longPages} pages read`,
        against: `${shortPages} with a month of history`,
      }),
    ]
  })
}

async function makeHistory(
  server: { readonly url: string; readonly adminUrl: string },
  times: number,
): Promise<History> {
  const name = `months_${times}`
  const admin = new Client({ connectionString: server.adminUrl })
  await admin.connect()
  const [{ owner } = { owner: '' }] = (
    await admin.query<{ owner: string }>(
      `select pg_get_userbyid(datdba) as owner from pg_database where datname = 'tacho'`,
    )
  ).rows
  await admin.query(`create database ${name} owner ${admin.escapeIdentifier(owner)}`)
  await admin.end()
  const url = server.url.replace(/\/tacho(?=\?|$)/, `/${name}`)
  await migrate(url)
  const database = openDatabase({ url, readerCount: 1 })
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  await fill(database, accountId, LEAST_DAYS * times)
  return { times, database, accountId }
}

async function fill(database: Database, accountId: number, days: number): Promise<void> {
  const startMs = END_MS - days * DAY_MS
  const range = { fromMs: startMs, toMs: END_MS }
  await registerWithReach(database, { accountId, firstDeviceId: FIRST_DEVICE, count: CARS, ...range })
  const partitions = new Partitions(database, { hotDays: HOT_DAYS })
  await partitions.ensure(Array.from({ length: days }, (_, day) => startMs + day * DAY_MS))
  for (let first = 0; first < days; first += DAYS_AT_ONCE)
    await insertRows(database, samplesOfDays(startMs, first, Math.min(days, first + DAYS_AT_ONCE)))
  await dropForeignKeysOfTrips(database)
  const [vehicle] = await database.rows<{ id: number }>(
    sql`select min(id) as id from vehicles where account_id = ${accountId}`,
  )
  const fleet = { accountId, vehicles: CARS, firstDeviceId: FIRST_DEVICE, firstVehicleId: vehicle?.id ?? 0 }
  const trips = days * CARS * TRIPS_A_DAY
  await drive(database, fleet, { trips, openTrips: CARS, from: instantOfMs(startMs), to: instantOfMs(END_MS) })
  await sumUpDays(database)
  await withoutIndexesOfTrips(database, () => addOthers(database, accountId, startMs, days))
  // As they come day by day, and not in the order in which a whole history was summed up here.
  await database.writers.query('create index by_day on account_days (day)')
  await database.writers.query('cluster account_days using by_day')
  await database.writers.query('drop index by_day')
  await database.writers.query('cluster vehicle_days using vehicle_days_by_account')
  await database.writers.query('vacuum analyze')
  await database.writers.query('checkpoint')
}

function samplesOfDays(startMs: number, fromDay: number, toDay: number): Sample[] {
  const samples: Sample[] = []
  for (let day = fromDay; day < toDay; day++)
    for (let car = 0; car < CARS; car++)
      for (let step = 0; step < SAMPLES_A_DAY; step++)
        samples.push(drivingSample(FIRST_DEVICE + car, startMs + day * DAY_MS + (step * DAY_MS) / SAMPLES_A_DAY, step))
  return samples
}

/** Their days are those of the account itself: how many they are is what counts. */
async function addOthers(database: Database, accountId: number, startMs: number, days: number): Promise<void> {
  const { accounts, cars } = OTHERS
  for (let other = 0; other < accounts; other++) {
    const fleet = await makeFleet(database, `Other ${other}`, cars)
    const trips = days * cars * TRIPS_A_DAY
    await drive(database, fleet, { trips, openTrips: cars, from: instantOfMs(startMs), to: instantOfMs(END_MS) })
    await database.rows(sql`
      insert into account_days
      select ${fleet.accountId}, day, trips, metres_min, metres_max, metres_sum, seconds_min, seconds_max, seconds_sum
      from account_days where account_id = ${accountId}`)
  }
}

/** To make the indexes of six million trips at the end takes less than to insert into each of them six million times. */
async function withoutIndexesOfTrips(database: Database, work: () => Promise<void>): Promise<void> {
  const indexes = await database.rows<{ name: string; statement: string }>(sql`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as statement
    from pg_index where indrelid = 'trips'::regclass and not indisprimary`)
  for (const { name } of indexes) await database.writers.query(`drop index ${name}`)
  await work()
  for (const { statement } of indexes) await database.writers.query(statement)
}

type Explained = readonly [
  { readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number } },
]

interface Asked {
  readonly text?: unknown
  readonly values?: unknown[]
  /** Of a command that is no plain query, such as COPY: runs itself over a connection. */
  readonly submit?: (connection: { query(text: string): void; readonly stream: PassThrough }) => void
}

interface Explaining {
  readonly text: string
  readonly values: unknown[]
}

type Query = (this: Client, ...asked: unknown[]) => unknown

/** Each statement is explained first, over its connection; pages that planning reads are the same few, not counted. */
async function pagesReadBy(work: () => Promise<unknown>): Promise<number> {
  const prototype = Client.prototype as unknown as { query: Query }
  const { query } = prototype
  const counts: Promise<number>[] = []
  prototype.query = function explainFirst(this: Client, ...asked: unknown[]) {
    const explaining = explained(asked[0] as Asked)
    if (explaining) counts.push(Promise.resolve(query.call(this, explaining)).then(pagesOf))
    return query.apply(this, asked)
  }
  try {
    await work()
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  } finally {
    prototype.query = query
  }
}

function explained(asked: Asked): Explaining | undefined {
  const { text, values = [] } = asked
  const isCommand = asked.submit !== undefined
  let statement = typeof text === 'string' ? text : ''
  // It only hands its text over, and would listen to the answer.
  asked.submit?.({
    stream: new PassThrough(),
    query(written) {
      statement = written
    },
  })
  const [, copied] = /^copy \((.*)\) to stdout \(format binary\)$/s.exec(statement) ?? []
  const plain = copied ?? statement
  if (!/^\s*(?:select|with)\b/i.test(plain)) return undefined
  return { text: `explain (analyze, buffers, format json) ${plain}`, values: isCommand ? [] : values }
}

function pagesOf(result: unknown): number {
  const { rows } = result as { rows: [{ 'QUERY PLAN': Explained }] }
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

interface DrivenFleet {
  readonly accountId: number
  readonly vehicles: number
  readonly firstDeviceId: number
  readonly firstVehicleId: number
}

async function makeFleet(database: Database, name: string, vehicles: number): Promise<DrivenFleet> {
  return writeTransaction(database, async transaction => {
    const { id: accountId } = await ensureAccount(transaction, name)
    const firstDeviceId = accountId * 1_000_000_000
    const revision = await transaction.takeRevisions(1)
    const made = await transaction.rows<{ id: number }>(sql`
      with made_devices as (
        insert into devices (id, modified)
        select id, ${revision} from generate_series(${firstDeviceId}::bigint, ${firstDeviceId + vehicles - 1}::bigint) as id
        returning id
      )
      insert into vehicles (account_id, first_device_id, modified)
      select ${accountId}, id, ${revision} from made_devices order by id returning id`)
    return { accountId, vehicles, firstDeviceId, firstVehicleId: made[0]?.id ?? 0 }
  })
}

interface Drive {
  readonly trips: number
  readonly openTrips: number
  readonly from: string
  readonly to: string
}

const TRIPS_AT_ONCE = 100_000

async function drive(database: Database, fleet: DrivenFleet, driven: Drive): Promise<void> {
  const { accountId, vehicles, firstDeviceId, firstVehicleId } = fleet
  const { trips, openTrips, from, to } = driven
  for (let first = 0; first < trips; first += TRIPS_AT_ONCE)
    await writeTransaction(database, transaction =>
      transaction.rows(sql`
        insert into trips (device_id, account_id, vehicle_id, start_time, end_time, is_open, distance_m, duration_s,
          meters, modified)
        select ${firstDeviceId}::bigint + car, ${accountId}, ${firstVehicleId}::bigint + car,
          start, start + interval '30 minutes', i >= ${trips - openTrips}, 1000 + i % 20011, 300 + i % 3001,
          case when car % 2 = 0 then jsonb_build_object('85', jsonb_build_object('start', i, 'end', i + 20)) else '{}' end,
          clock_timestamp()
        from (
          select i, i / 2 % ${vehicles} as car, date_trunc('milliseconds',
            ${from}::timestamptz + (${to}::timestamptz - ${from}::timestamptz) * (i / ${trips}::float8)) as start
          from generate_series(${first}::integer, ${Math.min(first + TRIPS_AT_ONCE, trips) - 1}::integer) as i
        ) as driven`),
    )
}

async function sumUpDays(database: Database): Promise<void> {
  await database.writers.query('analyze trips')
  await writeTransaction(database, transaction => rebuildDays(transaction))
  // The intake of the running service does the same; whichever is first.
  for (;;) {
    await refreshAccountDays(database)
    const due = await database.rows(sql`select from due_account_days limit 1`)
    if (due.length === 0) break
  }
  for (const table of ['trips', 'vehicle_days', 'account_days', 'due_account_days', 'vehicles'])
    await database.writers.query(`vacuum analyze ${table}`)
}

/** Looking up each key would take half of the time of filling. */
async function dropForeignKeysOfTrips(database: Database): Promise<void> {
  const keys = await database.rows<{ name: string }>(
    sql`select conname as name from pg_constraint where conrelid = 'trips'::regclass and contype = 'f'`,
  )
  for (const { name } of keys) await database.writers.query(`alter table trips drop constraint ${name}`)
}
