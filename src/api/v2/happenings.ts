import { type Static, Type } from 'typebox'
import type { Connection } from '../../db/database.ts'
import { type Statement, sql } from '../../db/sql.ts'
import { vehicleIdOf } from '../../fleet/vehicles.ts'
import { booleanParameter, deviceIdParameter, idParameter, syncListParameters } from '../../server/http/parameters.ts'
import type { OrderKey } from '../sync-page.ts'

/** The documentation of the parameters of such a list. */
interface HappeningTexts {
  /** The field with the instant at which it happened. */
  readonly begin: string
  readonly deviceId: string
  readonly vehicleId: string
  readonly includeDeleted: string
}

/** The parameters of lists of things that happened to cars, such as trips and trouble codes. */
export const happeningListQuery = (texts: HappeningTexts) =>
  Type.Object({
    deviceId: Type.Optional(deviceIdParameter(texts.deviceId)),
    vehicleId: Type.Optional(idParameter(texts.vehicleId, ['VINWVWZZZ1KZAW000001'])),
    includeDeleted: Type.Optional(booleanParameter(`${texts.includeDeleted}; with filterTimestamp they always are.`)),
    count: Type.Optional(
      booleanParameter(
        'Say in the header X-Total-Count how many match, however many are listed (beyond the original document).',
      ),
    ),
    ...syncListParameters(texts.begin),
  })
export type HappeningListQuery = Static<ReturnType<typeof happeningListQuery>>

/**
 * The conditions of such a list. Without `filterTimestamp`, deleted objects are listed only on request.
 * @param begin the column of `item` with the instant
 */
export async function happeningConditions(
  connection: Connection,
  accountId: number,
  query: HappeningListQuery,
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
