import type { Client } from 'pg'

/** A table with rows of its own: one that is no partition, or a partition. */
export interface TableContents {
  readonly name: string
  /** `FOR VALUES …` of a partition; null for any other table. */
  readonly bound: string | null
  /** Columns that are written, in quotes where they need them. */
  readonly written: readonly string[]
  /** All columns, also those that PostgreSQL computes, each followed by its type. */
  readonly columns: readonly string[]
}

/** Makes a session print what the digests and the bounds of partitions rest on in the same way in every version. */
export async function printAlike(client: Client): Promise<void> {
  await client.query(`set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
    set extra_float_digits = 1; set bytea_output = 'hex'; set search_path = public; set statement_timeout = 0`)
}

export async function readTables(client: Client): Promise<TableContents[]> {
  const { rows } = await client.query<TableContents>(`
    select c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bound,
      coalesce(array_agg(quote_ident(attname) order by attnum) filter (where attgenerated = ''), '{}') as written,
      array_agg(quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) order by attname) as columns
    from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    group by c.oid order by c.relname`)
  return rows
}

/** How many rows a table has, and the sum of their hashes, which does not depend on their order. */
export async function readDigest(client: Client, { name, columns }: TableContents): Promise<string> {
  const values = columns.map(column => column.split(' ')[0]).join(', ')
  const { rows } = await client.query<{ digest: string }>(`
    select count(*) || ' rows, ' || coalesce(sum(('x' || left(md5(row(${values})::text), 15))::bit(60)::bigint), 0) as digest
    from only ${name}`)
  return rows[0]?.digest ?? ''
}

interface SequenceState {
  readonly name: string
  readonly lastValue: string
  readonly isCalled: boolean
}

/** Where sequences are, also those behind identity columns. */
export async function readSequences(client: Client): Promise<SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1`)
  const states: SequenceState[] = []
  for (const { name } of rows) {
    const state = await client.query<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${name}`,
    )
    const [found] = state.rows
    if (found) states.push({ name, lastValue: found.last, isCalled: found.called })
  }
  return states
}
