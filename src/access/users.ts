import { ALL_PERMISSIONS, type Permission } from '../catalogue/permissions.ts'
import type { Database } from '../db/database.ts'
import { allOf, type Connection, type Statement, sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { OperatorError } from '../model/errors.ts'
import { ensureFirstAccount } from './accounts.ts'
import { hashPassword } from './passwords.ts'
import { endLogins } from './tokens.ts'

export interface NewUser {
  readonly accountId: number
  readonly email: string
  /** From `hashPassword`, called before the transaction, which it would keep open. */
  readonly passwordHash: string
  readonly permissions: readonly Permission[]
}

export interface UserRecord {
  readonly id: number
  readonly accountName: string
  readonly email: string
  readonly permissions: readonly string[]
  readonly created: string
  /** When the user last logged in with the password; null while that never happened. */
  readonly lastLogin: string | null
  readonly revoked: string | null
}

export type CreateUserOutcome =
  | { readonly kind: 'created'; readonly id: number; readonly created: string }
  | { readonly kind: 'refused'; readonly text: string }

export async function createUser(transaction: Transaction, user: NewUser): Promise<CreateUserOutcome> {
  const { email } = user
  if (email.length > LONGEST_EMAIL || !EMAIL_FORM.test(email))
    return { kind: 'refused', text: `"${email.slice(0, LONGEST_EMAIL)}" is not an e-mail address.` }
  const [made] = await transaction.rows<{ id: number; created: string }>(sql`
    insert into users (account_id, email, password_hash, permissions)
    values (${user.accountId}, ${email}, ${user.passwordHash}, ${user.permissions})
    on conflict (lower(email)) where revoked is null do nothing
    returning id, created`)
  return made ? { kind: 'created', ...made } : { kind: 'refused', text: `There is a user ${email} already.` }
}

/** RFC 5321, 4.5.3.1.3, without the brackets around the path. */
export const LONGEST_EMAIL = 254
/** Only the mail system knows which addresses work; this rejects what was never meant as one. */
const EMAIL_FORM = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u

export interface ListScope {
  readonly accountId?: number
  readonly isPresent?: true
  readonly id?: number
}

/** Users in the order in which they were created; by default all of them, including revoked ones. */
export function listUsers(connection: Connection, scope: ListScope = {}): Promise<UserRecord[]> {
  return connection.rows<UserRecord>(sql`
    select users.id, accounts.name as "accountName", email, permissions, users.created, last_login as "lastLogin", revoked
    from users join accounts on accounts.id = account_id
    where ${withinScope(sql`users`, scope)}
    order by users.id`)
}

/** @param table `users` or `api_keys` */
export function withinScope(table: Statement, { accountId, isPresent, id }: ListScope): Statement {
  return allOf([
    ...(accountId === undefined ? [] : [sql`${table}.account_id = ${accountId}`]),
    ...(isPresent ? [sql`${table}.revoked is null`] : []),
    ...(id === undefined ? [] : [sql`${table}.id = ${id}`]),
  ])
}

/** Revokes a user and all tokens. @returns whether there was such a user. */
export async function revokeUser(transaction: Transaction, email: string): Promise<boolean> {
  const [user] = await transaction.rows<{ id: number }>(sql`
    update users set revoked = clock_timestamp()
    where lower(email) = lower(${email}) and revoked is null
    returning id`)
  if (user) await endLogins(transaction, user.id)
  return user !== undefined
}

export async function hasUsers(connection: Connection): Promise<boolean> {
  const [row] = await connection.rows<{ has: boolean }>(sql`select exists (select from users) as has`)
  return row?.has ?? false
}

/** Nodes that start at once create only one; a revoked user does not come back. @returns true if created now */
export async function ensureFirstUser(
  database: Database,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<boolean> {
  if (await hasUsers(database)) return false
  const passwordHash = await hashPassword(password)
  return writeTransaction(database, async transaction => {
    const account = await ensureFirstAccount(transaction)
    if (await hasUsers(transaction)) return false
    const permissions = ALL_PERMISSIONS
    const outcome = await createUser(transaction, { accountId: account.id, email, passwordHash, permissions })
    if (outcome.kind === 'refused') throw new OperatorError(outcome.text)
    return true
  })
}

interface UserOfAccount {
  readonly accountId: number
  readonly userId: number
}

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

/** A new password ends all logins. The last user who can administrate the account keeps that permission. */
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

/** After waiting it reads their current state, so that of two administrators who remove each other, one is refused. */
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
