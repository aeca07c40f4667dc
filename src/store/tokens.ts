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

/** Gives a user a new access token and a new refresh token; those issued before stay as they are. */
export async function issueTokens(
  transaction: Transaction,
  userId: number,
  { network, accessTokenLifetimeS }: TokenTerms,
): Promise<IssuedTokens> {
  const accessToken = newSecret()
  const refreshToken = newSecret()
  await transaction.rows(
    sql`
      insert into tokens (hash, kind, user_id, network, expires)
      values
        (${secretHash(accessToken)}, 'access', ${userId}, ${network},
          clock_timestamp() + ${accessTokenLifetimeS}::float8 * interval '1 second'),
        (${secretHash(refreshToken)}, 'refresh', ${userId}, ${network},
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
  const [token] = await transaction.rows<{ userId: number }>(
    sql`
      update tokens set expires = clock_timestamp() + ${REFRESH_TOKEN_LIFETIME_S}::float8 * interval '1 second'
      from users
      where tokens.hash = ${secretHash(refreshToken)} and tokens.kind = 'refresh'
        and tokens.expires > clock_timestamp() and users.id = tokens.user_id and users.revoked is null
      returning tokens.user_id as "userId"`,
    { prepareAs: 'use-refresh-token' },
  )
  return token && issueTokens(transaction, token.userId, terms)
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
