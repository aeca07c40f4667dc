import type { Connection } from '../../../db/database.ts'
import { listOf, type Statement, sql, verbatim } from '../../../db/sql.ts'
import type { ItemKind } from '../../../facts/items/item-kind.ts'
import { vehicleIdOf } from '../../../fleet/vehicle-ids.ts'
import { type GivenLowWatermark, readSyncPage, type SyncPage } from '../../sync-page.ts'
import type { ItemListQuery } from './schema.ts'

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
  query: ItemListQuery & GivenLowWatermark,
): Promise<SyncPage<ItemRow>> {
  const conditions: Statement[] = [sql`item.account_id = ${accountId}`]
  if (query.deviceId !== undefined) conditions.push(sql`item.device_id = ${query.deviceId}`)
  if (query.vehicleId !== undefined) {
    const vehicleId = await vehicleIdOf(connection, accountId, query.vehicleId)
    conditions.push(vehicleId === undefined ? sql`false` : sql`item.vehicle_id = ${vehicleId}`)
  }
  if (query.fromTimestamp !== undefined) conditions.push(sql`item.start_time >= ${query.fromTimestamp}::timestamptz`)
  if (query.toTimestamp !== undefined) conditions.push(sql`item.start_time <= ${query.toTimestamp}::timestamptz`)
  if (query.filterTimestamp === undefined && !query.includeDeleted) conditions.push(sql`item.deleted is null`)
  const own = Object.entries(columns).map(([field, column]) => verbatim(`item.${column.name} as "${field}"`))
  return readSyncPage(
    connection,
    {
      name,
      from: [sql`${verbatim(name)} item`],
      conditions,
      found: sql`item.*`,
      joins: sql`join vehicles v on v.id = item.vehicle_id`,
      columns: listOf([
        sql`item.id, v.public_id as "vehicleId", item.device_id as "deviceId", item.start_time as start`,
        ...own,
        sql`item.deleted, item.modified`,
      ]),
      order: [
        { field: 'start', column: sql`item.start_time`, kind: 'instant' },
        { field: 'id', column: sql`item.id`, kind: 'number' },
      ],
      keepsNewest: true,
    },
    query,
  )
}
