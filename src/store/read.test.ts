import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { anySample } from '../../test/any-sample.ts'
import { createTestDatabase } from '../../test/database.ts'
import { deep } from '../../test/deep.ts'
import { storeSamples } from '../../test/sample-store.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { type EventTypeId, requiredEventType } from '../catalogue/event-types.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { DAY_MS } from '../model/time-range.ts'
import { readSamplesAt } from './append.ts'
import { readFixesOfIntervals, readFixesWithin } from './fixes.ts'
import { Partitions } from './partitions.ts'
import {
  readFleetSamples,
  readNewestOfLayouts,
  readNewestWith,
  readOldestWith,
  readSamples,
  readSamplesFrom,
  readStretch,
} from './read.ts'
import { readStoredSamples, type StoredPosition, storedPositionOf } from './read-stored.ts'
import { numbersOf, type RawConnection, type RawSample, textsOf, withRawConnection } from './samples.ts'
import { rangeOfDay } from './sealed/days.ts'
import { sealDay } from './sealed/seal.ts'

const DEVICES = [356307042441013, 356307042441021, 356307042441039] as DeviceId[]
const FIRST_MS = Date.UTC(2026, 0, 10)
const DAYS = 4
const EXTENT = { fromMs: FIRST_MS, toMs: FIRST_MS + DAYS * DAY_MS }
const TYPES = (['BATTERY_VOLTAGE', 'GPS_SPEED', 'POSITION', 'VIN', 'ALARM_SYSTEM'] as const).map(requiredEventType)
const SPEED = requiredEventType('GPS_SPEED').id

/** Few instants, so that batches repeat and replace what is stored. */
const anyBatch = fc.uniqueArray(
  anySample({
    deviceIds: fc.constantFrom(...DEVICES),
    timesMs: fc.integer({ min: 0, max: DAYS * 12 - 1 }).map(step => FIRST_MS + (step * DAY_MS) / 12),
    types: TYPES,
    minTypes: 1,
  }),
  { selector: ({ deviceId, timeMs }) => `${deviceId} ${timeMs}`, minLength: 8, maxLength: 40 },
)
const anySealing = fc.subarray(
  DEVICES.flatMap(deviceId => Array.from({ length: DAYS }, (_, day) => [deviceId, day] as const)),
  { minLength: 4 },
)
const anyHistory = fc.array(fc.record({ batch: anyBatch, sealed: anySealing }), { minLength: 2, maxLength: 4 })

interface Store {
  readonly database: Database
  readonly accountId: number
}

/** One is sealed now and then, the other never. */
let sealing: Store
let plain: Store

const testDatabases = [await createTestDatabase(), await createTestDatabase()]
const stores = testDatabases.map(async ({ url }) => {
  const database = openDatabase({ url })
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  await new Partitions(database).ensure([EXTENT.fromMs, EXTENT.toMs])
  return { database, accountId }
})
const [first, second] = await Promise.all(stores)
if (!first || !second) throw new Error('two stores')
;[sealing, plain] = [first, second]
afterAll(async () => {
  for (const { database } of [sealing, plain]) await database.close()
  for (const testDatabase of testDatabases) await testDatabase.drop()
})

const store = (to: Store, samples: readonly Sample[]) => storeSamples(to, samples)

const empty = async ({ database }: Store) => {
  await database.writers.query(
    'delete from samples; delete from sealed_days; delete from device_states; delete from due; delete from latest_values; delete from fold_checkpoints; delete from trips; delete from dtcs; delete from claims; delete from assignments; delete from vehicles; delete from devices',
  )
}

const textOf = (sample: RawSample) =>
  JSON.stringify([sample.deviceId, sample.timeMs, sample.layout.text, numbersOf(sample), textsOf(sample)])
const textOfSample = ({ deviceId, timeMs, types, numbers, texts }: Sample) =>
  JSON.stringify([deviceId, timeMs, `{${types.join()}}`, numbers, texts])

async function all(chunks: AsyncIterable<readonly RawSample[]>): Promise<RawSample[]> {
  const read: RawSample[] = []
  for await (const chunk of chunks) read.push(...chunk)
  return read
}

async function allSamples(samples: AsyncIterable<Sample>): Promise<string[]> {
  const read: string[] = []
  for await (const sample of samples) read.push(textOfSample(sample))
  return read
}

