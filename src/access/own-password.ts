import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { type Attempt, recordFailure, remainingWaitS } from './failed-logins.ts'
import { ofAccount, passwordGate } from './password-gate.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { lineOfUser, writeLines } from './security-log/lines.ts'
import { endLogins } from './tokens.ts'

interface OwnPasswordChange {
  readonly accountId: number
  readonly userId: number
  readonly currentPassword: string
  readonly newPassword: string
  /** The access token of the request: its login stays valid. */
  readonly token: string
  /** The user's network; see `clientNetwork`. */
  readonly network: string
  readonly address: string
}

type OwnPasswordOutcome =
  | { readonly kind: 'changed' }
  /** The current password is wrong. */
  | { readonly kind: 'refused' }
  /** After repeated failures: the password was not checked. */
  | { readonly kind: 'slowed'; readonly waitS: number }

/**
 * Changes the password of a user who knows the current one, and ends all other logins of the user. Wrong ones count like
 * failed logins from a known place, so that a stolen token gives no extra guesses.
 * @throws ClientError 503 when too many wait.
 */
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
