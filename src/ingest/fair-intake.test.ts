import { once } from 'node:events'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { ensureAccount } from '../access/accounts.ts'
import { type EventTypeId, requiredEventType } from '../catalogue/event-types.ts'
import { readQuotaChoice, setQuota } from '../db/account-quotas.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { lockDerived } from '../derive/derive.ts'
import { deleteDevice } from '../fleet/with-consequences.ts'
import { type DeviceId, type EventValue, sampleOf } from '../model/sample.ts'
import { weekStartMs } from '../model/time-range.ts'
import { Partitions } from '../store/index.ts'
import { AccountQuotas } from './account-quotas.ts'
import { Intake } from './intake.ts'
import type { Submission } from './submission.ts'

const SPEED = requiredEventType('GPS_SPEED').id
const POSITION = requiredEventType('POSITION').id
const CELL = requiredEventType('NETWORK_CELL_INFO').id
const AT_MS = Date.UTC(2025, 0, 1)
const log = pino({ level: 'silent' })

let large: number
let small: number

const database = await openTestDatabase()
const partitions = new Partitions(database)
await partitions.ensure([AT_MS])
;[large, small] = await writeTransaction(database, async transaction => [
  (await ensureAccount(transaction, 'Large')).id,
  (await ensureAccount(transaction, 'Small')).id,
])

const intakeWith = (quotas?: AccountQuotas) =>
  new Intake({
    log,
    database,
    partitions,
    batchOptions: async () => ({ unknownDevices: 'accept', firstAccountId: large }),
    ...(quotas && { quotas }),
  })

let nextSecond = 0
const speeds = (accountId: number, deviceId: number, count: number): Submission => ({
  accountId,
  samples: Array.from({ length: count }, () =>
    sampleOf(deviceId as DeviceId, AT_MS + 1000 * nextSecond++, new Map([[SPEED, 50]])),
  ),
})
/** Numbers, texts and a position, over several weeks. */
const everything = (accountId: number, deviceId: number, count: number): Submission => ({
  accountId,
  samples: Array.from({ length: count }, (_, index) =>
    sampleOf(
      deviceId as DeviceId,
      AT_MS + 500 + 300_000 * index,
      new Map<EventTypeId, EventValue>([
        [SPEED, 50],
        [POSITION, { lon: 13.4, lat: 52.5 + index / 100_000 }],
        [CELL, `cell ${index}`],
      ]),
    ),
  ),
})
const storedOf = async (deviceId: number) =>
  (await database.rows<{ count: number }>(sql`select count(*) as count from samples where device_id = ${deviceId}`))[0]
    ?.count

describe('accounts that send at once', () => {
  it('take turns: what one sends is stored while the large upload of another one is', async () => {
    const intake = intakeWith()
    await intake.submit(speeds(small, 1, 1))
    const order: string[] = []
    const uploads = [2, 3, 4].map(device =>
      intake.submit(speeds(large, device, 15_000)).then(outcome => {
        order.push('large')
        return outcome
      }),
    )
    for (let count = 0; count < 3; count++) {
      await intake.submit(speeds(small, 1, 1))
      order.push('small')
    }
    expect(order).toEqual(['small', 'small', 'small'])
    for (const upload of uploads) expect(await upload).toMatchObject({ accepted: 15_000, duplicates: 0 })
    expect(await storedOf(3)).toBe(15_000)
    await intake.stop()
  })

  it('do not wait for a dongle of another one that is being worked on, and what it sends is stored as soon as that is over', async () => {
    const intake = intakeWith()
    await Promise.all([intake.submit(speeds(small, 1, 1)), intake.submit(speeds(large, 41, 1))])
    const work = new AbortController()
    const isHeld = new AbortController()
    const locked = writeTransaction(database, async transaction => {
      await lockDerived(transaction, [41 as DeviceId])
      isHeld.abort()
      await once(work.signal, 'abort')
    })
    await once(isHeld.signal, 'abort')
    const order: string[] = []
    const submit = async (name: string, submission: Submission) => {
      const outcome = await intake.submit(submission)
      order.push(name)
      return outcome
    }
    // Both sizes: what is stored whole, and what is stored in parts.
    const waiting = [
      submit('locked', speeds(large, 41, 1)),
      submit('locked', speeds(large, 41, 3000)),
      submit('locked', speeds(large, 41, 1)),
    ]
    for (let count = 0; count < 3; count++) await submit('small', speeds(small, 1, 1))
    await submit('same account', everything(small, 42, 1))
    expect(order).toEqual(['small', 'small', 'small', 'same account'])
    work.abort()
    await locked
    for (const outcome of await Promise.all(waiting)) expect(outcome).toMatchObject({ kind: 'stored', duplicates: 0 })
    expect(await storedOf(41)).toBe(3003)
    await intake.stop()
  })

  it('get nothing of a large upload stored in which a dongle is not theirs, however far behind', async () => {
    const intake = intakeWith()
    const own = speeds(large, 5, 5000)
    const outcome = await intake.submit({ accountId: large, samples: [...own.samples, ...speeds(large, 1, 1).samples] })
    expect(outcome).toEqual({ kind: 'refused', deviceIds: new Set([1]) })
    expect(await storedOf(5)).toBe(0)
    await intake.stop()
  })

  it('make no tables with samples of dongles that are not theirs', async () => {
    const intake = intakeWith()
    const [sample] = speeds(large, 1, 1).samples
    const strange = { accountId: large, samples: [{ ...sample!, timeMs: Date.UTC(2003, 5, 1) }] }
    expect(await intake.submit(strange)).toMatchObject({ kind: 'refused' })
    const tables = await database.rows(sql`select 1 from pg_class where relname ~ '^samples_2003'`)
    expect(tables).toEqual([])
    await intake.stop()
  })
})

