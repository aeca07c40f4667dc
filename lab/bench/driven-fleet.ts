import { ensureAccount } from '../../src/access/accounts.ts'
import type { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { refreshAccountDays } from '../../src/derive/days/account-days.ts'
import { rebuildDays } from '../../src/derive/days/vehicle-days.ts'

/** An account with vehicles; the ids of its devices follow one another, and those of its vehicles. */
interface DrivenFleet {
  readonly accountId: number
  readonly vehicles: number
  readonly firstDeviceId: number
  readonly firstVehicleId: number
}

/** Makes an account with vehicles that have not driven yet. */
export async function makeFleet(database: Database, name: string, vehicles: number): Promise<DrivenFleet> {
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

/** Trips of a fleet at equal distances of time, the last ones of them open. */
interface Drive {
  readonly trips: number
  readonly openTrips: number
  readonly from: string
  readonly to: string
}

/** Short enough for the longest time that a statement may take. */
const TRIPS_AT_ONCE = 100_000

/** Lets a fleet drive, two trips of a vehicle in a row, with an odometer in every other vehicle. */
export async function drive(database: Database, fleet: DrivenFleet, driven: Drive): Promise<void> {
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

/** Sums up the days of all fleets, and lets PostgreSQL settle. */
export async function sumUpDays(database: Database): Promise<void> {
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
export async function dropForeignKeysOfTrips(database: Database): Promise<void> {
  const keys = await database.rows<{ name: string }>(
    sql`select conname as name from pg_constraint where conrelid = 'trips'::regclass and contype = 'f'`,
  )
  for (const { name } of keys) await database.writers.query(`alter table trips drop constraint ${name}`)
}
