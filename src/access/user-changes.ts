import type { Permission } from '../catalogue/permissions.ts'
import { sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { endLogins } from './tokens.ts'
import { listUsers, revokeUser, type UserRecord } from './users.ts'

/** A user of an account, as an administrator of it names it. */
interface UserOfAccount {
  readonly accountId: number
  readonly userId: number
}

/** Changes of a user; absent fields stay as they are. */
interface UserChanges {
  /** From `hashPassword`, called before the transaction, which it would keep open. */
  readonly passwordHash?: string | undefined
  readonly permissions?: readonly Permission[] | undefined
}

/** The user as it is now, or was when it was removed; or why nothing was done; or that the account has no such user. */
export type ChangeUserOutcome =
  | { readonly kind: 'changed'; readonly user: UserRecord }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'unknown' }

/**
 * Changes a user of an account. A new password ends all logins. The last user who can administrate the account keeps
 * that permission.
 */
export async function changeUser(
  transaction: Transaction,
  user: UserOfAccount,
  { passwordHash, permissions }: UserChanges,
): Promise<ChangeUserOutcome> {
  const held = await holdUser(transaction, user)
  if (!held) return { kind: 'unknown' }
  if (permissions && !permissions.includes('administration') && held.isLastAdministrator)
    return refused(`${held.user.email} is the last user with the permission administration, and must keep it.`)
  await transaction.rows(sql`
    update users set
      password_hash = coalesce(${passwordHash ?? null}, password_hash),
      permissions = coalesce(${permissions ?? null}::text[], permissions)
    where id = ${user.userId}`)
  if (passwordHash !== undefined) await endLogins(transaction, user.userId)
  return { kind: 'changed', user: (await readUser(transaction, user)) ?? held.user }
}

/** Revokes a user of an account and ends all logins; not the last one who can administrate the account. */
export async function removeUser(transaction: Transaction, user: UserOfAccount): Promise<ChangeUserOutcome> {
  const held = await holdUser(transaction, user)
  if (!held) return { kind: 'unknown' }
  if (held.isLastAdministrator)
    return refused(`${held.user.email} is the last user with the permission administration, and must stay.`)
  await revokeUser(transaction, held.user.email)
  return { kind: 'changed', user: held.user }
}

const refused = (text: string) => ({ kind: 'refused', text }) as const

interface HeldUser {
  readonly user: UserRecord
  readonly isLastAdministrator: boolean
}

/**
 * Locks the user and the administrators of the account. After waiting it reads their current state, so that of two
 * administrators who remove each other, one is refused.
 * @returns undefined when the account has no such user.
 */
async function holdUser(transaction: Transaction, wanted: UserOfAccount): Promise<HeldUser | undefined> {
  const { accountId, userId } = wanted
  const held = await transaction.rows<{ id: number; isAdministrator: boolean }>(sql`
    select id, 'administration' = any(permissions) as "isAdministrator" from users
    where account_id = ${accountId} and revoked is null and (id = ${userId} or 'administration' = any(permissions))
    order by id for no key update`)
  const user = await readUser(transaction, wanted)
  if (!user) return undefined
  const administrators = held.filter(({ isAdministrator }) => isAdministrator)
  return { user, isLastAdministrator: administrators.length === 1 && administrators[0]?.id === userId }
}

async function readUser(
  transaction: Transaction,
  { accountId, userId }: UserOfAccount,
): Promise<UserRecord | undefined> {
  const [user] = await listUsers(transaction, { accountId, id: userId, isPresent: true })
  return user
}
