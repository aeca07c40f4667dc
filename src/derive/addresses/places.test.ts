import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/database.ts'
import { deep } from '../../../test/deep.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { ensureAddresses } from './addresses.ts'

const database = await openTestDatabase()

describe('places of trips', () => {
  const ensure = (positions: readonly { lat: number; lon: number }[]) =>
    writeTransaction(database, transaction => ensureAddresses(transaction, positions))

  it('a place has one row, to about a metre, that waits for its texts', async () => {
    const [castle, again, other] = await ensure([
      { lat: 49.013489, lon: 8.404351 },
      { lat: 49.0134912, lon: 8.4043484 },
      { lat: 49.0135, lon: 8.40435 },
    ])
    expect(again).toBe(castle)
    expect(other).not.toBe(castle)
    expect(await ensure([{ lat: 49.01349, lon: 8.40435 }])).toEqual([castle])
    expect(await database.rows(sql`select lat, lon, texts, found from addresses where id = ${castle}`)).toEqual([
      { lat: 49.01349, lon: 8.40435, texts: {}, found: null },
    ])
  })

  it('any position finds its row again, whatever its digits', async () => {
    const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ lat: degrees(90), lon: degrees(180) }), { maxLength: 8 }),
        async positions => {
          const ids = await ensure(positions)
          expect(await ensure([...positions].toReversed())).toEqual([...ids].toReversed())
        },
      ),
      { numRuns: deep(15) },
    )
  })

  it('transactions that add the same places at once all get the same rows', async () => {
    const places = Array.from({ length: 40 }, (_, index) => ({ lat: 50 + index / 1000, lon: 8 }))
    const asked = await Promise.all(
      Array.from({ length: 4 }, (_, turn) => {
        const order = turn % 2 === 0 ? places : [...places].toReversed()
        return ensure(order).then(ids => (turn % 2 === 0 ? ids : ids.toReversed()))
      }),
    )
    expect(new Set(asked.map(ids => ids.join(',')))).toHaveLength(1)
    const [row] = await database.rows<{ count: number }>(
      sql`select count(*) from addresses where lon = 8 and lat >= 50`,
    )
    expect(row?.count).toBe(places.length)
  })
})
