import type { TSchema } from 'typebox'
import type { Permission } from '../../catalogue/permissions.ts'
import type { ColumnType } from '../../db/bulk-rows.ts'
import type { FoldItem, FoldPart, Json } from '../fold-part.ts'

/**
 * A fact that consists of items: each began at an instant, in the car in which the dongle was then. Its table has a row for each,
 * with these columns and those of its own:
 *
 *     id bigint generated always as identity, device_id bigint not null, account_id integer not null,
 *     vehicle_id bigint not null, start_time timestamptz not null, modified timestamptz not null, deleted timestamptz,
 *     primary key (device_id, id)
 *
 * and indexes on (account_id, modified), (account_id, start_time, id) and (device_id, start_time) where deleted is null.
 */
export interface ItemKind {
  /** Of the fact, of its table, of the list and of its frames in streams. */
  readonly name: string
  readonly part: FoldPart<Json, FoldItem>
  /** Its own columns, by the fields of an item. */
  readonly columns: Readonly<Record<string, ItemColumn>>
  readonly list: ItemListTexts
}

export interface ItemColumn {
  readonly name: string
  readonly type: Extract<ColumnType, 'bigint' | 'boolean' | 'float8' | 'integer' | 'text'>
  /** As the API documents it. */
  readonly schema: TSchema
}

/** How the API describes the list. */
export interface ItemListTexts {
  /** Who may read it. */
  readonly permission: Permission
  /** Under which heading. */
  readonly tag: string
  readonly summary: string
  readonly description: string
}
