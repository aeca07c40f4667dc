import { insertOf } from '../../db/bulk-rows.ts'
import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'

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

/** Marks days as due, as after a change of their trips. */
export async function letAccountDaysBeDue(transaction: Transaction, days: readonly WrongAccountDay[]): Promise<void> {
  const rows = days.map(({ account_id, day }) => ({ account_id, day }))
  await transaction.rows(insertOf('due_account_days', rows))
}
