import { ALL_PERMISSIONS, type Permission } from '../catalogue/permissions.ts'
import { OperatorError } from '../errors.ts'
import { ensureFirstAccount } from './accounts.ts'
import type { Connection, Database } from './database.ts'
import { hashPassword } from './passwords.ts'
import { sql } from './sql.ts'
import { type Transaction, writeTransaction } from './transaction.ts'

export interface NewUser {
  readonly accountId: number
  readonly email: string
  /** From `hashPassword`: made before the transaction, which it would hold open. */
  readonly passwordHash: string
  readonly permissions: readonly Permission[]
}

/** A user as an operator may see it. */
export interface UserRecord {
  readonly id: number
  readonly accountName: string
  readonly email: string
  readonly permissions: readonly string[]
  readonly created: string
  readonly revoked: string | null
}

/**
 * Makes a user.
 * @throws OperatorError when the address is none, or a user has it already.
 */
export async function createUser(transaction: Transaction, user: NewUser): Promise<void> {
  if (!EMAIL_FORM.test(user.email)) throw new OperatorError(`"${user.email}" is not an e-mail address.`)
  const [created] = await transaction.rows(sql`
    insert into users (account_id, email, password_hash, permissions)
    values (${user.accountId}, ${user.email}, ${user.passwordHash}, ${user.permissions})
    on conflict (lower(email)) where revoked is null do nothing
    returning id`)
  if (!created) throw new OperatorError(`There is a user ${user.email} already.`)
}

/** What reaches the mailbox is for the mail system to say; this only finds what was never meant as an address. */
const EMAIL_FORM = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u

/** Every user, revoked ones included, in the order they were made. */
export function listUsers(connection: Connection): Promise<UserRecord[]> {
  return connection.rows<UserRecord>(sql`
    select users.id, accounts.name as "accountName", email, permissions, users.created, revoked
    from users join accounts on accounts.id = account_id
    order by users.id`)
}

/** Takes a user's access away, with all tokens. @returns whether there was such a user. */
export async function revokeUser(transaction: Transaction, email: string): Promise<boolean> {
  const [user] = await transaction.rows<{ id: number }>(sql`
    update users set revoked = clock_timestamp()
    where lower(email) = lower(${email}) and revoked is null
    returning id`)
  if (user) await transaction.rows(sql`delete from tokens where user_id = ${user.id}`)
  return user !== undefined
}

/** Whether there is or ever was a user. */
export async function hasUsers(connection: Connection): Promise<boolean> {
  const [row] = await connection.rows<{ has: boolean }>(sql`select exists (select from users) as has`)
  return row?.has ?? false
}

/**
 * Makes the first user, with every permission, in the first account. Nodes that start at once make one only; a user
 * that was revoked does not come back this way.
 * @returns whether it was made now.
 */
export async function ensureFirstUser(
  database: Database,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<boolean> {
  if (await hasUsers(database)) return false
  const passwordHash = await hashPassword(password)
  return writeTransaction(database, async transaction => {
    const account = await ensureFirstAccount(transaction)
    if (await hasUsers(transaction)) return false
    await createUser(transaction, { accountId: account.id, email, passwordHash, permissions: ALL_PERMISSIONS })
    return true
  })
}
