import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { type Statement, sql } from './sql.ts'

const database = await openTestDatabase()

describe('arrays reach PostgreSQL as they are', () => {
  const sent = async (array: Statement) =>
    (await database.rows<{ items: unknown[] }>(sql`select ${array} as items`))[0]?.items

  // PostgreSQL knows no NUL in texts, and no halves of surrogate pairs.
  const text = fc.string({ unit: 'grapheme' }).filter(item => !item.includes('\0'))
  const awkward = fc.constantFrom('', 'NULL', 'null', '{}', '"', '\\', '\\"', 'a,b', ' ', "'", '\n', '{"a":"b"}')

  it('texts, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(text, awkward, fc.constant(null)), { maxLength: 20 }), async items => {
        expect(await sent(sql`${items}::text[]`)).toEqual(items)
      }),
      { numRuns: 50 },
    )
  })

  it('numbers, to the last digit', async () => {
    const number = fc.double({ noNaN: true }).map(value => (value === 0 ? 0 : value))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(number, fc.constant(null)), { maxLength: 20 }), async items => {
        expect(await sent(sql`${items}::float8[]`)).toEqual(items)
      }),
      { numRuns: 50 },
    )
  })

  it('truth values, and arrays of anything else', async () => {
    expect(await sent(sql`${[true, false, null]}::boolean[]`)).toEqual([true, false, null])
    expect(await sent(sql`${[]}::bigint[]`)).toEqual([])
    expect(await sent(sql`${[['a', '"'], ['b', null]]}::text[]`)).toEqual([
      ['a', '"'],
      ['b', null],
    ])
    expect(await sent(sql`${[new Date(0)]}::timestamptz[]`)).toEqual(['1970-01-01T00:00:00.000000Z'])
    expect(await sent(sql`${[Buffer.from([0, 255])]}::bytea[]`)).toEqual([Buffer.from([0, 255])])
  })
})
