import {
  type ParameterValue,
  type RuleKindName,
  ruleKindByName,
  type Severity,
} from '../../../catalogue/rule-kinds/index.ts'
import { type Connection, sql } from '../../../db/sql.ts'
import type { WeeklyHours } from '../../../derive/rules/weekly-hours.ts'
import { writtenHours } from '../../../fleet/rules/read-rule.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { changesOfList, type GivenLowWatermark, readSyncPage, type SyncPage } from '../../lists.ts'

/** A version of a rule as it is stored. */
interface AskedRow {
  readonly version: number
  readonly kind: RuleKindName
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly severity: Severity
  /** Public ids. */
  readonly vehicleIds: string[] | null
  readonly hours: WeeklyHours | null
  readonly from: string
}

interface RuleRow extends AskedRow {
  readonly id: number
  readonly name: string
  readonly created: string
  readonly deleted: string | null
  readonly modified: string
}

interface VersionRow extends AskedRow {
  readonly to: string
  readonly saved: string
  readonly savedBy: string
}

const ASKED = sql`
  w.version, w.kind, w.parameters, w.severity, w.hours, w.from_time as "from",
  case when w.vehicle_ids is not null then array(
    select v.public_id from vehicles v where v.id = any(w.vehicle_ids) order by v.public_id) end as "vehicleIds"`
const COLUMNS = sql`item.id, item.name, item.created, item.deleted, item.modified, ${ASKED}`
const JOINS = sql`join rule_versions w on w.rule_id = item.id and w.version = item.version`

interface RuleListOptions {
  readonly includeDeleted?: boolean | undefined
  readonly filterTimestamp?: string | undefined
  readonly maxResults?: number | undefined
  readonly cursor?: string | undefined
}

/** GET /rules: by id, or by modifyTimestamp with a filter. */
export function listRules(
  connection: Connection,
  accountId: number,
  query: RuleListOptions & GivenLowWatermark,
): Promise<SyncPage<RuleRow>> {
  const isWhole = query.filterTimestamp === undefined && !query.includeDeleted
  return readSyncPage(
    connection,
    {
      name: 'rules',
      from: [sql`rules item`],
      conditions: [sql`item.account_id = ${accountId}`, ...(isWhole ? [sql`item.deleted is null`] : [])],
      found: sql`item.*`,
      joins: JOINS,
      columns: COLUMNS,
      order: [{ field: 'id', column: sql`item.id`, kind: 'number' }],
      keepsNewest: false,
    },
    query,
  )
}

/** @returns undefined when the account has no such rule; a deleted one is found */
export async function findRule(
  connection: Connection,
  accountId: number,
  ruleId: number,
): Promise<RuleRow | undefined> {
  const [row] = await connection.rows<RuleRow>(sql`
    select ${COLUMNS} from rules item ${JOINS} where item.id = ${ruleId} and item.account_id = ${accountId}`)
  return row
}

/** The newest first. */
export function readVersions(connection: Connection, ruleId: number): Promise<VersionRow[]> {
  return connection.rows<VersionRow>(sql`
    select ${ASKED}, w.to_time as "to", w.saved, w.saved_by as "savedBy"
    from rule_versions w where w.rule_id = ${ruleId} order by w.version desc`)
}

/** A rule as clients see it. */
export function ruleOf({ id, name, created, deleted, modified, ...asked }: RuleRow) {
  return {
    id: String(id),
    name,
    ...askedOf(asked),
    createdTimestamp: millisecondText(created),
    deleteTimestamp: deleted === null ? null : millisecondText(deleted),
    modifyTimestamp: modified,
  }
}

export function versionOf({ to, saved, savedBy, ...asked }: VersionRow) {
  return {
    ...askedOf(asked),
    toTimestamp: to === 'infinity' ? null : millisecondText(to),
    savedTimestamp: millisecondText(saved),
    savedBy,
  }
}

function askedOf({ version, kind, parameters, severity, vehicleIds, hours, from }: AskedRow) {
  const areas = ruleKindByName(kind)?.parameters.filter(({ type }) => type === 'areas') ?? []
  return {
    version,
    kind,
    // Areas have ids as texts.
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        areas.some(area => area.name === name) && Array.isArray(value) ? value.map(String) : value,
      ]),
    ),
    severity,
    vehicleIds,
    hours: hours && writtenHours(hours),
    fromTimestamp: millisecondText(from),
  }
}

/** Rules in the feed of changes. */
export const ruleChanges = changesOfList('rules', listRules, rows => rows.map(row => JSON.stringify(ruleOf(row))))
