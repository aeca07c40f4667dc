import { revisionAfter } from './revisions.ts'
import { listOf, type Statement, sql, verbatim } from './sql.ts'
import type { Transaction } from './transaction.ts'
import { instantOfMs } from './values.ts'

/** Many rows in one statement: each column is sent as one array. An unknown column or a wrong type does not compile. */

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

/** @param rows at least one, all with the same columns @param then such as `on conflict …`, `returning …` */
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

/** Sets all other values of the rows with these keys. @param rows at least one, all with the same columns */
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

/** Rows as a table `u` with these columns. `jsonb` and arrays are texts in it, to be cast. */
export function unnestOf<C extends Columns>(
  columns: C,
  rows: readonly { readonly [Name in keyof C]: ValueOf<C[Name]> }[],
): Statement {
  return unnest(columns, Object.keys(columns), rows)
}

/** Rows with a revision for each, in the same order. */
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

/** The types of columns; `?` where NULL is allowed; `=` where it has a default. A test compares them with the
 * database. */
export const TABLES = {
  account_volumes: { account_id: 'integer', week: 'date', bytes: 'bigint' },
  area_versions: { area_id: 'bigint', version: 'integer', valid_from: 'timestamptz', shape: 'jsonb' },
  areas: {
    id: 'bigint=',
    account_id: 'integer',
    name: 'text',
    kind: 'text',
    color: 'text',
    version: 'integer',
    deleted: 'timestamptz?',
    modified: 'timestamptz',
  },
  assignments: {
    device_id: 'bigint',
    account_id: 'integer',
    vehicle_id: 'bigint',
    from_time: 'timestamptz=',
    to_time: 'timestamptz=',
  },
  claims: { device_id: 'bigint', account_id: 'integer', state: 'text' },
  devices: {
    id: 'bigint',
    manufacturer: 'text=',
    hardware_type: 'text=',
    hardware_version: 'text=',
    firmware_version: 'text=',
    hardware_set: 'text=',
    is_online: 'boolean=',
    is_plugged_in: 'boolean?',
    is_claimed: 'boolean=',
    modified: 'timestamptz',
  },
  dtc_labels: { code: 'text', language: 'text', make: 'text=', label: 'text' },
  dtcs: {
    id: 'bigint=',
    device_id: 'bigint',
    account_id: 'integer',
    vehicle_id: 'bigint',
    ecu_type_id: 'integer',
    code: 'text',
    encoded: 'text',
    encoding: 'text',
    dtc_type: 'text',
    frame_list: 'text?',
    recorded: 'timestamptz',
    deleted: 'timestamptz?',
    is_retracted: 'boolean=',
    modified: 'timestamptz',
  },
  due_account_days: { account_id: 'integer', day: 'date' },
  fold_checkpoints: { device_id: 'bigint', before_time: 'timestamptz', state: 'text' },
  latest_values: {
    device_id: 'bigint',
    vehicle_id: 'bigint',
    types: 'smallint[]',
    times: 'bigint[]',
    numbers: 'float8[]',
    texts: 'text[]',
    modified: 'timestamptz',
  },
  misdated_samples: {
    device_id: 'bigint',
    time_ms: 'bigint',
    content: 'bytea',
    types: 'smallint[]',
    numbers: 'float8[]',
    texts: 'text[]',
  },
  operator_moves: { device_id: 'bigint', at_time: 'timestamptz', vehicle_id: 'bigint', is_new_vehicle: 'boolean' },
  rejected_frames: {
    gateway: 'text',
    device_id: 'bigint?',
    sender: 'text',
    why: 'text',
    reason: 'text=',
    byte_count: 'integer',
    bytes: 'bytea',
  },
  trips: {
    id: 'bigint=',
    device_id: 'bigint',
    account_id: 'integer',
    vehicle_id: 'bigint',
    start_time: 'timestamptz',
    end_time: 'timestamptz',
    is_open: 'boolean=',
    distance_m: 'integer',
    duration_s: 'integer',
    start_address_id: 'bigint?',
    end_address_id: 'bigint?',
    meters: 'jsonb=',
    polyline: 'text=',
    fix_count: 'integer=',
    modified: 'timestamptz',
  },
  vehicles: {
    id: 'bigint=',
    account_id: 'integer',
    first_device_id: 'bigint',
    vin: 'text?',
    vin_by_operator: 'boolean=',
    make: 'text=',
    make_by_operator: 'boolean=',
    model: 'text=',
    vehicle: 'text=',
    fuel_type: 'text=',
    fuel_type_set: 'text=',
    kba: 'text=',
    license_plate: 'text=',
    color: 'text=',
    car_group: 'text=',
    tecdoc_make_id: 'integer=',
    tecdoc_model_id: 'integer=',
    tecdoc_vehicle_id: 'integer=',
    modified: 'timestamptz',
  },
  vin_runs: {
    device_id: 'bigint',
    first_time: 'timestamptz',
    boundary: 'timestamptz',
    vin: 'text',
    is_confirmed: 'boolean',
  },
} as const
