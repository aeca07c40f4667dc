import type { Connection } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Attempt } from './failed-logins.ts'
import { subjectOf, sweepForgiven } from './forgiven-failures.ts'

/** How many wrong passwords are allowed at once, and how many more in each hour after that. */
interface Allowance {
  readonly atOnce: number
  readonly anHour: number
}

/**
 * At most a hundred wrong passwords an hour for one user (ASVS 2.2.1): 60 from all places where the user is not known,
 * 24 from all known places. The rest is a reserve for attempts that several nodes check at the same time without
 * seeing each other. Guessing from elsewhere uses up only the first budget, and guessing from one of the user's networks
 * only that network's part of the second: the user can still log in from any other known place.
 */
const ELSEWHERE: Allowance = { atOnce: 34, anHour: 26 }
const KNOWN_PLACES: Allowance = { atOnce: 16, anHour: 8 }
const ONE_KNOWN_PLACE: Allowance = { atOnce: 10, anHour: 5 }

/** The budgets that a wrong password is charged to, by name. */
function budgetsOf({ login, network, isKnown }: Attempt): readonly (readonly [name: string, Allowance])[] {
  return isKnown
    ? [
        [`${login} where it is known`, KNOWN_PLACES],
        [`${login} from ${network}`, ONE_KNOWN_PLACE],
      ]
    : [[`${login} elsewhere`, ELSEWHERE]]
}

/** Seconds until another guess is allowed for the user; 0 or less when it is allowed now. */
export async function hourlyWaitS(connection: Connection, attempt: Attempt): Promise<number> {
  const budgets = budgetsOf(attempt)
  const rows = await connection.rows<{ subject: Buffer; usedS: number }>(
    sql`
      select subject, extract(epoch from forgiven - clock_timestamp()) as "usedS"
      from login_guesses where subject = any(${budgets.map(([name]) => subjectOf(name))})`,
    { prepareAs: 'hourly-guesses' },
  )
  const waitsS = budgets.map(([name, { atOnce, anHour }]) => {
    const used = rows.find(({ subject }) => subject.equals(subjectOf(name)))
    return (used?.usedS ?? 0) - (atOnce - 1) * secondsOf({ anHour })
  })
  return Math.max(0, ...waitsS)
}

/** Counts a wrong password, and removes rows whose failures are all forgiven. */
export async function recordGuess(transaction: Transaction, attempt: Attempt): Promise<void> {
  const budgets = budgetsOf(attempt)
  await transaction.rows(
    sql`
      insert into login_guesses (subject, forgiven)
      select subject, now() + seconds * interval '1 second'
      from unnest(${budgets.map(([name]) => subjectOf(name))}::bytea[],
        ${budgets.map(([, allowance]) => secondsOf(allowance))}::float8[]) as budget (subject, seconds)
      order by subject
      on conflict (subject) do update set forgiven =
        greatest(login_guesses.forgiven, now()) + (excluded.forgiven - now())`,
    { prepareAs: 'record-guess' },
  )
  await sweepForgiven(transaction, 'login_guesses')
}

/** After this time one more is allowed. */
const secondsOf = ({ anHour }: Pick<Allowance, 'anHour'>) => 3600 / anHour
