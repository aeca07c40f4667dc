import { createHash } from 'node:crypto'
import { type Connection, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'

/** One failure a minute is forgiven; above `freeFailures` the next attempt waits 1, 2, 4, … s, up to `longestWaitS`. */
interface Patience {
  readonly freeFailures: number
  readonly longestWaitS: number
}

/** Short, because anybody who knows an e-mail address can make its owner wait by failing on purpose. */
const PER_LOGIN: Patience = { freeFailures: 5, longestWaitS: 8 }
/** Many people may share a network, but attackers have few of them. */
const PER_NETWORK: Patience = { freeFailures: 50, longestWaitS: 60 }

const FORGIVEN_AFTER_S = 60
/** A row is forgotten after this many minutes at most, so an attack leaves no long trace. */
const MOST_FAILURES = 60

export interface Attempt {
  /** The user or the address tried. */
  readonly login: string
  readonly network: string
  /** The user has logged in from there before. */
  readonly isKnown: boolean
}

/** A user's known networks are counted separately, so that an attack from elsewhere never makes the user wait there. */
const loginSubject = ({ login, network, isKnown }: Attempt) =>
  subjectOf(`login:${isKnown ? `${login} from ${network}` : login}`)

const networkSubject = ({ network }: Attempt) => subjectOf(`network:${network}`)

/** Seconds until the next attempt is allowed; 0 when it is allowed now. */
export async function remainingWaitS(connection: Connection, attempt: Attempt): Promise<number> {
  const login = loginSubject(attempt)
  const rows = await connection.rows<{ subject: Buffer; failures: number; agoS: number }>(
    sql`
      select subject, extract(epoch from forgiven - last_failure) / ${FORGIVEN_AFTER_S}::float8 as failures,
        extract(epoch from clock_timestamp() - last_failure) as "agoS"
      from failed_logins where subject = any(${[login, networkSubject(attempt)]})`,
    { prepareAs: 'failed-logins' },
  )
  const waitsS = rows.map(({ subject, failures, agoS }) => {
    const { freeFailures, longestWaitS } = subject.equals(login) ? PER_LOGIN : PER_NETWORK
    const excess = failures - freeFailures
    return excess <= 0 ? 0 : Math.min(2 ** (excess - 1), longestWaitS) - agoS
  })
  return Math.max(0, ...waitsS, await hourlyWaitS(connection, attempt))
}

/** The table stays bounded: a failure adds one row, which lives for a minute, and takes the time of argon2. */
export async function recordFailure(transaction: Transaction, attempt: Attempt): Promise<void> {
  await transaction.rows(
    sql`
      insert into failed_logins (subject, last_failure, forgiven)
      select subject, now(), now() + ${FORGIVEN_AFTER_S}::float8 * interval '1 second'
      from unnest(${[loginSubject(attempt), networkSubject(attempt)]}::bytea[]) as subject
      order by subject
      on conflict (subject) do update set last_failure = now(), forgiven = least(
        greatest(failed_logins.forgiven, now()) + ${FORGIVEN_AFTER_S}::float8 * interval '1 second',
        now() + ${FORGIVEN_AFTER_S * MOST_FAILURES}::float8 * interval '1 second')`,
    { prepareAs: 'record-failed-login' },
  )
  await sweepForgiven(transaction, 'failed_logins')
  await recordGuess(transaction, attempt)
}

/** How many wrong passwords are allowed at once, and how many more in each hour after that. */
interface Allowance {
  readonly atOnce: number
  readonly anHour: number
}

/** At most a hundred wrong passwords an hour for one user (ASVS 2.2.1): 60 from unknown places, 24 from known ones, so
 * that attacks do not lock users out at home. The rest is a reserve for nodes that check at the same time. */
const ELSEWHERE: Allowance = { atOnce: 34, anHour: 26 }
const KNOWN_PLACES: Allowance = { atOnce: 16, anHour: 8 }
const ONE_KNOWN_PLACE: Allowance = { atOnce: 10, anHour: 5 }

function budgetsOf({ login, network, isKnown }: Attempt): readonly (readonly [name: string, Allowance])[] {
  return isKnown
    ? [
        [`${login} where it is known`, KNOWN_PLACES],
        [`${login} from ${network}`, ONE_KNOWN_PLACE],
      ]
    : [[`${login} elsewhere`, ELSEWHERE]]
}

/** Seconds until another guess is allowed for the user; 0 or less when it is allowed now. */
async function hourlyWaitS(connection: Connection, attempt: Attempt): Promise<number> {
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

async function recordGuess(transaction: Transaction, attempt: Attempt): Promise<void> {
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

/** Tables in which a row counts failures of a `subject` until they are all `forgiven`. */
const TABLES = { failed_logins: sql`failed_logins`, login_guesses: sql`login_guesses` } as const

/** Failures are counted by a digest, so that the table reveals no address and rows have the same size. */
function subjectOf(name: string): Buffer {
  return createHash('sha256').update(name).digest()
}

async function sweepForgiven(transaction: Transaction, table: keyof typeof TABLES): Promise<void> {
  const rows = TABLES[table]
  await transaction.rows(
    sql`
      delete from ${rows} where subject = any(array(
        select subject from ${rows} where forgiven < clock_timestamp() order by forgiven limit ${SWEEP_ROWS}
        for update skip locked))`,
    { prepareAs: `sweep-${table}` },
  )
}

const SWEEP_ROWS = 100
