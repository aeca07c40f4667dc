import { LOCK_KIND, LOCKS } from './advisory-locks.ts'
import type { Connection } from './database.ts'
import { sql } from './sql.ts'
import type { Transaction } from './transaction.ts'

/** A customer of the service: sees its own devices and nothing else. */
export interface Account {
  readonly id: number
  readonly name: string
}

const FIRST_ACCOUNT_NAME = 'Fleet'

/** The account that was made first, which unknown dongles join; undefined while there is none. */
export async function firstAccount(connection: Connection): Promise<Account | undefined> {
  const [account] = await connection.rows<Account>(sql`select id, name from accounts order by id limit 1`)
  return account
}

/** The first account, made now if there is none; nodes that start at once make one only. */
export async function ensureFirstAccount(transaction: Transaction): Promise<Account> {
  await transaction.rows(sql`select pg_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.firstAccount})`)
  return (await firstAccount(transaction)) ?? (await ensureAccount(transaction, FIRST_ACCOUNT_NAME))
}

/** The account with that name, made now if there is none. */
export async function ensureAccount(
  transaction: Transaction,
  name: string,
): Promise<Account & { readonly isNew: boolean }> {
  const [created] = await transaction.rows<Account>(
    sql`insert into accounts (name) values (${name}) on conflict (name) do nothing returning id, name`,
  )
  if (created) return { ...created, isNew: true }
  const [found] = await transaction.rows<Account>(sql`select id, name from accounts where name = ${name}`)
  if (!found) throw new Error(`the account ${name} went away while it was looked up`)
  return { ...found, isNew: false }
}
