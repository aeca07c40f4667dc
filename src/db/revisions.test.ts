import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { turnableClock } from '../../test/turned-clock.ts'
import { revisionAfter, revisionUs } from './revisions.ts'
import { sql } from './sql.ts'
import { writeTransaction } from './transaction.ts'

/** The year 2255, where microseconds outgrow a number. */
const LATEST_EXACT_S = Math.floor(Number.MAX_SAFE_INTEGER / 1e6) - 10
const HOUR_US = 3_600_000_000

const database = await openTestDatabase({ writerCount: 12 })

describe('revisions', () => {
  const take = (wanted: number) => writeTransaction(database, transaction => transaction.takeRevisions(wanted))
  const nowUs = async () => {
    const [row] = await database.rows<{ now: string }>(sql`select clock_timestamp() as now`)
    return revisionUs(row?.now ?? '')
  }

  /** Takes revisions over many connections at once. @returns every single one, in microseconds. */
  async function takeMany(): Promise<number[]> {
    const connections = Array.from({ length: 12 }, async (_, connection) => {
      const taken: number[] = []
      for (let round = 0; round < 15; round++) {
        const wanted = 1 + ((connection + round) % 5)
        const first = revisionUs(await take(wanted))
        // On one connection each is greater than all before.
        expect(first).toBeGreaterThan(taken.at(-1) ?? 0)
        for (let offset = 0; offset < wanted; offset++) taken.push(first + offset)
      }
      return taken
    })
    return (await Promise.all(connections)).flat()
  }

  it('are given to one only, over many connections, and follow the clock', async () => {
    const beforeUs = await nowUs()
    const taken = await takeMany()
    const afterUs = await nowUs()
    expect(new Set(taken).size).toBe(taken.length)
    expect(Math.min(...taken)).toBeGreaterThanOrEqual(beforeUs)
    expect(Math.max(...taken)).toBeLessThan(afterUs + 1000)
  })

  it('are greater than any taken before, also by who rolled back', async () => {
    let abandoned = ''
    const failing = writeTransaction(database, async transaction => {
      abandoned = await transaction.takeRevisions(1000)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect((await take(1)) > revisionAfter(abandoned, 999)).toBe(true)
  })

  it('still increase and are unique when the clock was ahead and was set back', async () => {
    const aheadUs = (await nowUs()) + HOUR_US
    await database.writers.query(`select setval('revisions', ${aheadUs})`)
    const taken = await takeMany()
    expect(new Set(taken).size).toBe(taken.length)
    expect(Math.min(...taken)).toBeGreaterThan(aheadUs)
    // Who tells other nodes of a commit takes a revision, too.
    expect(Math.max(...taken)).toBeLessThan(aheadUs + taken.length + 100)
  })

  it('are never older than the transaction that takes them, even if the clock is set back meanwhile', async () => {
    await using clock = await turnableClock()
    await clock.turn(-1)
    await writeTransaction(clock.database, async transaction => {
      const [row] = await transaction.rows<{ start: string }>(sql`select now() as start`)
      expect((await transaction.takeRevisions(1)) >= (row?.start ?? '')).toBe(true)
    })
  })
})

describe('a revision', () => {
  const revision = fc
    .integer({ min: 0, max: LATEST_EXACT_S })
    .chain(seconds => fc.integer({ min: 0, max: 999_999 }).map(us => [seconds, us] as const))
    .map(([seconds, us]) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(us).padStart(6, '0')}Z`)

  it('can be counted on from, across seconds and years, and back', () => {
    fc.assert(
      fc.property(revision, fc.integer({ min: 0, max: 5_000_000 }), (first, offset) => {
        const later = revisionAfter(first, offset)
        expect(revisionAfter(later, -offset)).toBe(first)
        expect(revisionUs(later) - revisionUs(first)).toBe(offset)
        expect(later >= first).toBe(true)
      }),
    )
    expect(revisionAfter('2024-12-31T23:59:59.999999Z', 1)).toBe('2025-01-01T00:00:00.000000Z')
    expect(revisionAfter('1970-01-01T00:00:00.000000Z', -1)).toBe('1969-12-31T23:59:59.999999Z')
  })
})
