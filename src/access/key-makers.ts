import { type Statement, sql } from '../db/sql.ts'

/** Who made a key: its right to administrate is what the key rests on. */
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
 * A condition on the row of `api_keys`: its maker may still administrate. Nobody made the keys of the command line. A key
 * that another key made makes none itself, so there is no chain to follow.
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
