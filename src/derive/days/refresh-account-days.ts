import type { Connection, Database } from '../../db/database.ts'
import { LOCK_KIND, LOCKS } from '../../db/locks.ts'
import { sql } from '../../db/sql.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'

/** Keeps a transaction short, however long a replay was: it holds back the low watermark of *Sync*. */
const MOST_AT_ONCE = 100

/**
 * Updates rows of `account_days` whose vehicles' days changed, some at a time. One node at a time does it.
 *
 * No change is missed: a row of `due_account_days` commits together with its vehicle days, and the sums
 * are computed by a statement after the one that deletes it, so they see at least these. What commits between the two is
 * summed now and, because its row is still there, once more. If two nodes did it at once, the one that read first could
 * write last.
 * @returns whether more days may be due; false also when another node is doing it.
 */
export async function refreshAccountDays(database: Database): Promise<boolean> {
  // Every commit notifies all nodes; an idle service must not.
  if (!(await isAnyDue(database))) return false
  return writeTransaction(database, async transaction => {
    const [lock] = await transaction.rows<{ mine: boolean }>(
      sql`select pg_try_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.accountDays}) as mine`,
    )
    if (!lock?.mine) return false
    const due = await takeDueDays(transaction)
    if (due.length > 0) await writeAccountDays(transaction, due)
    return due.length === MOST_AT_ONCE
  })
}

interface AccountDay {
  readonly account_id: number
  readonly day: string
}

/** Whether a day is to be summed up. */
export const ACCOUNT_DAYS_WAIT = sql`exists (select from due_account_days)`

async function isAnyDue(connection: Connection): Promise<boolean> {
  const [row] = await connection.rows<{ due: boolean }>(sql`select ${ACCOUNT_DAYS_WAIT} as due`, {
    prepareAs: 'account-days-due',
  })
  return row?.due ?? false
}

/** The days that have waited longest, one day of each account and then the next one of each. */
function takeDueDays(transaction: Transaction): Promise<AccountDay[]> {
  return transaction.rows<AccountDay>(
    sql`
      with oldest as (
        select account_id, day from due_account_days
        group by account_id, day
        order by row_number() over (partition by account_id order by min(id)), min(id) limit ${MOST_AT_ONCE}
      ),
      taken as (
        delete from due_account_days due using oldest
        where due.account_id = oldest.account_id and due.day = oldest.day
      )
      select account_id, day::text from oldest order by account_id, day`,
    { prepareAs: 'take-due-account-days' },
  )
}

async function writeAccountDays(transaction: Transaction, days: readonly AccountDay[]): Promise<void> {
  await transaction.rows(
    sql`
      with due as (
        select * from unnest(${days.map(day => day.account_id)}::integer[], ${days.map(day => day.day)}::date[])
          as due (account_id, day)
      ),
      summed as (
        select account_id, day, sum(d.trips) as trips,
          min(d.metres_min) as metres_min, max(d.metres_max) as metres_max, sum(d.metres_sum) as metres_sum,
          min(d.seconds_min) as seconds_min, max(d.seconds_max) as seconds_max, sum(d.seconds_sum) as seconds_sum
        from due left join vehicle_days d using (account_id, day) group by account_id, day
      ),
      emptied as (
        delete from account_days d using summed
        where summed.trips is null and d.account_id = summed.account_id and d.day = summed.day
      )
      insert into account_days (account_id, day, trips, metres_min, metres_max, metres_sum,
        seconds_min, seconds_max, seconds_sum)
      select account_id, day, trips, metres_min, metres_max, metres_sum, seconds_min, seconds_max, seconds_sum
      from summed where trips > 0
      on conflict (account_id, day) do update set
        trips = excluded.trips, metres_min = excluded.metres_min, metres_max = excluded.metres_max,
        metres_sum = excluded.metres_sum, seconds_min = excluded.seconds_min, seconds_max = excluded.seconds_max,
        seconds_sum = excluded.seconds_sum`,
    { prepareAs: 'refresh-account-days' },
  )
}
