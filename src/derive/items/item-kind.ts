import type { TSchema } from 'typebox'
import type { Permission } from '../../catalogue/permissions.ts'
import type { ColumnType } from '../../db/bulk-rows.ts'
import type { FoldItem, FoldPart, Json } from '../fold-part.ts'

/**
 * A fact that consists of items. Each began at an instant and belongs to the car in which the dongle was then. Its table has a row
 * per item, with these columns and its own:
 *
 *     id bigint generated always as identity, device_id bigint not null, account_id integer not null,
 *     vehicle_id bigint not null, start_time timestamptz not null, modified timestamptz not null, deleted timestamptz,
 *     primary key (device_id, id)
 *
 * and indexes on (account_id, modified), (account_id, start_time, id) and (device_id, start_time) where deleted is null.
 */
export interface ItemKind {
  /** The name of the fact, its table, its list and its frames in streams. */
  readonly name: string
  readonly part: FoldPart<Json, FoldItem>
  /** Its own columns, by field of an item. */
  readonly columns: Readonly<Record<string, ItemColumn>>
  readonly list: ItemListTexts
}

interface ItemColumn {
  readonly name: string
  readonly type: Extract<ColumnType, 'bigint' | 'boolean' | 'float8' | 'integer' | 'text'>
  /** Its documentation in the API. */
  readonly schema: TSchema
}

/** The documentation of its list in the API. */
interface ItemListTexts {
  /** The permission to read it. */
  readonly permission: Permission
  /** A tag of the OpenAPI document. */
  readonly tag: string
  readonly summary: string
  readonly description: string
}
