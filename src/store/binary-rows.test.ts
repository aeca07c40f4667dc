import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anySample } from '../../test/any-sample.ts'
import { openTestDatabase } from '../../test/database.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { lockDevices } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type DeviceId, type Sample, sampleOf } from '../model/sample.ts'
import { insertSamples, readSamplesAt, replaceSamples } from './append.ts'
import { Partitions } from './partitions.ts'

const FIRST_MS = Date.UTC(2000, 0, 1)
const LAST_MS = Date.UTC(2100, 0, 1)
/** Two weeks, so that not every sample needs a partition of its own. */
const BUSY_MS = Date.UTC(2024, 11, 30)
const WEEK_MS = 7 * 24 * 3600 * 1000

const samples = fc.uniqueArray(
  anySample({ timesMs: fc.integer({ min: BUSY_MS - WEEK_MS, max: BUSY_MS + WEEK_MS - 1 }) }),
  { selector: ({ deviceId, timeMs }) => `${deviceId} ${timeMs}`, minLength: 1, maxLength: 20 },
)

const database = await openTestDatabase()
const partitions = new Partitions(database)

describe('samples written by COPY', () => {
  const write = async (way: typeof insertSamples, written: readonly Sample[]) => {
    await partitions.ensure(written.map(({ timeMs }) => timeMs))
    return writeTransaction(database, async transaction => {
      const stored = await transaction.takeRevisions(1)
      const locked = await lockDevices(
        transaction,
        written.map(({ deviceId }) => deviceId),
      )
      await way(locked, written, stored)
      return stored
    })
  }
  const read = (keys: readonly Sample[]) => writeTransaction(database, transaction => readSamplesAt(transaction, keys))
  const inOrder = (some: readonly Sample[]) => [...some].sort((a, b) => a.deviceId - b.deviceId || a.timeMs - b.timeMs)

  it('read back equal: every double, every text, nothing at all', async () => {
    await fc.assert(
      fc.asyncProperty(samples, async written => {
        await write(insertSamples, written)
        expect(inOrder(await read(written))).toEqual(inOrder(written))
        await database.writers.query('delete from samples')
      }),
      { numRuns: 60 },
    )
  })

  it('read back equal after they were replaced, with a new revision', async () => {
    const twoVersions = samples.chain(before =>
      fc.tuple(
        fc.constant(before),
        fc.tuple(
          ...before.map(({ deviceId, timeMs }) =>
            anySample({ deviceIds: fc.constant(deviceId), timesMs: fc.constant(timeMs) }),
          ),
        ),
      ),
    )
    await fc.assert(
      fc.asyncProperty(twoVersions, async ([before, after]) => {
        await write(insertSamples, before)
        const revision = await write(replaceSamples, after)
        expect(inOrder(await read(after))).toEqual(inOrder(after))
        expect(await database.rows(sql`select distinct stored from samples`)).toEqual([{ stored: revision }])
        await database.writers.query('delete from samples')
      }),
      { numRuns: 30 },
    )
  })

  it.each([FIRST_MS, FIRST_MS + 1, Date.UTC(2024, 1, 29, 23, 59, 59, 999), LAST_MS])(
    'keep their time to the millisecond: %d',
    async timeMs => {
      const sample = sampleOf(Number.MAX_SAFE_INTEGER as DeviceId, timeMs, new Map())
      await write(insertSamples, [sample])
      expect(await read([sample])).toEqual([sample])
      const rows = await database.rows<{ time: string }>(sql`select time from samples`)
      expect(rows).toEqual([{ time: `${new Date(timeMs).toISOString().slice(0, -1)}000Z` }])
      await database.writers.query('delete from samples')
    },
  )

  it('may be larger than any buffer', async () => {
    const speed = requiredEventType('GPS_SPEED').id
    const vin = requiredEventType('VIN').id
    const many = Array.from({ length: 20_000 }, (_, index) =>
      sampleOf(1 as DeviceId, BUSY_MS + index, new Map<typeof speed, number | string>([[speed, index]])),
    )
    const long = sampleOf(2 as DeviceId, BUSY_MS, new Map([[vin, '😀'.repeat(100_000)]]))
    await write(insertSamples, [...many, long])
    expect(await read([long])).toEqual([long])
    expect(inOrder(await read(many))).toEqual(many)
  })
})
