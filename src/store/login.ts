import type { Connection, Database } from './database.ts'
import { recordFailure, remainingWaitS } from './failed-logins.ts'
import { passwordGate } from './password-gate.ts'
import { verifyPassword } from './passwords.ts'
import { sql } from './sql.ts'
import { type IssuedTokens, issueTokens, refreshTokens, type TokenTerms } from './tokens.ts'
import { writeTransaction } from './transaction.ts'

export interface Credentials {
  readonly email: string
  readonly password: string
}

export type LoginOutcome =
  | { readonly kind: 'admitted'; readonly tokens: IssuedTokens }
  | { readonly kind: 'refused' }
  /** After repeated failures: not even tried. */
  | { readonly kind: 'slowed'; readonly waitS: number }

/** Checks a password and issues tokens. Wrong password and unknown user take the same steps. */
export function logIn(database: Database, credentials: Credentials, terms: TokenTerms): Promise<LoginOutcome> {
  return passwordGate(async () => {
    const user = await findUser(database.checks, credentials.email, terms.network)
    const attempt = { login: countedAs(user, credentials.email, terms.network), network: terms.network }
    const waitS = await remainingWaitS(database.checks, attempt)
    if (waitS > 0) return { kind: 'slowed', waitS }
    const isRight = await verifyPassword(user?.passwordHash, credentials.password)
    const tokens = user && isRight ? await admit(database, user, terms) : undefined
    if (tokens) return { kind: 'admitted', tokens }
    await writeTransaction(database, transaction => recordFailure(transaction, attempt))
    return { kind: 'refused' }
  })
}

/** @returns undefined when the password was changed or the user was removed since it was found. */
function admit(
  database: Database,
  { id, passwordHash }: LoginUser,
  terms: TokenTerms,
): Promise<IssuedTokens | undefined> {
  return writeTransaction(database, async transaction => {
    const [user] = await transaction.rows<{ id: number }>(
      sql`
        update users set last_login = clock_timestamp()
        where id = ${id} and password_hash = ${passwordHash} and revoked is null
        returning id`,
      { prepareAs: 'admit' },
    )
    return user && issueTokens(transaction, user.id, terms)
  })
}

/** Exchanges a refresh token. Not slowed down: 256 random bits are not guessed. @returns undefined when it is not valid. */
export function refresh(
  database: Database,
  refreshToken: string,
  terms: TokenTerms,
): Promise<IssuedTokens | undefined> {
  return writeTransaction(database, transaction => refreshTokens(transaction, refreshToken, terms))
}

interface LoginUser {
  readonly id: number
  readonly passwordHash: string
  /** Has tokens that were issued to this network. */
  readonly isKnownHere: boolean
}

async function findUser(connection: Connection, email: string, network: string): Promise<LoginUser | undefined> {
  // PostgreSQL has no text with this character, so nobody has such an address.
  const sought = email.replaceAll('\0', '\ufffd')
  const [user] = await connection.rows<LoginUser>(
    sql`
      select id, password_hash as "passwordHash",
        exists (select from tokens where user_id = users.id and network = ${network}) as "isKnownHere"
      from users where lower(email) = lower(${sought}) and revoked is null`,
    { prepareAs: 'find-login' },
  )
  return user
}

/**
 * Whose failures an attempt counts among. A user's own networks are counted by themselves, so an attack from
 * elsewhere never makes the user wait there.
 */
function countedAs(user: LoginUser | undefined, email: string, network: string): string {
  if (!user) return `address ${email.toLowerCase()}`
  return user.isKnownHere ? `user ${user.id} from ${network}` : `user ${user.id}`
}
