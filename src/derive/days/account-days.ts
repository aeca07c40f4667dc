import { insertOf } from '../../db/bulk-rows.ts'
import type { Database } from '../../db/database.ts'
import { LOCK_KIND, LOCKS } from '../../db/locks.ts'
import { type Connection, sql } from '../../db/sql.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'

/** Keeps a transaction short, however long a replay was: it holds back the low watermark of *Sync*. */
const MOST_AT_ONCE = 100

/** Updates some due `account_days`, on one node at a time. Sums are read after the due row is deleted, so no change is
 * missed. @returns whether more days may be due; false also when another node is doing it */
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

/** The day of an account whose sums are not those of its vehicles. */
interface WrongAccountDay {
  readonly account_id: number
  readonly day: string
  /** Trips, metres and seconds; null where there is no row, or should be none. */
  readonly stored: string | null
  readonly right: string | null
}

/** Days of accounts that are wrong although nothing about them is due. */
export function readWrongAccountDays(connection: Connection): Promise<WrongAccountDay[]> {
  return connection.rows<WrongAccountDay>(sql`
    with summed as (
      select account_id, day, sum(trips) as trips, min(metres_min) as metres_min, max(metres_max) as metres_max,
        sum(metres_sum) as metres_sum, min(seconds_min) as seconds_min, max(seconds_max) as seconds_max,
        sum(seconds_sum) as seconds_sum
      from vehicle_days group by account_id, day
    )
    select account_id, day::text,
      case when a.trips is not null
        then format('%s trips, %s m, %s s', a.trips, a.metres_sum, a.seconds_sum) end as stored,
      case when s.trips is not null
        then format('%s trips, %s m, %s s', s.trips, s.metres_sum, s.seconds_sum) end as "right"
    from account_days a full join summed s using (account_id, day)
    where (a.trips, a.metres_min, a.metres_max, a.metres_sum, a.seconds_min, a.seconds_max, a.seconds_sum)
        is distinct from
        (s.trips, s.metres_min, s.metres_max, s.metres_sum, s.seconds_min, s.seconds_max, s.seconds_sum)
      and not exists (select from due_account_days d where d.account_id = coalesce(a.account_id, s.account_id)
        and d.day = coalesce(a.day, s.day))
    order by account_id, day`)
}

export async function letAccountDaysBeDue(transaction: Transaction, days: readonly WrongAccountDay[]): Promise<void> {
  const rows = days.map(({ account_id, day }) => ({ account_id, day }))
  await transaction.rows(insertOf('due_account_days', rows))
}
