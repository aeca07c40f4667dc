import type { Permission } from '../catalogue/permissions.ts'
import type { Connection } from './database.ts'
import { newSecret, secretHash } from './secrets.ts'
import { sql } from './sql.ts'
import type { Transaction } from './transaction.ts'

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

/** Makes a key. @returns the key itself, which is never seen again. */
export async function createKey(transaction: Transaction, key: NewKey): Promise<string> {
  const secret = KEY_MARK + newSecret()
  const expires =
    typeof key.expires === 'number'
      ? sql`clock_timestamp() + ${key.expires} * interval '1 second'`
      : sql`${key.expires}::timestamptz`
  await transaction.rows(sql`
    insert into api_keys (account_id, name, prefix, hash, permissions, expires)
    values (${key.accountId}, ${key.name}, ${secret.slice(0, PREFIX_LENGTH)}, ${secretHash(secret)},
      ${key.permissions}, ${expires})`)
  return secret
}

/** Every key, revoked ones included, in the order they were made. */
export function listKeys(connection: Connection): Promise<KeyRecord[]> {
  return connection.rows<KeyRecord>(sql`
    select api_keys.id, accounts.name as "accountName", api_keys.name, prefix, permissions, api_keys.created, expires,
      coalesce(expires <= clock_timestamp(), false) as "isExpired", revoked
    from api_keys join accounts on accounts.id = account_id
    order by api_keys.id`)
}

/**
 * Revokes the valid key with that id or prefix, or the key itself.
 * @returns the names of all that were meant: none or several mean that nothing was revoked.
 */
export async function revokeKey(transaction: Transaction, idOrPrefix: string): Promise<string[]> {
  const isMeant = /^\d{1,9}$/.test(idOrPrefix)
    ? sql`id = ${Number(idOrPrefix)}`
    : sql`prefix = ${idOrPrefix.slice(0, PREFIX_LENGTH)}`
  const meant = await transaction.rows<{ id: number; name: string }>(
    sql`select id, name from api_keys where ${isMeant} and revoked is null for update`,
  )
  if (meant.length === 1)
    await transaction.rows(sql`update api_keys set revoked = clock_timestamp() where id = ${meant[0]?.id}`)
  return meant.map(key => key.name)
}
