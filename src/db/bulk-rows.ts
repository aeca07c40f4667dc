import { revisionAfter } from './revisions.ts'
import { listOf, type Statement, sql, verbatim } from './sql.ts'
import { TABLES } from './tables.ts'
import type { Transaction } from './transaction.ts'
import { instantOfMs } from './values.ts'

/**
 * Many rows in one statement: each column is sent as one array. The columns are the fields of the rows; an unknown
 * column, one of the wrong type, and a missing required one do not compile.
 */

/** The type of a column's value in the program. */
interface ValueTypes {
  bigint: number
  boolean: boolean
  bytea: Buffer
  date: string
  float8: number
  integer: number
  jsonb: string
  text: string
  /** Text as the database reads it, or milliseconds since 1970, which may be infinite. */
  timestamptz: string | number
  // Arrays in PostgreSQL's text form, because arrays of arrays must not be ragged.
  'bigint[]': string
  'float8[]': string
  'smallint[]': string
  'text[]': string
}

export type ColumnType = keyof ValueTypes
type Column = `${ColumnType}${'' | '?' | '='}`
type Columns = Readonly<Record<string, Column>>

type ValueOf<C> = C extends ColumnType
  ? ValueTypes[C]
  : C extends `${infer Type extends ColumnType}?`
    ? ValueTypes[Type] | null
    : C extends `${infer Type extends ColumnType}=`
      ? ValueTypes[Type]
      : never

/** Any of the columns, and nothing else. */
type SomeOf<C> = { readonly [Name in keyof C]?: ValueOf<C[Name]> }
type Needed<C> = { [Name in keyof C]: C[Name] extends ColumnType ? Name : never }[keyof C]
type NewRow<C> = SomeOf<C> & { readonly [Name in Needed<C>]: ValueOf<C[Name]> }
type NoOthers<Row, C> = { readonly [Name in Exclude<keyof Row, keyof C>]: never }
type AnyRow = Readonly<Record<string, unknown>>

type TableName = keyof typeof TABLES
type TableColumns<Table extends TableName> = (typeof TABLES)[Table]

/**
 * Adds rows.
 * @param rows at least one, all with the same columns
 * @param then what follows the rows: `on conflict …`, `returning …`
 */
export function insertOf<Table extends TableName, Row extends NewRow<TableColumns<Table>> & AnyRow>(
  table: Table,
  rows: readonly (Row & NoOthers<Row, TableColumns<Table>>)[],
  then: Statement = sql``,
): Statement {
  const names = namesOf(rows)
  return sql`insert into ${verbatim(table)} (${listOf(names.map(verbatim))})
    select ${listOf(names.map(name => castOf(TABLES[table], name)))} from ${unnest(TABLES[table], names, rows)} ${then}`
}

/** Inserts rows; an existing row with the same key gets all the other values. */
export function upsertOf<Table extends TableName, Row extends NewRow<TableColumns<Table>> & AnyRow>(
  table: Table,
  key: readonly (keyof Row & string)[],
  rows: readonly (Row & NoOthers<Row, TableColumns<Table>>)[],
): Statement {
  const others = namesOf(rows).filter(name => !key.includes(name))
  const values = listOf(others.map(name => verbatim(`${name} = excluded.${name}`)))
  return insertOf(table, rows, sql`on conflict (${listOf(key.map(verbatim))}) do update set ${values}`)
}

/**
 * Sets all other values of the rows with these keys.
 * @param rows at least one, all with the same columns
 */
export function updateOf<Table extends TableName, Row extends SomeOf<TableColumns<Table>> & AnyRow>(
  table: Table,
  key: readonly (keyof Row & string)[],
  rows: readonly (Row & NoOthers<Row, TableColumns<Table>>)[],
): Statement {
  const columns = TABLES[table]
  const names = namesOf(rows)
  const others = names.filter(name => !key.includes(name))
  const values = listOf(others.map(name => sql`${verbatim(name)} = ${castOf(columns, name)}`))
  const isRow = verbatim(key.map(name => `item.${name} = u.${name}`).join(' and '))
  return sql`update ${verbatim(table)} item set ${values} from ${unnest(columns, names, rows)} where ${isRow}`
}

/**
 * Rows as a table `u` in a statement, for what the functions above can not do. `jsonb` and arrays are texts in it, to be cast.
 * @param columns the columns of `u`
 */
export function unnestOf<C extends Columns>(
  columns: C,
  rows: readonly { readonly [Name in keyof C]: ValueOf<C[Name]> }[],
): Statement {
  return unnest(columns, Object.keys(columns), rows)
}

/** Rows with a revision for each, in their order. */
export async function revised<Row>(
  transaction: Transaction,
  rows: readonly Row[],
): Promise<(Row & { readonly modified: string })[]> {
  if (rows.length === 0) return []
  const first = await transaction.takeRevisions(rows.length)
  return rows.map((row, index) => ({ ...row, modified: revisionAfter(first, index) }))
}

function namesOf([first]: readonly AnyRow[]): string[] {
  if (!first) throw new Error('no rows to write')
  return Object.keys(first)
}

function unnest(columns: Columns, names: readonly string[], rows: readonly AnyRow[]): Statement {
  const arrays = names.map(name => {
    const type = typeOf(columns, name)
    const values = rows.map(row => (type === 'timestamptz' ? instantOf(row[name]) : row[name]))
    return sql`${values}::${verbatim(isWrittenAsText(type) ? 'text' : type)}[]`
  })
  return sql`unnest(${listOf(arrays)}) as u (${listOf(names.map(verbatim))})`
}

function castOf(columns: Columns, name: string): Statement {
  const type = typeOf(columns, name)
  return verbatim(isWrittenAsText(type) ? `u.${name}::${type}` : `u.${name}`)
}

function typeOf(columns: Columns, name: string): string {
  const column = columns[name]
  if (column === undefined) throw new Error(`no column ${name}`)
  return column.replace(/[?=]$/, '')
}

function isWrittenAsText(type: string): boolean {
  return type === 'jsonb' || type.endsWith('[]')
}

function instantOf(value: unknown): unknown {
  return typeof value === 'number' ? instantOfMs(value) : value
}