describe('quotas', () => {
  const quotasWith = async () => {
    const quotas = new AccountQuotas({
      database,
      defaults: { eventsPerMinute: undefined, volumeMb: undefined },
      log,
    })
    await quotas.refresh()
    return quotas
  }
  const set = (eventsPerMinute: number | 'none' | 'default', volumeMb: number | 'none' | 'default') =>
    writeTransaction(database, transaction => setQuota(transaction, large, { eventsPerMinute, volumeMb }))

  it('of events a minute hold up who is over, at every node and after a restart, and nobody else', async () => {
    await set(60, 'default')
    const quotas = await quotasWith()
    const intake = intakeWith(quotas)
    expect(await intake.submit(speeds(large, 6, 600))).toMatchObject({ accepted: 600 })
    const refusal = { status: 429, message: expect.stringContaining('60 events a minute') }
    await expect(intake.submit(speeds(large, 6, 1))).rejects.toMatchObject(refusal)
    await expect(intake.submit(speeds(large, 6, 1))).rejects.toMatchObject({
      headers: { 'retry-after': expect.stringMatching(/^5[34]\d$/) },
    })
    // A dongle of that account is told the same, and one that must not hold up others is stored.
    const ofDongle = { ...speeds(large, 6, 1), accountId: undefined }
    await expect
      .poll(() => intake.submit(ofDongle).catch((error: unknown) => error), { interval: 50 })
      .toMatchObject({ status: 429 })
    expect(await intake.submit({ ...speeds(large, 6, 1), accountId: undefined, cannotWait: true })).toMatchObject({
      accepted: 1,
    })
    expect(await intake.submit(speeds(small, 1, 1))).toMatchObject({ accepted: 1 })
    await intake.stop()
    await quotas.stop()
    const other = await quotasWith()
    expect(other.refusalOf(large)).toMatchObject({ status: 429 })
    expect(other.refusalOf(small)).toBeUndefined()
    await set('none', 'default')
    await other.refresh()
    expect(other.refusalOf(large)).toBeUndefined()
    await other.stop()
  })

  it('of stored volume hold up who keeps too much, until a dongle is deleted', async () => {
    await set('none', 1)
    const quotas = await quotasWith()
    const intake = intakeWith(quotas)
    await intake.submit(everything(large, 9, 100))
    await quotas.refresh()
    const before = (await readQuotaChoice(database, large)).volumeBytes
    await intake.submit(speeds(large, 8, 5000))
    await intake.submit(everything(large, 8, 5000))
    await quotas.refresh()
    expect(quotas.refusalOf(large)).toMatchObject({ status: 429 })
    const ofSmall = (await readQuotaChoice(database, small)).volumeBytes
    expect(await deleteDevice(database, { deviceId: 8 as DeviceId, ownerId: large })).toMatchObject({ kind: 'erased' })
    await quotas.refresh()
    expect(quotas.refusalOf(large)).toBeUndefined()
    expect((await readQuotaChoice(database, large)).volumeBytes).toBe(before)
    expect((await readQuotaChoice(database, small)).volumeBytes).toBe(ofSmall)
    await intake.stop()
    await quotas.stop()
  })

  it('of stored volume hold up who keeps too much, until some of it is dropped', async () => {
    await set('none', 1)
    const quotas = await quotasWith()
    const intake = intakeWith(quotas)
    await intake.submit(speeds(large, 7, 11_000))
    await quotas.refresh()
    await expect(intake.submit(speeds(large, 7, 1))).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('1 MB'),
      headers: { 'retry-after': '3600' },
    })
    expect((await readQuotaChoice(database, large)).volumeBytes).toBeGreaterThan(1_000_000)
    expect(await intake.submit(speeds(small, 1, 1))).toMatchObject({ accepted: 1 })
    expect(await partitions.dropBefore(weekStartMs(AT_MS) + 8 * 7 * 24 * 3_600_000)).not.toEqual([])
    await quotas.refresh()
    expect(quotas.refusalOf(large)).toBeUndefined()
    await intake.stop()
    await quotas.stop()
  })
})
