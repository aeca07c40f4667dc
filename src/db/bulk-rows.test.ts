import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { insertOf, revised, TABLES, unnestOf, updateOf, upsertOf } from './bulk-rows.ts'
import { sql } from './sql.ts'
import { writeTransaction } from './transaction.ts'

const database = await openTestDatabase()

it('the columns of tables are those of the database, with their types, whether they can be null, and which have a default', async () => {
  const columns = await database.rows<{ table: string; name: string; column: string }>(sql`
    select c.relname as table, a.attname as name,
      case format_type(a.atttypid, null) when 'timestamp with time zone' then 'timestamptz'
        else replace(format_type(a.atttypid, null), 'double precision', 'float8') end
      || case when not a.attnotnull then '?' when a.atthasdef or a.attidentity <> '' then '=' else '' end as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`)
  const actual = new Map(columns.map(({ table, name, column }) => [`${table}.${name}`, column]))
  const said = Object.entries(TABLES).flatMap(([table, named]) =>
    Object.entries(named).map(([name, column]) => [`${table}.${name}`, column] as const),
  )
  expect(said).toEqual(said.map(([name]) => [name, actual.get(name)]))
})

describe('rows in bulk', () => {
  const checkpoint = (device_id: number, before_time: number | string, state: string) => ({
    device_id,
    before_time,
    state,
  })
  const stored = () => database.rows(sql`select device_id, before_time, state from fold_checkpoints order by 1, 2`)

  it('are added, replaced by their key, and changed', async () => {
    await database.rows(insertOf('fold_checkpoints', [checkpoint(1, 0, 'a'), checkpoint(2, 'infinity', 'b')]))
    await database.rows(
      upsertOf(
        'fold_checkpoints',
        ['device_id', 'before_time'],
        [checkpoint(2, Number.POSITIVE_INFINITY, 'c'), checkpoint(3, 0, '{d,"e\\\'}')],
      ),
    )
    await database.rows(updateOf('fold_checkpoints', ['device_id'], [{ device_id: 1, state: 'f' }]))
    expect(await stored()).toEqual([
      checkpoint(1, '1970-01-01T00:00:00.000000Z', 'f'),
      checkpoint(2, 'infinity', 'c'),
      checkpoint(3, '1970-01-01T00:00:00.000000Z', '{d,"e\\\'}'),
    ])
  })

  it('can have arrays, null and bytes', async () => {
    await database.rows(insertOf('devices', [{ id: 1, modified: 0 }]))
    const row = {
      device_id: 1,
      time_ms: 5,
      content: Buffer.alloc(16, 7),
      types: '{1,2}',
      numbers: '{0.5}',
      texts: '{"a"}',
    }
    const [back] = await database.rows(
      insertOf('misdated_samples', [row], sql`returning types, numbers, texts, content`),
    )
    expect(back).toEqual({ types: [1, 2], numbers: [0.5], texts: ['a'], content: row.content })
    const frame = { gateway: 'g', device_id: null, sender: 's', why: 'w', byte_count: 1, bytes: Buffer.from('x') }
    expect(await database.rows(insertOf('rejected_frames', [frame], sql`returning device_id`))).toEqual([
      { device_id: null },
    ])
  })

  it('are a table of a statement, also without any', async () => {
    const rowsOf = (rows: readonly { id: number; by: number | null }[]) =>
      database.rows(sql`select u.id, u.by from ${unnestOf({ id: 'bigint', by: 'bigint?' }, rows)}`)
    expect(await rowsOf([])).toEqual([])
    expect(await rowsOf([{ id: 2 ** 52, by: null }])).toEqual([{ id: 2 ** 52, by: null }])
  })

  it('get a revision each, in their order', async () => {
    const rows = await writeTransaction(database, transaction => revised(transaction, [{ id: 1 }, { id: 2 }]))
    expect(rows.map(({ id }) => id)).toEqual([1, 2])
    expect(rows[0]!.modified < rows[1]!.modified).toBe(true)
  })

  it('do not compile with a column that the table lacks, of another type, or without one that it needs', () => {
    const vinRun = { device_id: 1, first_time: 0, boundary: 0, vin: '', is_confirmed: true }
    // @ts-expect-error: a misspelt column
    expect(() => insertOf('vin_runs', [{ ...vinRun, is_confirmd: true }])).toThrow('no column is_confirmd')
    // @ts-expect-error: another type
    insertOf('vin_runs', [{ ...vinRun, vin: 1 }])
    // @ts-expect-error: a column that has no default
    insertOf('vin_runs', [{ device_id: 1, first_time: 0, boundary: 0, vin: '' }])
    // @ts-expect-error: null where there is none
    updateOf('vin_runs', ['device_id'], [{ device_id: 1, vin: null }])
    // @ts-expect-error: a key that the rows lack
    updateOf('vin_runs', ['first_time'], [{ device_id: 1, vin: '' }])
    expect(() => insertOf('vin_runs', [])).toThrow('no rows')
  })
})
