import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anySample } from '../../../test/any-sample.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { deep } from '../../../test/deep.ts'
import { type Database, openDatabase } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { instantMs } from '../../db/values.ts'
import { type DeviceId, eventsOf } from '../../model/sample.ts'
import { type StoredSample, sealedBodyOf } from './sealed-body.ts'

const DEVICE = 356307042441013 as DeviceId
const DAY_MS = Date.UTC(2026, 0, 12)

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

interface UnsealedRow {
  readonly time: string
  readonly stored: string
  readonly type: number
  readonly numbers: number[] | null
  readonly value_text: string | null
}

const unseal = (body: Buffer) =>
  database.rows<UnsealedRow>(
    sql`select time, stored, type, numbers, value_text from unseal(${body}) order by time, type`,
  )

/** The values of samples as `unseal` gives them. */
function valuesOf(samples: readonly StoredSample[]) {
  return samples.flatMap(sample =>
    [...eventsOf(sample)].map(([type, value]) => ({
      timeMs: sample.timeMs,
      type,
      value: typeof value === 'object' ? [value.lon, value.lat] : typeof value === 'string' ? value : [Number(value)],
    })),
  )
}

const read = (rows: readonly UnsealedRow[]) =>
  rows.map(({ time, type, numbers, value_text: text }) => ({ timeMs: instantMs(time), type, value: numbers ?? text }))

const anyDay = fc
  .uniqueArray(
    anySample({ deviceIds: fc.constant(DEVICE), timesMs: fc.integer({ min: DAY_MS, max: DAY_MS + 86_399_999 }) }),
    { selector: ({ timeMs }) => timeMs, minLength: 1, maxLength: 12 },
  )
  .map(samples =>
    samples
      .toSorted((a, b) => a.timeMs - b.timeMs)
      .map((sample, index): StoredSample => ({ ...sample, storedUs: (DAY_MS + index) * 1000 + 7, layoutId: 0 })),
  )

it('SQL reads any sealed day as it was', async () => {
  await fc.assert(
    fc.asyncProperty(anyDay, async samples => {
      expect(read(await unseal(await sealedBodyOf(samples)))).toEqual(valuesOf(samples))
    }),
    { numRuns: deep(15), endOnFailure: true },
  )
})

it('SQL reads a drive, every coding of which is deflated', async () => {
  const speed = (step: number) => Math.round(50 + 30 * Math.sin(step / 40) + ((step * 7919) % 13))
  const samples = Array.from(
    { length: 900 },
    (_, step): StoredSample => ({
      deviceId: DEVICE,
      timeMs: DAY_MS + step * 1000 + (step % 3),
      types: [98, 113, 115].map(type => type as StoredSample['types'][number]),
      numbers: [11.5 + step / 1e4, 48.1 + Math.sin(step) / 3, speed(step)],
      texts: [`car ${step % 5}`],
      storedUs: (DAY_MS + Math.floor(step / 10) * 10_000) * 1000,
      layoutId: 3,
    }),
  )
  expect(read(await unseal(await sealedBodyOf(samples)))).toEqual(valuesOf(samples))
})
