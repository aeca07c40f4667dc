import { type Connection, type Statement, sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { badRequest } from '../../../model/errors.ts'
import {
  type GivenLowWatermark,
  readSyncPage,
  type SyncPage,
  timedListConditions,
  timedListOrder,
} from '../../lists.ts'
import { numberIdOf } from '../../schemas.ts'
import { type AddressRow, addressColumn } from '../trips/query.ts'
import type { IncidentListQuery } from './schema.ts'

export interface IncidentRow {
  readonly id: number
  readonly ruleId: number
  readonly ruleVersion: number
  readonly kind: string
  readonly severity: string
  /** Of the rule's version; null where it is gone. */
  readonly parameters: Readonly<Record<string, unknown>> | null
  readonly vehicleId: string
  readonly deviceId: number
  readonly tripId: number | null
  readonly areaId: number
  readonly detail: string
  readonly start: string
  readonly end: string | null
  readonly decided: string
  readonly peak: number | null
  readonly peakTime: string | null
  readonly startLat: number | null
  readonly startLon: number | null
  readonly endLat: number | null
  readonly endLon: number | null
  readonly startAddress: AddressRow | null
  readonly endAddress: AddressRow | null
  readonly acknowledged: string | null
  readonly acknowledgedBy: string | null
  readonly note: string | null
  readonly isErased: boolean
  /** The incident of another device in the vehicle that counts in its place; then it is deleted. */
  readonly supersededBy: number | null
  readonly deleted: string | null
  readonly modified: string
}

const COLUMNS = sql`
  item.id, item.rule_id as "ruleId", item.rule_version as "ruleVersion", item.kind, item.severity, w.parameters,
  v.public_id as "vehicleId", item.device_id as "deviceId", t.id as "tripId", item.area_id as "areaId", item.detail,
  item.start_time as start, item.end_time as "end", item.decided_time as decided, item.peak, item.peak_time as "peakTime",
  item.start_latitude as "startLat", item.start_longitude as "startLon", item.end_latitude as "endLat",
  item.end_longitude as "endLon", ${addressColumn(sql`s`)} as "startAddress", ${addressColumn(sql`e`)} as "endAddress",
  item.acknowledged, item.acknowledged_by as "acknowledgedBy", item.note, item.is_erased as "isErased",
  item.superseded_by as "supersededBy", item.deleted,
  item.modified`

/** A trip is found by time: trips change without their incidents. */
const JOINS = sql`
  join vehicles v on v.id = item.vehicle_id
  left join rule_versions w on w.rule_id = item.rule_id and w.version = item.rule_version
  left join addresses s on s.id = item.start_address_id
  left join addresses e on e.id = item.end_address_id
  left join lateral (
    select last.id from (
      select id, start_time, end_time, is_open from trips
      where vehicle_id = item.vehicle_id and start_time <= item.start_time and deleted is null
      order by start_time desc limit 1
    ) last where last.end_time >= item.start_time or last.is_open
  ) t on not item.is_erased`

/** GET /incidents: by start, or by modifyTimestamp with a filter. */
export async function listIncidents(
  connection: Connection,
  accountId: number,
  query: IncidentListQuery & GivenLowWatermark,
): Promise<SyncPage<IncidentRow>> {
  const begin = sql`item.start_time`
  return readSyncPage(
    connection,
    {
      name: 'incidents',
      from: [sql`incidents item`],
      conditions: [...(await timedListConditions(connection, accountId, query, begin)), ...conditionsOf(query)],
      found: sql`item.*`,
      joins: JOINS,
      columns: COLUMNS,
      order: timedListOrder('start', begin),
      keepsNewest: true,
    },
    query,
  )
}

function conditionsOf({
  ruleId,
  areaId,
  kind,
  severity,
  state,
  isAcknowledged,
  filterTimestamp,
}: IncidentListQuery): Statement[] {
  const changing = Object.entries({ severity, state, isAcknowledged }).find(([, value]) => value !== undefined)
  if (changing && filterTimestamp !== undefined)
    throw badRequest(`${changing[0]} cannot be used with filterTimestamp: what no longer matches would be missed.`)
  const conditions: Statement[] = []
  if (ruleId !== undefined) conditions.push(isId(sql`item.rule_id`, ruleId))
  if (areaId !== undefined) conditions.push(isId(sql`item.area_id`, areaId))
  if (kind !== undefined) conditions.push(sql`item.kind = any(${kind}::text[])`)
  if (severity !== undefined) conditions.push(sql`item.severity = any(${severity}::text[])`)
  if (state !== undefined)
    conditions.push(state === 'open' ? sql`item.end_time is null` : sql`item.end_time is not null`)
  if (isAcknowledged !== undefined)
    conditions.push(isAcknowledged ? sql`item.acknowledged is not null` : sql`item.acknowledged is null`)
  return conditions
}

/** A text that can be no id matches nothing. */
function isId(column: Statement, text: string): Statement {
  const id = numberIdOf(text)
  return id === undefined ? sql`false` : sql`${column} = ${id}::bigint`
}

/** @returns undefined when the account has no such incident; a withdrawn one is found */
export async function findIncident(
  connection: Connection,
  accountId: number,
  incidentId: string,
): Promise<IncidentRow | undefined> {
  const id = numberIdOf(incidentId)
  if (id === undefined) return undefined
  const [row] = await connection.rows<IncidentRow>(
    sql`select ${COLUMNS} from incidents item ${JOINS} where item.id = ${id} and item.account_id = ${accountId}`,
    { prepareAs: 'find-incident' },
  )
  return row
}

interface Acknowledgement {
  /** By name. */
  readonly by: string
  readonly note: string
}

/**
 * Keeps who acknowledged an incident, or takes that back. Nothing that follows from samples changes, so its device need not be held.
 * @returns false when the account has no such incident, or its device was deleted
 */
export async function acknowledge(
  transaction: Transaction,
  { accountId, incidentId }: { readonly accountId: number; readonly incidentId: number },
  given: Acknowledgement | undefined,
): Promise<boolean> {
  const [found] = await transaction.rows(sql`
    select from incidents where id = ${incidentId} and account_id = ${accountId} and not is_erased for no key update`)
  if (!found) return false
  await transaction.rows(sql`
    update incidents set
      acknowledged = ${given ? sql`clock_timestamp()` : sql`null`}, acknowledged_by = ${given?.by ?? null},
      note = ${given?.note ?? null}, modified = ${await transaction.takeRevisions(1)}::timestamptz
    where id = ${incidentId} and account_id = ${accountId}`)
  return true
}
