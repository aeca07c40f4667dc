import { type Statement, sql } from '../db/sql.ts'

/** Who created a key: the key is valid only while its creator may administrate. */
export interface KeyMaker {
  readonly kind: 'user' | 'key'
  readonly id: number
  /** E-mail address of the user, or name of the key. */
  readonly name: string
}

/** A condition on a key: neither revoked nor expired. */
export const isValidKey = (key: Statement): Statement => sql`
  (${key}.revoked is null and (${key}.expires is null or ${key}.expires > clock_timestamp()))`

/**
 * A condition on the row of `api_keys`: its creator may still administrate. Keys from the command line have no creator. A
 * key that was created by a key can not create keys, so there is no chain to follow.
 */
export const hasMakerWithRights = (): Statement => sql`
  ((made_by_user is null and made_by_key is null)
    or exists (${administrator(sql`api_keys.made_by_user`)})
    or exists (
      select from api_keys maker
      where maker.id = api_keys.made_by_key and ${isValidKey(sql`maker`)} and 'administration' = any(maker.permissions)
        and (maker.made_by_user is null or exists (${administrator(sql`maker.made_by_user`)}))))`

const administrator = (id: Statement) => sql`
  select from users u where u.id = ${id} and u.revoked is null and 'administration' = any(u.permissions)`
