import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantOfMs } from '../../db/values.ts'
import { noteRuleChange } from '../../derive/incidents/rule-changes.ts'
import { ClientError } from '../../model/errors.ts'
import type { RuleDraft } from './read-rule.ts'

interface NewRule {
  readonly accountId: number
  readonly name: string
  readonly draft: RuleDraft
  readonly fromMs: number
  /** By name. */
  readonly savedBy: string
}

/** Adds a rule, which holds from an instant on.
 * @returns its id @throws ClientError 409 when the account has `mostRules` already */
export async function createRule(transaction: Transaction, rule: NewRule, mostRules: number): Promise<number> {
  const { accountId, draft, fromMs } = rule
  // From here on no other change of the account's rules is under way.
  await noteRuleChange(transaction, { accountId, fromMs, vehicleIds: draft.vehicleIds })
  const [counted] = await transaction.rows<{ rules: number }>(
    sql`select count(*) as rules from rules where account_id = ${accountId} and deleted is null`,
  )
  if ((counted?.rules ?? 0) >= mostRules)
    throw new ClientError(409, `This account has ${mostRules} rules already, which is the most (RULES_PER_ACCOUNT).`)
  const [created] = await transaction.rows<{ id: number }>(sql`
    insert into rules (account_id, name, version, modified)
    values (${accountId}, ${rule.name}, 1, ${await transaction.takeRevisions(1)}::timestamptz) returning id`)
  if (!created) throw new Error('a new rule got no row')
  await addVersion(transaction, { ...rule, ruleId: created.id, version: 1 })
  return created.id
}

/** Changes a rule from an instant on, undefined for now. Before, its old version holds; later changes are dropped.
 * @returns false when the account has no such rule */
export async function changeRule(
  transaction: Transaction,
  { ruleId, ...rule }: Omit<NewRule, 'fromMs'> & { readonly ruleId: number; readonly fromMs: number | undefined },
): Promise<boolean> {
  const { accountId, name, draft } = rule
  const stored = await lockRule(transaction, accountId, ruleId)
  if (!stored) return false
  const isSame = await isAsBefore(transaction, { ruleId, version: stored.version }, draft)
  const hasOtherTime = rule.fromMs !== undefined
  const version = isSame && !hasOtherTime ? stored.version : stored.version + 1
  if (version > stored.version) {
    const fromMs = rule.fromMs ?? stored.nowMs
    const former = await endVersions(transaction, ruleId, fromMs)
    await noteRuleChange(transaction, { accountId, fromMs, vehicleIds: togetherWith(former, draft.vehicleIds) })
    await addVersion(transaction, { ...rule, fromMs, ruleId, version })
  }
  await transaction.rows(sql`
    update rules set name = ${name}, version = ${version}, modified = ${await transaction.takeRevisions(1)}::timestamptz
    where id = ${ruleId}`)
  return true
}

/** Ends a rule at an instant, undefined for now; its findings stay.
 * @returns its name; undefined when the account has no such rule */
export async function deleteRule(
  transaction: Transaction,
  {
    accountId,
    ruleId,
    fromMs,
  }: { readonly accountId: number; readonly ruleId: number; readonly fromMs: number | undefined },
): Promise<string | undefined> {
  const stored = await lockRule(transaction, accountId, ruleId)
  if (!stored) return undefined
  const endMs = fromMs ?? stored.nowMs
  const former = await endVersions(transaction, ruleId, endMs)
  await noteRuleChange(transaction, { accountId, fromMs: endMs, vehicleIds: togetherWith(former, []) })
  await transaction.rows(sql`
    update rules set deleted = clock_timestamp(), modified = ${await transaction.takeRevisions(1)}::timestamptz
    where id = ${ruleId}`)
  return stored.name
}

type Vehicles = readonly number[] | null

/** null: all of the account. */
function togetherWith(former: readonly { readonly vehicle_ids: Vehicles }[], vehicleIds: Vehicles): Vehicles {
  const all = [vehicleIds, ...former.map(version => version.vehicle_ids)]
  const named = all.flatMap(ids => (ids === null ? [] : [ids]))
  return named.length < all.length ? null : [...new Set(named.flat())]
}

async function lockRule(transaction: Transaction, accountId: number, ruleId: number) {
  const [row] = await transaction.rows<{ name: string; version: number; nowMs: number }>(sql`
    select name, version, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"
    from rules where id = ${ruleId} and account_id = ${accountId} and deleted is null for update`)
  return row
}

async function isAsBefore(
  transaction: Transaction,
  { ruleId, version }: { readonly ruleId: number; readonly version: number },
  { kind, parameters, severity, vehicleIds, hours }: RuleDraft,
): Promise<boolean> {
  const rows = await transaction.rows(sql`
    select from rule_versions where rule_id = ${ruleId} and version = ${version}
      and kind = ${kind} and parameters = ${JSON.stringify(parameters)}::jsonb and severity = ${severity}
      and vehicle_ids is not distinct from ${vehicleIds}::bigint[]
      and hours is not distinct from ${hours && JSON.stringify(hours)}::jsonb`)
  return rows.length > 0
}

/** Versions that hold at an instant end there; those that were to hold from later on never do. @returns the versions that changed */
function endVersions(transaction: Transaction, ruleId: number, atMs: number) {
  return transaction.rows<{ vehicle_ids: Vehicles }>(sql`
    update rule_versions set to_time = greatest(from_time, ${instantOfMs(atMs)}::timestamptz)
    where rule_id = ${ruleId} and to_time > ${instantOfMs(atMs)}::timestamptz
    returning vehicle_ids`)
}

async function addVersion(
  transaction: Transaction,
  {
    accountId,
    ruleId,
    version,
    draft,
    fromMs,
    savedBy,
  }: Omit<NewRule, 'name'> & { readonly ruleId: number; readonly version: number },
): Promise<void> {
  const { kind, parameters, severity, vehicleIds, hours } = draft
  await transaction.rows(sql`
    insert into rule_versions (rule_id, version, account_id, kind, parameters, severity, from_time, vehicle_ids, hours, saved_by)
    values (${ruleId}, ${version}, ${accountId}, ${kind}, ${JSON.stringify(parameters)}::jsonb, ${severity},
      ${instantOfMs(fromMs)}::timestamptz, ${vehicleIds}::bigint[], ${hours && JSON.stringify(hours)}::jsonb, ${savedBy})`)
}
