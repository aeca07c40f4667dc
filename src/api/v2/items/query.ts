import type { Connection } from '../../../db/database.ts'
import { listOf, sql, verbatim } from '../../../db/sql.ts'
import type { ItemKind } from '../../../derive/items/item-kind.ts'
import { type GivenLowWatermark, readSyncPage, type SyncPage } from '../../sync-page.ts'
import { type HappeningListQuery, happeningConditions, happeningOrder } from '../happenings.ts'

/** A row with its own columns, by their fields. */
export interface ItemRow {
  readonly id: number
  readonly vehicleId: string
  readonly deviceId: number
  readonly start: string
  readonly deleted: string | null
  readonly modified: string
  readonly [field: string]: unknown
}

/** A list of items: by start, or by modifyTimestamp with a filter. */
export async function listItems(
  connection: Connection,
  { name, columns }: ItemKind,
  accountId: number,
  query: HappeningListQuery & GivenLowWatermark,
): Promise<SyncPage<ItemRow>> {
  const begin = sql`item.start_time`
  const own = Object.entries(columns).map(([field, column]) => verbatim(`item.${column.name} as "${field}"`))
  return readSyncPage(
    connection,
    {
      name,
      from: [sql`${verbatim(name)} item`],
      conditions: await happeningConditions(connection, accountId, query, begin),
      found: sql`item.*`,
      joins: sql`join vehicles v on v.id = item.vehicle_id`,
      columns: listOf([
        sql`item.id, v.public_id as "vehicleId", item.device_id as "deviceId", item.start_time as start`,
        ...own,
        sql`item.deleted, item.modified`,
      ]),
      order: happeningOrder('start', begin),
      keepsNewest: true,
    },
    query,
  )
}
