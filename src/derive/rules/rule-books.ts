import { RULE_KINDS, type RuleKindName, ruleKindByName } from '../../catalogue/rule-kinds/index.ts'
import { type Connection, type Statement, sql } from '../../db/sql.ts'
import { instantMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { AreaVersion, RuleBook, RulesOfDevice, RuleVersion } from './rule-book.ts'

/** A time in which a device was in a car, and the revision of the rules of its account; null where it never had any. */
export interface RuledAssignment {
  readonly account_id: number
  readonly vehicle_id: number
  readonly from_time: string
  readonly to_time: string
  readonly rules_revision: string | null
}

/** The rules of a device, and a text that is another one when they are others. */
export interface KnownRules {
  readonly rules: RulesOfDevice
  readonly key: string
}

/** Of a device whose accounts never had a rule. */
export const NO_RULES: KnownRules = { rules: { assignments: [] }, key: '' }

/** The revision of the rules of the account of the assignment `a`. */
export const RULES_REVISION = sql`(select b.revision from rule_books b where b.account_id = a.account_id)`

/** Books of accounts by their revision: a book has all versions of rules and areas, so it is read only when something of it changed. */
const remembered = new Map<number, RevisedBook>()
/** More accounts than usually report within a minute. */
const MOST_BOOKS = 500

interface RevisedBook {
  readonly revision: string
  readonly book: RuleBook
}

/** The rules of devices. `assignments` must come with their revisions from one statement. A book changed since then is
 * read as it is now; its change lets the devices be folded again. */
export async function rulesOf(
  connection: Connection,
  assignments: ReadonlyMap<DeviceId, readonly RuledAssignment[]>,
): Promise<ReadonlyMap<DeviceId, KnownRules>> {
  const revisions = new Map<number, string>()
  for (const rows of assignments.values())
    for (const row of rows) if (row.rules_revision !== null) revisions.set(row.account_id, row.rules_revision)
  if (revisions.size === 0) return new Map()
  const books = await booksOf(connection, revisions)
  const known = new Map<DeviceId, KnownRules>()
  for (const [deviceId, rows] of assignments) {
    const inOrder = rows.length < 2 ? rows : [...rows].sort((x, y) => instantMs(x.from_time) - instantMs(y.from_time))
    const ofDevice: RulesOfDevice['assignments'][number][] = []
    const keys: string[] = []
    for (const { account_id, vehicle_id, from_time, to_time } of inOrder) {
      const found = books.get(account_id)
      if (!found) continue
      const { revision, book } = found
      ofDevice.push({ fromMs: instantMs(from_time), toMs: instantMs(to_time), vehicleId: vehicle_id, book })
      keys.push(`${account_id} ${revision} ${vehicle_id} ${from_time} ${to_time}`)
    }
    if (ofDevice.length > 0) known.set(deviceId, { rules: { assignments: ofDevice }, key: keys.join() })
  }
  return known
}

/** The areas of an account, for a rule that is in no book; none where its kind names none. */
export async function readAreaVersions(
  connection: Connection,
  accountId: number,
  kind: RuleKindName,
): Promise<AreaVersion[]> {
  if (!namesAreas(kind)) return []
  return (await connection.rows<StoredAreaVersion>(areaVersionsOf(accountId))).map(areaVersionOf)
}

async function booksOf(
  connection: Connection,
  revisions: ReadonlyMap<number, string>,
): Promise<Map<number, RevisedBook>> {
  const books = new Map<number, RevisedBook>()
  const missing: number[] = []
  for (const [accountId, revision] of revisions) {
    const known = remembered.get(accountId)
    if (known?.revision === revision) books.set(accountId, known)
    else missing.push(accountId)
  }
  if (missing.length === 0) return books
  const rows = await connection.rows<RuleBookRow>(sql`${RULE_BOOKS} where b.account_id = any(${missing}::integer[])`)
  for (const row of rows) {
    const read = { revision: row.revision, book: bookOfRow(row) }
    remembered.delete(row.accountId)
    const [oldest] = remembered.keys()
    if (remembered.size >= MOST_BOOKS && oldest !== undefined) remembered.delete(oldest)
    remembered.set(row.accountId, read)
    books.set(row.accountId, read)
  }
  return books
}

export interface RuleBookRow {
  readonly accountId: number
  readonly revision: string
  readonly rules: readonly StoredRuleVersion[]
  /** Empty while no rule names areas. */
  readonly areas: readonly StoredAreaVersion[]
}

type StoredAreaVersion = Omit<AreaVersion, 'fromMs' | 'toMs'> & StoredRange

/** Milliseconds since 1970; null where it is infinite. */
interface StoredRange {
  readonly fromMs: number | null
  readonly toMs: number | null
}

type StoredRuleVersion = Omit<RuleVersion, 'kind' | 'fromMs' | 'toMs'> & StoredRange & { readonly kind: string }

const AREA_KINDS = RULE_KINDS.filter(({ parameters }) => parameters.some(({ type }) => type === 'areas')).map(
  ({ name }) => name,
)

/** An instant as milliseconds; null where it is infinite. */
const ms = (column: Statement) =>
  sql`case when isfinite(${column}) then round(extract(epoch from ${column}) * 1000) end`

function namesAreas(kind: RuleKindName): boolean {
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
const areaVersionsOf = (accountId: number) => sql`
  select area_id as "areaId", version, shape, ${ms(sql`from_time`)}::float8 as "fromMs", ${ms(sql`to_time`)}::float8 as "toMs"
  from (${areasOf(sql`${accountId}`)}) area where from_time < to_time order by area_id, version`

function areaVersionOf(row: StoredAreaVersion): AreaVersion {
  return { ...row, ...rangeOf(row) }
}

/** Rules of kinds that this version does not know are left out. */
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
