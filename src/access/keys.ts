import type { Permission } from '../catalogue/permissions.ts'
import { type Connection, type Statement, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { newSecret, secretHash } from './passwords.ts'
import { type ListScope, withinScope } from './users.ts'

/** Identifies a key as one of ours when it turns up where it should not be. */
const KEY_MARK = 'tacho_'
/** The mark and six characters: 36 of the 256 bits, enough to distinguish keys. */
const PREFIX_LENGTH = KEY_MARK.length + 6

interface NewKey {
  readonly accountId: number
  readonly name: string
  readonly permissions: readonly Permission[]
  /** Its creator, who must keep the right to administrate; undefined when the operator creates it. */
  readonly maker?: Pick<KeyMaker, 'kind' | 'id'>
  /** When it expires: an instant, or a number of seconds from now by the database's clock; never when undefined. */
  readonly expires: string | number | undefined
}

export interface KeyRecord {
  readonly id: number
  readonly accountName: string
  readonly name: string
  readonly prefix: string
  readonly permissions: readonly string[]
  readonly created: string
  readonly expires: string | null
  readonly isExpired: boolean
  /** Its creator may no longer administrate, so it does not work until somebody takes it over. */
  readonly isResting: boolean
  readonly maker: KeyMaker | null
  readonly revoked: string | null
}

interface CreatedKey {
  readonly id: number
  readonly secret: string
  readonly created: string
  readonly expires: string | null
}

export async function createKey(transaction: Transaction, key: NewKey): Promise<CreatedKey> {
  const secret = KEY_MARK + newSecret()
  const expires =
    typeof key.expires === 'number'
      ? sql`clock_timestamp() + ${key.expires} * interval '1 second'`
      : sql`${key.expires}::timestamptz`
  const [created] = await transaction.rows<Omit<CreatedKey, 'secret'>>(sql`
    insert into api_keys (account_id, name, prefix, hash, permissions, expires, made_by_user, made_by_key)
    values (${key.accountId}, ${key.name}, ${secret.slice(0, PREFIX_LENGTH)}, ${secretHash(secret)},
      ${key.permissions}, ${expires}, ${idOf(key.maker, 'user')}, ${idOf(key.maker, 'key')})
    returning id, created, expires`)
  if (!created) throw new Error('a key was not stored')
  return { ...created, secret }
}

const idOf = (maker: NewKey['maker'], kind: KeyMaker['kind']) => (maker?.kind === kind ? maker.id : null)

/** A key that was created by a key may create none, so that checking the creator needs no recursion. */
export async function mayMakeKeys(connection: Connection, keyId: number): Promise<boolean> {
  const [key] = await connection.rows(sql`select from api_keys where id = ${keyId} and made_by_key is null`)
  return key !== undefined
}

/** From now on the key depends on that user's right to administrate. @returns undefined when there is no such key */
export async function takeOverKey(
  transaction: Transaction,
  { accountId, keyId, userId }: { readonly accountId: number; readonly keyId: number; readonly userId: number },
): Promise<KeyRecord | undefined> {
  await transaction.rows(sql`
    update api_keys set made_by_user = ${userId}, made_by_key = null
    where id = ${keyId} and account_id = ${accountId} and revoked is null`)
  const [key] = await listKeys(transaction, { accountId, id: keyId, isPresent: true })
  return key
}

/** Keys in the order in which they were created; by default all of them, including revoked ones. */
export function listKeys(connection: Connection, scope: ListScope = {}): Promise<KeyRecord[]> {
  return connection.rows<KeyRecord>(sql`
    select api_keys.id, accounts.name as "accountName", api_keys.name, prefix, permissions, api_keys.created, expires,
      coalesce(expires <= clock_timestamp(), false) as "isExpired", not ${hasMakerWithRights()} as "isResting", revoked,
      coalesce(
        (select jsonb_build_object('kind', 'user', 'id', u.id, 'name', u.email) from users u where u.id = made_by_user),
        (select jsonb_build_object('kind', 'key', 'id', k.id, 'name', k.name) from api_keys k where k.id = made_by_key)
      ) as maker
    from api_keys join accounts on accounts.id = account_id
    where ${withinScope(sql`api_keys`, scope)}
    order by api_keys.id`)
}

/** @param accountId any account when undefined
 * @returns the names of all matching keys: with none or several, nothing was revoked */
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

/** The creator of a key, which is valid only while its creator may administrate. */
interface KeyMaker {
  readonly kind: 'user' | 'key'
  readonly id: number
  readonly name: string
}

export const isValidKey = (key: Statement): Statement => sql`
  (${key}.revoked is null and (${key}.expires is null or ${key}.expires > clock_timestamp()))`

/** No chain to follow: a key made by a key cannot make keys. Keys from the command line have no creator. */
export const hasMakerWithRights = (): Statement => sql`
  ((made_by_user is null and made_by_key is null)
    or exists (${administrator(sql`api_keys.made_by_user`)})
    or exists (
      select from api_keys maker
      where maker.id = api_keys.made_by_key and ${isValidKey(sql`maker`)} and 'administration' = any(maker.permissions)
        and (maker.made_by_user is null or exists (${administrator(sql`maker.made_by_user`)}))))`

const administrator = (id: Statement) => sql`
  select from users u where u.id = ${id} and u.revoked is null and 'administration' = any(u.permissions)`
