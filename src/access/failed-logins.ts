import type { Connection } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { subjectOf, sweepForgiven } from './forgiven-failures.ts'
import { hourlyWaitS, recordGuess } from './hourly-guesses.ts'

/**
 * How failures slow down the attempts that follow. Failures are forgiven one a minute; above `freeFailures` the next
 * attempt has to wait 1 s after the last one, then 2, 4, … up to `longestWaitS`.
 */
interface Patience {
  readonly freeFailures: number
  readonly longestWaitS: number
}

/** Short, because whoever knows an e-mail address can make its owner wait by failing on purpose. */
const PER_LOGIN: Patience = { freeFailures: 5, longestWaitS: 8 }
/** Many people may share a network, but it is what an attacker has few of. */
const PER_NETWORK: Patience = { freeFailures: 50, longestWaitS: 60 }

const FORGIVEN_AFTER_S = 60
/** A row is forgotten after this many minutes at most, so an attack leaves no long trace. */
const MOST_FAILURES = 60

/** A password that is to be tried. */
export interface Attempt {
  /** The user or the address tried. */
  readonly login: string
  readonly network: string
  /** Whether the user is known there. */
  readonly isKnown: boolean
}

/**
 * Whose failures count together. A user's own networks are counted by themselves, so an attack from elsewhere never
 * makes the user wait there.
 */
const loginSubject = ({ login, network, isKnown }: Attempt) =>
  subjectOf(`login:${isKnown ? `${login} from ${network}` : login}`)

const networkSubject = ({ network }: Attempt) => subjectOf(`network:${network}`)

/** How many seconds are left until a next attempt is admitted; 0 when it is now. */
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
 * Counts a failed login, and removes rows whose failures are all forgiven. One row a failure that lives a minute, and
 * failures take argon2's time: that is what bounds the table.
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
