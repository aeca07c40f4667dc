import {
  type ParameterValue,
  type RuleKindName,
  ruleKindByName,
  type Severity,
} from '../../catalogue/rule-kinds/index.ts'
import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { areaIdsOf } from '../../derive/incidents/derive/rule-book.ts'
import type { WeeklyHours } from '../../derive/incidents/derive/weekly-hours.ts'
import { badRequest } from '../../model/errors.ts'
import { readParameters } from './parameters.ts'
import { readHours, type WrittenHours } from './weekly-hours.ts'

/** A rule as a client writes it. */
interface WrittenRule {
  readonly kind: string
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly severity?: Severity
  /** Public ids; null: all of the account. */
  readonly vehicleIds?: readonly string[] | null
  readonly hours?: WrittenHours | null
}

/** What a rule asks for. */
export interface RuleWish {
  readonly kind: RuleKindName
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly severity: Severity
  readonly vehicleIds: readonly number[] | null
  readonly hours: WeeklyHours | null
}

/**
 * Reads what a rule asks for.
 * @throws ClientError 400 naming what is wrong: the kind, a parameter, an area or a vehicle that the account does not have
 */
export async function readRule(connection: Connection, accountId: number, rule: WrittenRule): Promise<RuleWish> {
  const kind = ruleKindByName(rule.kind)
  if (!kind)
    throw badRequest(
      `kind must be one of those of /rule-kinds; there is no ${JSON.stringify(rule.kind.slice(0, 100))}.`,
    )
  const parameters = readParameters(kind, rule.parameters ?? {})
  await requireAreas(connection, accountId, areaIdsOf({ kind: kind.name, parameters }) ?? [])
  return {
    kind: kind.name,
    parameters,
    severity: rule.severity ?? kind.severity,
    vehicleIds: await readVehicles(connection, accountId, rule.vehicleIds ?? null),
    hours: rule.hours ? readHours(rule.hours) : null,
  }
}

async function requireAreas(connection: Connection, accountId: number, areaIds: readonly number[]): Promise<void> {
  const [missing] = await connection.rows<{ id: number }>(sql`
    select u.id from unnest(${areaIds}::bigint[]) as u (id)
    where not exists (select from areas a where a.id = u.id and a.account_id = ${accountId} and a.deleted is null) limit 1`)
  if (missing) throw badRequest(`parameters name the area ${missing.id}, which this account does not have.`)
}

async function readVehicles(
  connection: Connection,
  accountId: number,
  publicIds: readonly string[] | null,
): Promise<readonly number[] | null> {
  if (publicIds === null) return null
  const rows = await connection.rows<{ public_id: string; id: number | null }>(sql`
    select u.public_id, coalesce(
      (select id from vehicles v where v.account_id = ${accountId} and v.public_id = u.public_id),
      (select vehicle_id from former_vehicle_ids f where f.account_id = ${accountId} and f.public_id = u.public_id)) as id
    from unnest(${publicIds}::text[]) as u (public_id)`)
  const missing = rows.find(({ id }) => id === null)
  if (missing) throw badRequest(`vehicleIds names ${missing.public_id}, which is no vehicle of this account.`)
  return [...new Set(rows.flatMap(({ id }) => id ?? []))].sort((a, b) => a - b)
}