/** Everything that every reader gives, a few samples a round trip. */
async function everythingRead({ database, accountId }: Store): Promise<Record<string, readonly string[]>> {
  const read: Record<string, readonly string[]> = {}
  const intervals = DEVICES.map(deviceId => ({ ...EXTENT, deviceId }))
  const nextSamples = () => 3
  const inOne = <T>(work: (connection: RawConnection) => Promise<T>) =>
    withRawConnection(database.readsOf(accountId), work)
  for (const types of [undefined, [SPEED] as readonly EventTypeId[]])
    for (const direction of ['ascending', 'descending'] as const) {
      const order = { types, direction, nextSamples }
      const name = `${types?.join() ?? 'all'} ${direction}`
      read[`intervals ${name}`] = (await inOne(connection => all(readSamples(connection, intervals, order)))).map(
        textOf,
      )
      read[`device ${name}`] = (
        await inOne(connection => all(readSamples(connection, intervals.slice(0, 1), order)))
      ).map(textOf)
      read[`fleet ${name}`] = (
        await inOne(connection => all(readFleetSamples(connection, accountId, EXTENT, order)))
      ).map(textOf)
    }
  for (const types of [undefined, [SPEED] as readonly EventTypeId[]]) {
    const scope = {
      join: sql``,
      conditions: [sql`a.account_id = ${accountId}`],
      range: EXTENT,
      isOfTrip: false,
      storedTo: undefined,
    }
    const stored = (start: StoredPosition | string) =>
      inOne(connection => all(readStoredSamples(connection, scope, start, { types, nextSamples })))
    const whole = await stored('2000-01-01T00:00:00.000000Z')
    read[`stored ${types?.join() ?? 'all'}`] = whole.map(textOf)
    const middle = whole[Math.floor(whole.length / 2)]
    if (middle)
      read[`stored ${types?.join() ?? 'all'} from the middle`] = (await stored(storedPositionOf(middle))).map(textOf)
  }
  const pieces = DEVICES.flatMap(deviceId =>
    [0.2, 1, 2.6].map(day => ({ deviceId, fromMs: FIRST_MS + day * DAY_MS, toMs: FIRST_MS + (day + 0.7) * DAY_MS })),
  )
  read['fixes'] = []
  for await (const { count, deviceIds, timesMs, longitudes, latitudes } of readFixesOfIntervals(
    database.readsOf(accountId),
    pieces,
  ))
    for (let at = 0; at < count; at++)
      read['fixes'] = [...read['fixes'], String([deviceIds[at], timesMs[at], longitudes[at], latitudes[at]])]
  for (const isFromEnd of [true, false])
    read[`fixes ${isFromEnd}`] = (
      await readFixesWithin(database.readsOf(accountId), pieces, { isFromEnd, skip: 1, most: 2 })
    ).map(fixes => JSON.stringify(fixes.map(({ timeMs, fix }) => [timeMs, fix])))
  await writeTransaction(database, async transaction => {
    for (const deviceId of DEVICES) {
      const range = { ...EXTENT, deviceId }
      for await (const samples of readStretch(transaction, deviceId, FIRST_MS))
        read[`stretch ${deviceId}`] = [...(read[`stretch ${deviceId}`] ?? []), ...samples.map(textOfSample)]
      for (const most of [1, 4])
        read[`from ${deviceId} ${most}`] = (
          await readSamplesFrom(transaction, deviceId, FIRST_MS + 0.8 * DAY_MS, most)
        ).map(textOfSample)
      read[`newest ${deviceId}`] = await allSamples(readNewestWith(transaction, [SPEED], range))
      read[`oldest ${deviceId}`] = await allSamples(readOldestWith(transaction, [SPEED], range))
      const keys = Array.from({ length: DAYS * 12 }, (_, step) => ({
        deviceId,
        timeMs: FIRST_MS + (step * DAY_MS) / 12,
      }))
      read[`at ${deviceId}`] = (await readSamplesAt(transaction, keys)).map(textOfSample).sort()
      const newest = await readNewestOfLayouts(transaction, range)
      const byType = new Map<EventTypeId, number>()
      for (const { timeMs, types } of newest)
        for (const type of types) byType.set(type, Math.max(byType.get(type) ?? 0, timeMs))
      read[`newest of types ${deviceId}`] = [...byType].map(String).sort()
    }
  })
  return read
}

it('every reader gives the same whether days are sealed or not, also after late, repeated and changed samples', async () => {
  let sealedDays = 0
  await fc.assert(
    fc.asyncProperty(anyHistory, async history => {
      await Promise.all([empty(sealing), empty(plain)])
      for (const { batch, sealed } of history) {
        for (const each of [sealing, plain]) await store(each, batch)
        for (const [deviceId, day] of sealed) {
          const done = await sealDay(
            sealing.database,
            deviceId,
            rangeOfDay(new Date(FIRST_MS + day * DAY_MS).toISOString().slice(0, 10)),
          )
          if (done !== 'refused' && done !== 'nothing') sealedDays++
        }
      }
      expect(await everythingRead(sealing)).toEqual(await everythingRead(plain))
    }),
    { numRuns: deep(4), endOnFailure: true },
  )
  expect(sealedDays).toBeGreaterThan(deep(16))
})
