import { randomUUID } from 'node:crypto'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { newSecret, secretHash } from './passwords.ts'
import { lineOfUser, writeLines } from './security-log.ts'

/** decisions.md, *Tokens*: renewed by every use. */
const REFRESH_TOKEN_LIFETIME_S = 180 * 24 * 60 * 60

/** More than one call adds, so that expired tokens are removed faster than new ones are added. */
const SWEEP_ROWS = 100

export interface TokenTerms {
  readonly address: string
  readonly accessTokenLifetimeS: number
  /** The client stores the new refresh token of each reply, and asks that each is used once. */
  readonly rotates?: boolean | undefined
}

export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInS: number
}

interface Origin {
  /** The login whose refresh token was used. */
  readonly login: string
  readonly parent: Buffer | null
}

/** Issues a new access token and a new refresh token to a user, for a new login unless one is given. */
export async function issueTokens(
  transaction: Transaction,
  userId: number,
  { accessTokenLifetimeS, rotates = false }: TokenTerms,
  { login, parent }: Origin = { login: randomUUID(), parent: null },
): Promise<IssuedTokens> {
  const accessToken = newSecret()
  const refreshToken = newSecret()
  await transaction.rows(
    sql`
      insert into tokens (hash, kind, user_id, login, rotates, parent, expires)
      values
        (${secretHash(accessToken)}, 'access', ${userId}, ${login}, false, null,
          clock_timestamp() + ${accessTokenLifetimeS}::float8 * interval '1 second'),
        (${secretHash(refreshToken)}, 'refresh', ${userId}, ${login}, ${rotates}, ${parent},
          clock_timestamp() + ${REFRESH_TOKEN_LIFETIME_S}::float8 * interval '1 second')`,
    { prepareAs: 'issue-tokens' },
  )
  await sweepTokens(transaction)
  return { accessToken, refreshToken, expiresInS: accessTokenLifetimeS }
}

interface PresentedToken {
  readonly userId: number
  readonly login: string
  readonly rotates: boolean
  /** When it rotates: whether the token it was exchanged for, or a sibling of it, has been used since. */
  readonly isSpent: boolean
}

/** A refresh token stays valid: a public client never stores the new one (decisions.md, *Tokens*). If it rotates, it
 * works again only while none of its successors was used: a reply can be lost. Any other reuse ends the login. */
export async function refreshTokens(
  transaction: Transaction,
  refreshToken: string,
  terms: TokenTerms,
): Promise<IssuedTokens | undefined> {
  const hash = secretHash(refreshToken)
  // A transaction that ends logins of the user waits for this lock, and then ends the tokens issued here, too. Refreshes
  // with tokens of one login run one after the other.
  await transaction.rows(
    sql`
      select from users where id = (select user_id from tokens where hash = ${hash} and kind = 'refresh')
      for no key update`,
    { prepareAs: 'hold-login' },
  )
  const [token] = await transaction.rows<PresentedToken>(
    sql`
      update tokens set used = clock_timestamp(),
        expires = case when rotates then expires
          else clock_timestamp() + ${REFRESH_TOKEN_LIFETIME_S}::float8 * interval '1 second' end
      from users
      where tokens.hash = ${hash} and tokens.kind = 'refresh'
        and tokens.expires > clock_timestamp() and users.id = tokens.user_id and users.revoked is null
      returning tokens.user_id as "userId", tokens.login, rotates, rotates and exists (
        select from tokens other where other.used is not null and other.hash <> tokens.hash
          and other.parent in (tokens.hash, tokens.parent)) as "isSpent"`,
    { prepareAs: 'use-refresh-token' },
  )
  if (!token) return undefined
  const { userId, login } = token
  if (token.isSpent) {
    await endLogin(transaction, login)
    await writeLines(transaction, [await lineOfUser(transaction, userId, 'refresh-token-reused', terms.address)])
    return undefined
  }
  if (!token.rotates && !terms.rotates) return issueTokens(transaction, userId, terms, { login, parent: null })
  if (!token.rotates) await beginRotation(transaction, hash, login)
  return issueTokens(transaction, userId, { ...terms, rotates: true }, { login, parent: hash })
}

/** Rotation begins for a login: its other refresh tokens become invalid. */
async function beginRotation(transaction: Transaction, hash: Buffer, login: string): Promise<void> {
  await transaction.rows(sql`update tokens set rotates = true where hash = ${hash}`)
  await transaction.rows(sql`delete from tokens where login = ${login} and kind = 'refresh' and hash <> ${hash}`)
}

/** A refresh token ends with all tokens of its login (RFC 7009, 2.1). An unknown one is ignored. */
export async function revokeToken(transaction: Transaction, token: string, address: string): Promise<void> {
  const hash = secretHash(token)
  const [ended] = await transaction.rows<{ kind: 'access' | 'refresh'; login: string; userId: number }>(
    sql`
      select tokens.kind, tokens.login, users.id as "userId" from tokens join users on users.id = tokens.user_id
      where tokens.hash = ${hash} for no key update of users`,
    { prepareAs: 'hold-token' },
  )
  if (!ended) return
  // A separate statement, so that it sees what a concurrent refresh has issued.
  if (ended.kind === 'refresh') await endLogin(transaction, ended.login)
  else await transaction.rows(sql`delete from tokens where hash = ${hash}`)
  await writeLines(transaction, [await lineOfUser(transaction, ended.userId, 'logout', address)])
}

async function endLogin(transaction: Transaction, login: string): Promise<void> {
  await transaction.rows(sql`delete from tokens where login = ${login}`)
}

/** The caller has updated the user in this transaction, so that no tokens can be issued in the meantime. */
export async function endLogins(transaction: Transaction, userId: number, keptToken?: string): Promise<void> {
  const kept = keptToken === undefined ? null : secretHash(keptToken)
  await transaction.rows(sql`
    delete from tokens where user_id = ${userId}
      and login is distinct from (select login from tokens where hash = ${kept}::bytea)`)
}

/** Removes some expired tokens, skipping rows that another node is removing. */
async function sweepTokens(transaction: Transaction): Promise<void> {
  await transaction.rows(
    sql`
      delete from tokens where hash = any(array(
        select hash from tokens where expires < clock_timestamp() order by expires limit ${SWEEP_ROWS}
        for update skip locked))`,
    { prepareAs: 'sweep-tokens' },
  )
}
