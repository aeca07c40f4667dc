import type { Connection } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { subjectOf, sweepForgiven } from './forgiven-failures.ts'
import { hourlyWaitS, recordGuess } from './hourly-guesses.ts'

/**
 * How failures slow down further attempts. One failure a minute is forgiven; above `freeFailures` the next
 * attempt must wait 1 s after the last one, then 2, 4, … up to `longestWaitS`.
 */
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

/** A login attempt. */
export interface Attempt {
  /** The user or the address tried. */
  readonly login: string
  readonly network: string
  /** Whether the user has logged in from there before. */
  readonly isKnown: boolean
}

/**
 * What failures are counted by. A user's known networks are counted separately, so that an attack from elsewhere never
 * makes the user wait there.
 */
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

/**
 * Counts a failed login, and removes rows whose failures are all forgiven. The table is bounded because a failure adds
 * one row, which lives for a minute, and takes the time of argon2.
 */
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
