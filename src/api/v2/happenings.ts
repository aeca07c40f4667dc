import type { Connection } from '../../db/database.ts'
import { type Statement, sql } from '../../db/sql.ts'
import { vehicleIdOf } from '../../fleet/vehicle-ids.ts'
import type { OrderKey } from '../sync-page.ts'

/** The parameters of lists of things that happened to cars, such as trips and trouble codes. */
export interface HappeningQuery {
  readonly deviceId?: number | undefined
  readonly vehicleId?: string | undefined
  readonly fromTimestamp?: string | undefined
  readonly toTimestamp?: string | undefined
  readonly filterTimestamp?: string | undefined
  readonly includeDeleted?: boolean | undefined
}

/**
 * The conditions of such a list. Without `filterTimestamp`, deleted objects are listed only on request.
 * @param begin the column of `item` with the instant
 */
export async function happeningConditions(
  connection: Connection,
  accountId: number,
  query: HappeningQuery,
  begin: Statement,
): Promise<Statement[]> {
  const conditions: Statement[] = [sql`item.account_id = ${accountId}`]
  if (query.deviceId !== undefined) conditions.push(sql`item.device_id = ${query.deviceId}`)
  if (query.vehicleId !== undefined) {
    const vehicleId = await vehicleIdOf(connection, accountId, query.vehicleId)
    conditions.push(vehicleId === undefined ? sql`false` : sql`item.vehicle_id = ${vehicleId}`)
  }
  if (query.fromTimestamp !== undefined) conditions.push(sql`${begin} >= ${query.fromTimestamp}::timestamptz`)
  if (query.toTimestamp !== undefined) conditions.push(sql`${begin} <= ${query.toTimestamp}::timestamptz`)
  if (query.filterTimestamp === undefined && !query.includeDeleted) conditions.push(sql`item.deleted is null`)
  return conditions
}

/** The order of such a list: several things may have happened at the same instant. @param field of a row with the instant */
export function happeningOrder(field: string, begin: Statement): readonly OrderKey[] {
  return [
    { field, column: begin, kind: 'instant' },
    { field: 'id', column: sql`item.id`, kind: 'number' },
  ]
}
