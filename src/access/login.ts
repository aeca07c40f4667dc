import { createHash } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { type Statement, sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { type Attempt, recordFailure, remainingWaitS } from './failed-logins.ts'
import { attemptGate, ofAccount, passwordGate } from './gate.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { type Actor, lineOfUser, writeLines } from './security-log.ts'
import { endLogins, type IssuedTokens, issueTokens, type TokenTerms } from './tokens.ts'

interface Credentials {
  readonly email: string
  readonly password: string
}

export interface LoginTerms extends TokenTerms {
  /** The client's network, which it cannot change at will; see `clientNetwork`. */
  readonly network: string
}

type LoginOutcome =
  | { readonly kind: 'admitted'; readonly tokens: IssuedTokens }
  | { readonly kind: 'refused' }
  /** After repeated failures: the password was not checked. */
  | { readonly kind: 'slowed'; readonly waitS: number; readonly user: Actor | undefined }

/** Wrong password and unknown user take the same steps. @throws ClientError 503 when too many wait */
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
  readonly isKnownHere: boolean
}

const actorOf = ({ id, accountId, email }: LoginUser): Actor => ({ accountId, kind: 'user', id, name: email })

async function findAttempt(
  database: Database,
  email: string,
  network: string,
): Promise<{ readonly user: LoginUser | undefined; readonly attempt: Attempt; readonly waitS: number }> {
  // PostgreSQL cannot store this character in a text, so no user has such an address.
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

interface OwnPasswordChange {
  readonly accountId: number
  readonly userId: number
  readonly currentPassword: string
  readonly newPassword: string
  /** The access token of the request: its login stays valid. */
  readonly token: string
  readonly network: string
  readonly address: string
}

type OwnPasswordOutcome =
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused' }
  /** After repeated failures: the password was not checked. */
  | { readonly kind: 'slowed'; readonly waitS: number }

/** Wrong passwords count like failed logins from a known place, so that a stolen token gives no extra guesses. */
export function changeOwnPassword(database: Database, change: OwnPasswordChange): Promise<OwnPasswordOutcome> {
  const { accountId, userId, currentPassword, newPassword, network, address } = change
  const attempt: Attempt = { login: `user ${userId}`, network, isKnown: true }
  return passwordGate(async () => {
    const waitS = await remainingWaitS(database.checks, attempt)
    if (waitS > 0) return { kind: 'slowed', waitS }
    const [user] = await database.checks.rows<{ passwordHash: string }>(
      sql`select password_hash as "passwordHash" from users where id = ${userId} and revoked is null`,
    )
    const isRight = await verifyPassword(user?.passwordHash, currentPassword)
    const passwordHash = isRight ? await hashPassword(newPassword) : undefined
    return writeTransaction(database, async transaction => {
      if (user && passwordHash !== undefined && (await replace(transaction, change, user.passwordHash, passwordHash)))
        return { kind: 'changed' }
      await recordFailure(transaction, attempt)
      const details = { while: 'changing the password' }
      await writeLines(transaction, [await lineOfUser(transaction, userId, 'login-failed', address, details)])
      return { kind: 'refused' }
    })
  }, ofAccount(accountId))
}

/** @returns false when it was changed in the meantime. */
async function replace(
  transaction: Transaction,
  { userId, token, address }: OwnPasswordChange,
  formerHash: string,
  passwordHash: string,
): Promise<boolean> {
  const changed = await transaction.rows(sql`
    update users set password_hash = ${passwordHash}
    where id = ${userId} and password_hash = ${formerHash} and revoked is null returning id`)
  if (changed.length === 0) return false
  await endLogins(transaction, userId, token)
  await writeLines(transaction, [await lineOfUser(transaction, userId, 'password-changed', address)])
  return true
}

/** A network is forgotten after this long without a login from it, or after this many newer ones. */
const REMEMBERED_DAYS = 180
const MOST_NETWORKS = 20

/** A condition on the row of `users`: has logged in from there before. */
const isKnownAt = (network: string): Statement => sql`
  exists (
    select from known_networks k
    where k.user_id = users.id and k.network = sha256(convert_to(users.id || ' ' || ${network}, 'UTF8'))
      and k.last_login > clock_timestamp() - ${REMEMBERED_DAYS}::integer * interval '1 day')`

async function rememberNetwork(transaction: Transaction, userId: number, network: string): Promise<void> {
  await transaction.rows(
    sql`
      insert into known_networks (user_id, network)
      values (${userId}, ${createHash('sha256').update(`${userId} ${network}`).digest()})
      on conflict (user_id, network) do update set last_login = clock_timestamp()`,
    { prepareAs: 'remember-network' },
  )
  await transaction.rows(
    sql`
      delete from known_networks where user_id = ${userId} and network in (
        select network from known_networks where user_id = ${userId} order by last_login desc offset ${MOST_NETWORKS})`,
    { prepareAs: 'forget-networks' },
  )
}

/** At most this many are remembered; the least recently seen one is forgotten first. */
const MOST_FAMILIAR = 10_000

const networks = new Set<string>()

/** Attempts from networks where this process has seen the user need not wait for the lookups of all others. */
const familiarNetworks = {
  has: (network: string): boolean => networks.has(network),
  add(network: string): void {
    networks.delete(network)
    networks.add(network)
    const [oldest] = networks
    if (networks.size > MOST_FAMILIAR && oldest !== undefined) networks.delete(oldest)
  },
}
