import type { Permission } from '../catalogue/permissions.ts'
import type { Connection } from './database.ts'
import { newSecret, secretHash } from './secrets.ts'
import { sql } from './sql.ts'
import type { Transaction } from './transaction.ts'
import { type ListScope, withinScope } from './users.ts'

/** Says where a key belongs when it turns up in a place where it should not be. */
const KEY_MARK = 'tacho_'
/** The mark and six characters: 36 of the 256 bits, enough to tell keys apart. */
const PREFIX_LENGTH = KEY_MARK.length + 6

export interface NewKey {
  readonly accountId: number
  readonly name: string
  readonly permissions: readonly Permission[]
  /** Never, when undefined; else an instant, or a number of seconds from now by the database's clock. */
  readonly expires: string | number | undefined
}

/** A key as an operator may see it. */
export interface KeyRecord {
  readonly id: number
  readonly accountName: string
  readonly name: string
  readonly prefix: string
  readonly permissions: readonly string[]
  readonly created: string
  readonly expires: string | null
  readonly isExpired: boolean
  readonly revoked: string | null
}

/** A key that was just made. */
export interface CreatedKey {
  readonly id: number
  /** The key itself, which is never seen again. */
  readonly secret: string
  readonly created: string
  readonly expires: string | null
}

/** Makes a key. */
export async function createKey(transaction: Transaction, key: NewKey): Promise<CreatedKey> {
  const secret = KEY_MARK + newSecret()
  const expires =
    typeof key.expires === 'number'
      ? sql`clock_timestamp() + ${key.expires} * interval '1 second'`
      : sql`${key.expires}::timestamptz`
  const [created] = await transaction.rows<Omit<CreatedKey, 'secret'>>(sql`
    insert into api_keys (account_id, name, prefix, hash, permissions, expires)
    values (${key.accountId}, ${key.name}, ${secret.slice(0, PREFIX_LENGTH)}, ${secretHash(secret)},
      ${key.permissions}, ${expires})
    returning id, created, expires`)
  if (!created) throw new Error('a key was not stored')
  return { ...created, secret }
}

/** Keys in the order they were made; every one, revoked ones included, unless told otherwise. */
export function listKeys(connection: Connection, scope: ListScope = {}): Promise<KeyRecord[]> {
  return connection.rows<KeyRecord>(sql`
    select api_keys.id, accounts.name as "accountName", api_keys.name, prefix, permissions, api_keys.created, expires,
      coalesce(expires <= clock_timestamp(), false) as "isExpired", revoked
    from api_keys join accounts on accounts.id = account_id
    where ${withinScope(sql`api_keys`, scope)}
    order by api_keys.id`)
}

/**
 * Revokes the valid key with that id or prefix, or the key itself.
 * @param accountId whose it must be; anybody's when undefined
 * @returns the names of all that were meant: none or several mean that nothing was revoked.
 */
export async function revokeKey(transaction: Transaction, idOrPrefix: string, accountId?: number): Promise<string[]> {
  const isMeant = /^\d{1,9}$/.test(idOrPrefix)
    ? sql`id = ${Number(idOrPrefix)}`
    : sql`prefix = ${idOrPrefix.slice(0, PREFIX_LENGTH)}`
  const meant = await transaction.rows<{ id: number; name: string }>(
    sql`
      select id, name from api_keys
      where ${isMeant} and revoked is null and account_id = coalesce(${accountId ?? null}, account_id) for update`,
  )
  if (meant.length === 1)
    await transaction.rows(sql`update api_keys set revoked = clock_timestamp() where id = ${meant[0]?.id}`)
  return meant.map(key => key.name)
}
