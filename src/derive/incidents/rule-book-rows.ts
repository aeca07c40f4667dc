import { RULE_KINDS, type RuleKindName, ruleKindByName } from '../../catalogue/rule-kinds/index.ts'
import { type Statement, sql } from '../../db/sql.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { AreaVersion, RuleBook, RuleVersion } from './derive/rule-book.ts'

/** A book as it is stored. */
export interface RuleBookRow {
  readonly accountId: number
  readonly revision: string
  readonly rules: readonly StoredRuleVersion[]
  /** Empty while no rule names areas. */
  readonly areas: readonly StoredAreaVersion[]
}

export type StoredAreaVersion = Omit<AreaVersion, 'fromMs' | 'toMs'> & StoredRange

/** Milliseconds since 1970; null where it is infinite. */
interface StoredRange {
  readonly fromMs: number | null
  readonly toMs: number | null
}

type StoredRuleVersion = Omit<RuleVersion, 'kind' | 'fromMs' | 'toMs'> & StoredRange & { readonly kind: string }

/** Kinds of rules that name areas. */
const AREA_KINDS = RULE_KINDS.filter(({ parameters }) => parameters.some(({ type }) => type === 'areas')).map(
  ({ name }) => name,
)

/** An instant as milliseconds; null where it is infinite. */
const ms = (column: Statement) =>
  sql`case when isfinite(${column}) then round(extract(epoch from ${column}) * 1000) end`

/** Whether rules of a kind name areas. */
export function namesAreas(kind: RuleKindName): boolean {
  return AREA_KINDS.includes(kind)
}

/** The versions of the areas of an account, each until a later one holds instead or the area is deleted. */
const areasOf = (accountId: Statement) => sql`
  select v.area_id, v.version, v.shape, v.valid_from as from_time,
    least(a.deleted, min(v.valid_from) over (
      partition by v.area_id order by v.version rows between 1 following and unbounded following), 'infinity') as to_time
  from areas a join area_versions v on v.area_id = a.id where a.account_id = ${accountId}`
const AREAS_OF_BOOK = areasOf(sql`b.account_id`)

/** Books of accounts `b`, each in one statement with its revision, so that both belong together. */
export const RULE_BOOKS = sql`
  select b.account_id as "accountId", b.revision, coalesce((
    select jsonb_agg(jsonb_build_object('ruleId', rule_id, 'version', version, 'kind', kind, 'parameters', parameters,
      'severity', severity, 'vehicleIds', to_jsonb(vehicle_ids), 'hours', hours,
      'fromMs', ${ms(sql`from_time`)}, 'toMs', ${ms(sql`to_time`)}) order by rule_id, version)
    from rule_versions where account_id = b.account_id and from_time < to_time
  ), '[]') as rules, coalesce((
    select jsonb_agg(jsonb_build_object('areaId', area_id, 'version', version, 'shape', shape,
      'fromMs', ${ms(sql`from_time`)}, 'toMs', ${ms(sql`to_time`)}) order by area_id, version)
    from (${AREAS_OF_BOOK}) area where from_time < to_time and exists (
      select from rule_versions where account_id = b.account_id and kind = any(${AREA_KINDS}::text[]))
  ), '[]') as areas
  from rule_books b`

/** All versions of the areas of an account that ever held. */
export const areaVersionsOf = (accountId: number) => sql`
  select area_id as "areaId", version, shape, ${ms(sql`from_time`)}::float8 as "fromMs", ${ms(sql`to_time`)}::float8 as "toMs"
  from (${areasOf(sql`${accountId}`)}) area where from_time < to_time order by area_id, version`

/** An area as it is stored. */
export function areaVersionOf(row: StoredAreaVersion): AreaVersion {
  return { ...row, ...rangeOf(row) }
}

/** Rules of kinds that this version does not know tell nothing. */
export function bookOfRow({ rules, areas }: RuleBookRow): RuleBook {
  return {
    rules: rules.flatMap(({ kind, ...rule }) => {
      const known = ruleKindByName(kind)
      return known ? [{ ...rule, kind: known.name, ...rangeOf(rule) }] : []
    }),
    areas: areas.map(areaVersionOf),
  }
}

function rangeOf({ fromMs, toMs }: StoredRange): TimeRange {
  return { fromMs: fromMs ?? Number.NEGATIVE_INFINITY, toMs: toMs ?? Number.POSITIVE_INFINITY }
}
