import type { Database } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { takeShards } from '../src/derive/backlog/take-shards.ts'
import { reconcileDevice } from '../src/derive/out-of-order/reconcile.ts'
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
  readonly outOfOrder: number
  readonly assignments: number
  readonly waiting: number
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
 * @throws when it takes too long, and at once when the database can not be asked
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
  if (due && due.outOfOrder + due.assignments > 0)
    await database.rows(sql`
      update device_states set last_received = last_received - interval '10 s' where device_id in (
        select device_id from device_states
        where (dirty_from is not null or assignments_due) and last_received > clock_timestamp() - interval '10 s'
        for update skip locked)`)
  clock.hurry(due && due.silent > 0 ? LONGEST_REST_MS : undefined)
}

async function whatIsDue(database: Database, silentOf: readonly DeviceId[] | null): Promise<Due | undefined> {
  const [due] = await database.rows<Due>(
    sql`
      select
        (select count(*)::integer from device_states where dirty_from is not null) as "outOfOrder",
        (select count(*)::integer from device_states where assignments_due) as assignments,
        (select count(*)::integer from shards where backlog_since is not null) as waiting,
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

/** Derives what dongles sent a moment ago and what is stored only, as it is while many of them report. */
export async function deriveWaiting(database: Database): Promise<void> {
  const waiting = await database.rows<{ shard: number }>(
    sql`select shard from shards where backlog_since is not null order by shard`,
  )
  const shards = waiting.map(({ shard }) => shard)
  if (shards.length > 0)
    await writeTransaction(database, transaction => takeShards(transaction, shards, undefined, 'guest'))
}

/** Derives what is due for dongles, where no service does it: what waits, out-of-order samples, and in which car they are. */
export async function settleDevices(database: Database): Promise<void> {
  await deriveWaiting(database)
  while (true) {
    const due = await database.rows<{ device_id: DeviceId }>(
      sql`select device_id from device_states where dirty_from is not null or assignments_due order by device_id`,
    )
    if (due.length === 0) return
    for (const { device_id } of due) await reconcileDevice(database, device_id)
  }
}
