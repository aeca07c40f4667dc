import { randomUUID } from 'node:crypto'
import { newSecret, secretHash } from './secrets.ts'
import { sql } from './sql.ts'
import type { Transaction } from './transaction.ts'

/** decisions.md, *Tokens*: renewed by every use. */
const REFRESH_TOKEN_LIFETIME_S = 180 * 24 * 60 * 60

/** More than one call adds, so that expired tokens go faster than new ones come. */
const SWEEP_ROWS = 100

export interface TokenTerms {
  /** Where the client is; see `clientNetwork`. */
  readonly network: string
  readonly accessTokenLifetimeS: number
}

export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInS: number
}

/**
 * Gives a user a new access token and a new refresh token; those issued before stay as they are.
 * @param login the login whose refresh token was used; a new one unless given
 */
export async function issueTokens(
  transaction: Transaction,
  userId: number,
  { network, accessTokenLifetimeS }: TokenTerms,
  login: string = randomUUID(),
): Promise<IssuedTokens> {
  const accessToken = newSecret()
  const refreshToken = newSecret()
  await transaction.rows(
    sql`
      insert into tokens (hash, kind, user_id, login, network, expires)
      values
        (${secretHash(accessToken)}, 'access', ${userId}, ${login}, ${network},
          clock_timestamp() + ${accessTokenLifetimeS}::float8 * interval '1 second'),
        (${secretHash(refreshToken)}, 'refresh', ${userId}, ${login}, ${network},
          clock_timestamp() + ${REFRESH_TOKEN_LIFETIME_S}::float8 * interval '1 second')`,
    { prepareAs: 'issue-tokens' },
  )
  await sweepTokens(transaction)
  return { accessToken, refreshToken, expiresInS: accessTokenLifetimeS }
}

/**
 * Exchanges a refresh token for new tokens. It stays valid itself, for its whole lifetime from now on: a public
 * client never stores the new one (decisions.md, *Tokens*).
 * @returns undefined when it is unknown, expired or revoked.
 */
export async function refreshTokens(
  transaction: Transaction,
  refreshToken: string,
  terms: TokenTerms,
): Promise<IssuedTokens | undefined> {
  const hash = secretHash(refreshToken)
  // Whoever ends logins of the user waits, and then ends the tokens that are issued here, too.
  await transaction.rows(
    sql`
      select from users where id = (select user_id from tokens where hash = ${hash} and kind = 'refresh')
      for share`,
    { prepareAs: 'hold-login' },
  )
  const [token] = await transaction.rows<{ userId: number; login: string }>(
    sql`
      update tokens set expires = clock_timestamp() + ${REFRESH_TOKEN_LIFETIME_S}::float8 * interval '1 second'
      from users
      where tokens.hash = ${hash} and tokens.kind = 'refresh'
        and tokens.expires > clock_timestamp() and users.id = tokens.user_id and users.revoked is null
      returning tokens.user_id as "userId", tokens.login`,
    { prepareAs: 'use-refresh-token' },
  )
  return token && issueTokens(transaction, token.userId, terms, token.login)
}

/**
 * Makes a token invalid: an access token alone, a refresh token with all tokens of the same login (RFC 7009, 2.1). One
 * that is unknown, or no token of a user, is passed over.
 */
export async function revokeToken(transaction: Transaction, token: string): Promise<void> {
  const hash = secretHash(token)
  const [ended] = await transaction.rows<{ kind: 'access' | 'refresh'; login: string }>(
    sql`
      select tokens.kind, tokens.login from tokens join users on users.id = tokens.user_id
      where tokens.hash = ${hash} for no key update of users`,
    { prepareAs: 'hold-token' },
  )
  if (!ended) return
  // A statement of its own, so that it sees what a refresh that was waited for has issued.
  await transaction.rows(
    ended.kind === 'refresh'
      ? sql`delete from tokens where login = ${ended.login}`
      : sql`delete from tokens where hash = ${hash}`,
  )
}

/** Ends all logins of a user. The caller has changed the user in this transaction, so that nobody issues tokens meanwhile. */
export async function endLogins(transaction: Transaction, userId: number): Promise<void> {
  await transaction.rows(sql`delete from tokens where user_id = ${userId}`)
}

/** Removes some expired tokens; rows that another node is removing are left to it. */
async function sweepTokens(transaction: Transaction): Promise<void> {
  await transaction.rows(
    sql`
      delete from tokens where hash = any(array(
        select hash from tokens where expires < clock_timestamp() order by expires limit ${SWEEP_ROWS}
        for update skip locked))`,
    { prepareAs: 'sweep-tokens' },
  )
}
