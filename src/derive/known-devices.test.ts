import { beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { lockDevices } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { storeBatch } from '../ingest/store-batch.ts'
import { type DeviceId, sampleOf } from '../model/sample.ts'
import { Partitions } from '../store/index.ts'
import { deriveTogether } from './derive.ts'
import { KnownDevices } from './known-devices.ts'

const SPEED = requiredEventType('VEHICLE_SPEED_MAX').id
const DEVICE = 356307042440001 as DeviceId
const NOON_MS = Date.UTC(2026, 2, 2, 12)

let knownDevices: KnownDevices

const database = await openTestDatabase()
const { id: firstAccountId } = await writeTransaction(database, ensureFirstAccount)
await new Partitions(database).ensure([NOON_MS])
beforeEach(async () => {
  knownDevices = new KnownDevices()
  await database.writers.query('delete from samples; delete from due; delete from device_states')
})

const store = (seconds: number, by = knownDevices) =>
  writeTransaction(database, transaction =>
    storeBatch(
      transaction,
      [{ samples: [sampleOf(DEVICE, NOON_MS + seconds * 1000, new Map([[SPEED, 50]]))], accountId: undefined }],
      { unknownDevices: 'accept', firstAccountId },
      { knownDevices: by },
    ),
  )

/** What is remembered when the device is locked the next time, which ends it. */
const remembered = () =>
  writeTransaction(database, async transaction =>
    structuredClone(knownDevices.remembered(await lockDevices(transaction, [DEVICE]), DEVICE)),
  )

const mark = async () => {
  const [row] = await database.rows<{ version: number; priority: number }>(
    sql`select version, priority from due where device_id = ${DEVICE} and kind = 'samples'`,
  )
  return row
}

test('what a transaction stored is remembered, with the samples that are due', async () => {
  await store(0)
  await store(10)
  expect(await remembered()).toMatchObject({
    isClaimed: false,
    assignments: [{ accountId: firstAccountId }],
    firstMs: NOON_MS,
    lastMs: NOON_MS + 10_000,
    due: { samples: [{ timeMs: NOON_MS }, { timeMs: NOON_MS + 10_000 }] },
  })
})

test.each<[string, () => Promise<unknown>]>([
  ['another process stores something of it', () => store(10, new KnownDevices())],
  ['any other transaction locks it', remembered],
  ['a transaction is rolled back', () => expect(failing()).rejects.toThrow('on purpose')],
])('it is not believed any more when %s', async (_, change) => {
  await store(0)
  await change()
  expect(await remembered()).toBeUndefined()
})

const failing = () =>
  writeTransaction(database, async transaction => {
    const locked = await lockDevices(transaction, [DEVICE])
    knownDevices.remember(locked, leave => leave(undefined, DEVICE))
    throw new Error('on purpose')
  })

test('a transaction that was rolled back leaves nothing in memory', async () => {
  await store(0)
  await expect(failing()).rejects.toThrow('on purpose')
  await store(20)
  expect(await remembered()).toMatchObject({ firstMs: NOON_MS, due: { samples: undefined } })
})

test('a mark covers the samples of the next minute; later and late ones are marked again', async () => {
  await store(0)
  const first = await mark()
  await store(10)
  await store(60)
  expect(await mark()).toEqual(first)
  await store(61)
  const second = await mark()
  expect(second?.version).toBeGreaterThan(first?.version ?? 0)
  await deriveTogether(database, [DEVICE], knownDevices)
  expect(await mark()).toBeUndefined()
  await store(30)
  expect((await mark())?.priority).toBeLessThan(second?.priority ?? 0)
})

test('deriving leaves known what is stored and that nothing is due', async () => {
  await store(0)
  await store(10)
  await deriveTogether(database, [DEVICE], knownDevices)
  expect(knownDevices.isDue(DEVICE)).toBe(false)
  expect(await remembered()).toMatchObject({
    firstMs: NOON_MS,
    lastMs: NOON_MS + 10_000,
    derivedMs: NOON_MS + 10_000,
    due: undefined,
  })
})
