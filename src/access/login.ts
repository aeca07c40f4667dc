import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type Attempt, recordFailure, remainingWaitS } from './failed-logins.ts'
import { familiarNetworks } from './familiar-networks.ts'
import { isKnownAt, rememberNetwork } from './known-networks.ts'
import { attemptGate, ofAccount, passwordGate } from './password-gate.ts'
import { verifyPassword } from './passwords.ts'
import type { Actor } from './security-log/line.ts'
import { writeLines } from './security-log/lines.ts'
import { type IssuedTokens, issueTokens, type TokenTerms } from './tokens.ts'

interface Credentials {
  readonly email: string
  readonly password: string
}

export interface LoginTerms extends TokenTerms {
  /** The client's network, which it can not change at will; see `clientNetwork`. */
  readonly network: string
}

type LoginOutcome =
  | { readonly kind: 'admitted'; readonly tokens: IssuedTokens }
  | { readonly kind: 'refused' }
  /** After repeated failures: the password was not checked. */
  | { readonly kind: 'slowed'; readonly waitS: number; readonly user: Actor | undefined }

/**
 * Checks a password and issues tokens. Wrong password and unknown user take the same steps.
 * @throws ClientError 503 when too many wait; callers that are not known there can cause this only for one another.
 */
export async function logIn(
  database: Database,
  { email, password }: Credentials,
  terms: LoginTerms,
): Promise<LoginOutcome> {
  const { network } = terms
  const { user, attempt, waitS } = await attemptGate(() => findAttempt(database, email, network), {
    name: network,
    isKnown: familiarNetworks.has(network),
  })
  const slowed = (seconds: number) => ({ kind: 'slowed', waitS: seconds, user: user && actorOf(user) }) as const
  if (waitS > 0) return slowed(waitS)
  return passwordGate(
    async () => {
      // Other attempts may have failed while this one waited for its turn.
      const nowWaitS = await remainingWaitS(database.checks, attempt)
      if (nowWaitS > 0) return slowed(nowWaitS)
      const isRight = await verifyPassword(user?.passwordHash, password)
      const tokens = user && isRight ? await admit(database, user, terms) : undefined
      if (tokens) {
        familiarNetworks.add(network)
        return { kind: 'admitted', tokens }
      }
      await writeTransaction(database, async transaction => {
        await recordFailure(transaction, attempt)
        if (user)
          await writeLines(transaction, [{ kind: 'login-failed', actor: actorOf(user), address: terms.address }])
      })
      return { kind: 'refused' }
    },
    user && attempt.isKnown ? ofAccount(user.accountId) : { name: network, isKnown: false },
  )
}

/** @returns undefined when the password was changed or the user was removed since it was found. */
function admit(database: Database, found: LoginUser, terms: LoginTerms): Promise<IssuedTokens | undefined> {
  return writeTransaction(database, async transaction => {
    const [user] = await transaction.rows<{ id: number }>(
      sql`
        update users set last_login = clock_timestamp()
        where id = ${found.id} and password_hash = ${found.passwordHash} and revoked is null
        returning id`,
      { prepareAs: 'admit' },
    )
    if (!user) return undefined
    await rememberNetwork(transaction, user.id, terms.network)
    await writeLines(transaction, [{ kind: 'login', actor: actorOf(found), address: terms.address }])
    return issueTokens(transaction, user.id, terms)
  })
}

interface LoginUser {
  readonly id: number
  readonly accountId: number
  readonly email: string
  readonly passwordHash: string
  /** Has logged in from this network before. */
  readonly isKnownHere: boolean
}

const actorOf = ({ id, accountId, email }: LoginUser): Actor => ({ accountId, kind: 'user', id, name: email })

async function findAttempt(
  database: Database,
  email: string,
  network: string,
): Promise<{ readonly user: LoginUser | undefined; readonly attempt: Attempt; readonly waitS: number }> {
  // PostgreSQL can not store this character in a text, so no user has such an address.
  const sought = email.replaceAll('\0', '\ufffd')
  const [user] = await database.checks.rows<LoginUser>(
    sql`
      select id, account_id as "accountId", email, password_hash as "passwordHash", ${isKnownAt(network)} as "isKnownHere"
      from users where lower(email) = lower(${sought}) and revoked is null`,
    { prepareAs: 'find-login' },
  )
  if (user?.isKnownHere) familiarNetworks.add(network)
  const attempt: Attempt = {
    login: user ? `user ${user.id}` : `address ${email.toLowerCase()}`,
    network,
    isKnown: user?.isKnownHere ?? false,
  }
  return { user, attempt, waitS: await remainingWaitS(database.checks, attempt) }
}
