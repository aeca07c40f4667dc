import { LOCK_KIND, LOCKS } from '../db/locks.ts'
import { type Connection, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'

/** A customer of the service: sees its own devices and nothing else. */
interface Account {
  readonly id: number
  readonly name: string
}

const FIRST_ACCOUNT_NAME = 'Fleet'

/** The oldest account; undefined while there is none. Unknown dongles join it. */
export async function firstAccount(connection: Connection): Promise<Account | undefined> {
  const [account] = await connection.rows<Account>(sql`select id, name from accounts order by id limit 1`)
  return account
}

export async function listAccountNames(connection: Connection): Promise<ReadonlyMap<number, string>> {
  const rows = await connection.rows<Account>(sql`select id, name from accounts`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** @throws when there is none with that id: accounts are never removed. */
export async function readAccount(connection: Connection, id: number): Promise<Account> {
  const [account] = await connection.rows<Account>(sql`select id, name from accounts where id = ${id}`)
  if (!account) throw new Error(`there is no account ${id}`)
  return account
}

interface AccountRecord extends Account {
  readonly created: string
  readonly devices: number
  readonly vehicles: number
  /** Users and keys that are valid. */
  readonly users: number
  readonly keys: number
}

export function listAccounts(connection: Connection): Promise<AccountRecord[]> {
  return connection.rows<AccountRecord>(sql`
    select c.id, c.name, c.created,
      (select count(*) from assignments a where a.account_id = c.id and a.to_time = 'infinity') as devices,
      (select count(*) from vehicles v where v.account_id = c.id) as vehicles,
      (select count(*) from users u where u.account_id = c.id and u.revoked is null) as users,
      (select count(*) from api_keys k where k.account_id = c.id and k.revoked is null
        and coalesce(k.expires > clock_timestamp(), true)) as keys
    from accounts c order by c.id`)
}

export async function findAccount(connection: Connection, name: string): Promise<Account | undefined> {
  const [account] = await connection.rows<Account>(sql`select id, name from accounts where name = ${name}`)
  return account
}

/** The first account, created if there is none; nodes that start at the same time create only one. */
export async function ensureFirstAccount(transaction: Transaction): Promise<Account> {
  await transaction.rows(sql`select pg_advisory_xact_lock(${LOCK_KIND}, ${LOCKS.firstAccount})`)
  return (await firstAccount(transaction)) ?? (await ensureAccount(transaction, FIRST_ACCOUNT_NAME))
}

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
