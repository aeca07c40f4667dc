import type { Database } from '../src/db/database.ts'
import { lockVehicles } from '../src/db/shards.ts'
import { sql } from '../src/db/sql.ts'
import type { Transaction } from '../src/db/transaction.ts'
import { rebuildDaysOf } from '../src/derive/days/vehicle-days.ts'
import { deriveDue, deriveTogether } from '../src/derive/derive.ts'
import { readAllDue } from '../src/derive/due.ts'
import { markSilent } from '../src/derive/silence.ts'
import type { DeviceId } from '../src/model/sample.ts'
import { eventually } from './eventually.ts'
import { type AdvancingClock, LONGEST_REST_MS } from './test-clock.ts'

/** The clock of the service that works on a database. */
const clocks = new WeakMap<Database, AdvancingClock>()

/** Whoever waits until the database is settled does not wait for the rests of this service's jobs. */
export function settledByHurrying(database: Database, clock: AdvancingClock): void {
  clocks.set(database, clock)
}

interface Due {
  readonly devices: number
  readonly addresses: number
  readonly days: number
  /** Trips of dongles that fell silent while driving. */
  readonly silent: number
}

interface SettledOptions {
  readonly patienceMs?: number
  /** Of these devices alone trips must have ended. */
  readonly silentOf?: readonly DeviceId[]
}

/**
 * Waits until everything that follows from the samples is derived.
 * @throws when it takes too long, and at once when the database cannot be asked
 */
export async function settled(database: Database, options: SettledOptions = {}): Promise<void> {
  const { patienceMs, silentOf = null } = options
  const failure = await eventually(async () => {
    let due: Due | undefined
    try {
      due = await whatIsDue(database, silentOf)
    } catch (error) {
      return { error }
    }
    if (due && Object.values(due).every(count => count === 0)) return undefined
    await hurry(database, due)
    throw new Error(`not settled: ${JSON.stringify(due)}`)
  }, patienceMs)
  if (failure) throw failure.error
}

/** Ends the rests of the service's jobs, and lets a burst of out-of-order samples be over at once. */
async function hurry(database: Database, due: Due | undefined): Promise<void> {
  const clock = clocks.get(database)
  if (!clock) return
  // Whoever has locked a row just now is not waited for, as it may wait for another one.
  if (due && due.devices > 0)
    await database.rows(sql`
      update due set received = received - interval '10 s', since = since - interval '20 s' where (device_id, kind) in (
        select device_id, kind from due where since > clock_timestamp() - interval '20 s' for update skip locked)`)
  clock.hurry(due && due.silent > 0 ? LONGEST_REST_MS : undefined)
}

async function whatIsDue(database: Database, silentOf: readonly DeviceId[] | null): Promise<Due | undefined> {
  const [due] = await database.rows<Due>(
    sql`
      select
        (select count(*)::integer from due where priority <= 3) as devices,
        (select count(*)::integer from addresses where found is null) as addresses,
        (select count(*)::integer from due_account_days) as days,
        (select count(*)::integer from trips t
          left join device_states s on s.device_id = t.device_id and s.trip_id = t.id
          where t.is_open and (${silentOf}::bigint[] is null or t.device_id = any(${silentOf}))
            and coalesce(s.trip_silent_from, t.end_time) < clock_timestamp()) as silent`,
    // To plan it takes six times as long as to run it.
    { prepareAs: 'due' },
  )
  return due
}

/** Derives what dongles sent in order, which is done at once while a service runs. */
export async function deriveWaiting(database: Database): Promise<void> {
  for (const { deviceId, kind } of await readAllDue(database))
    if (kind === 'samples') await deriveTogether(database, [deviceId])
}

/** Derives what is due of dongles, where no service does it. */
export async function settleDevices(database: Database): Promise<void> {
  for (;;) {
    const due = await readAllDue(database)
    if (due.length === 0) return
    for (const device of due) await deriveDue(database, device)
  }
}

/** Ends what goes on at silent dongles, where no service does it. @returns how many dongles fell silent */
export async function endSilent(database: Database): Promise<number> {
  const count = await markSilent(database, new Map())
  for (const { deviceId } of await readAllDue(database)) await deriveTogether(database, [deviceId])
  return count
}

/** Computes all days of vehicles again. @returns how many were wrong */
export async function rebuildDays(transaction: Transaction): Promise<number> {
  const vehicles = await transaction.rows<{ id: number }>(
    sql`select vehicle_id as id from vehicle_days union select vehicle_id from trips`,
  )
  const ids = vehicles.map(({ id }) => id)
  return rebuildDaysOf(await lockVehicles(transaction, ids), ids)
}
