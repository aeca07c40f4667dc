import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type DeviceId, type EventValue, sampleOf } from '../model/sample.ts'
import { Partitions } from '../store/index.ts'
import type { ObservedBatch } from './intake.ts'
import { Intake } from './intake.ts'
import type { Submission } from './submission.ts'

const SPEED = requiredEventType('GPS_SPEED').id
const VIN = requiredEventType('VIN').id
const VOLTAGE = requiredEventType('BATTERY_VOLTAGE').id
const AT_MS = Date.UTC(2025, 0, 1)

const database = await openTestDatabase()
const accountId = (await writeTransaction(database, ensureFirstAccount)).id

describe('the intake', () => {
  function createIntake() {
    const batches: ObservedBatch[] = []
    const intake = new Intake({
      log: pino({ level: 'silent' }),
      database,
      partitions: new Partitions(database),
      batchOptions: async () => ({ unknownDevices: 'accept', firstAccountId: accountId }),
      observe: batch => batches.push(batch),
    })
    return { intake, batches }
  }

  const measured = (deviceId: number, timeMs: number, type = SPEED, value: EventValue = 50): Submission => ({
    accountId,
    samples: [sampleOf(deviceId as DeviceId, timeMs, new Map([[type, value]]))],
  })
  const stored = async (deviceId: number) =>
    (await database.rows(sql`select time from samples where device_id = ${deviceId}`)).length

  it('gathers what many send at once into few transactions', async () => {
    const { intake, batches } = createIntake()
    const senders = Array.from({ length: 200 }, (_, index) => intake.submit(measured(1000 + index, AT_MS)))
    for (const outcome of await Promise.all(senders)) expect(outcome).toMatchObject({ kind: 'stored', accepted: 1 })
    expect(batches.length).toBeLessThan(5)
  })

  it('stores each sample once when many send at once, each for two dongles', async () => {
    const { intake } = createIntake()
    const dongles = Array.from({ length: 240 }, (_, index) => 2000 + index)
    const senders = dongles.map((dongle, index) => {
      const neighbour = dongles[(index + 1) % dongles.length] ?? dongle
      const samples = [measured(dongle, AT_MS), measured(neighbour, AT_MS + 1000)].flatMap(item => item.samples)
      return intake.submit({ accountId, samples })
    })
    for (const outcome of await Promise.all(senders)) expect(outcome).toMatchObject({ kind: 'stored', accepted: 2 })
    const rows = await database.rows(sql`
      select s.device_id from samples s join device_states d on d.device_id = s.device_id
      where s.device_id = any(${dongles}::bigint[]) and d.last_time = ${new Date(AT_MS + 1000).toISOString()}`)
    expect(rows).toHaveLength(2 * dongles.length)
  })

  it('answers when everybody can see what was sent', async () => {
    const { intake } = createIntake()
    for (let second = 0; second < 20; second++) {
      await intake.submit(measured(1, AT_MS + second * 1000))
      expect(await stored(1)).toBe(second + 1)
    }
  })

  it('lets nobody suffer for what another one sent and the database refuses', async () => {
    const { intake, batches } = createIntake()
    const before = intake.submit(measured(2, AT_MS))
    // No gateway lets these pass.
    const unstorable = intake.submit(measured(3, AT_MS, VIN, 'a\0b'))
    const noTime = intake.submit(measured(4, Number.NaN))
    const after = intake.submit(measured(5, AT_MS))
    const results = await Promise.allSettled([before, unstorable, noTime, after])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(await Promise.all([2, 3, 4, 5].map(stored))).toEqual([1, 0, 0, 1])
    expect(await database.rows(sql`select id from devices where id in (3, 4)`)).toEqual([])
    // In one batch or two, depending on the order in which their tables were found.
    const committed = batches.flatMap(batch =>
      batch.submissions.flatMap(({ samples }) => samples.map(sample => sample.deviceId)),
    )
    expect(committed.sort((a, b) => a - b)).toEqual([2, 5])
    // And goes on.
    expect(await intake.submit(measured(3, AT_MS, VIN, 'fine'))).toMatchObject({ accepted: 1 })
  })

  it('lets nobody wait for the partitions that somebody else needs', async () => {
    const { intake } = createIntake()
    await intake.submit(measured(10, AT_MS))
    const weeks = 60
    const replay = intake.submit({
      accountId,
      samples: Array.from({ length: weeks }, (_, week) => {
        const [sample] = measured(11, Date.UTC(2010, 0, 1) + week * 7 * 24 * 3600 * 1000).samples
        return sample!
      }),
    })
    let isReplayed = false
    void replay.finally(() => {
      isReplayed = true
    })
    expect(await intake.submit(measured(10, AT_MS + 1000))).toMatchObject({ accepted: 1 })
    expect(isReplayed).toBe(false)
    expect(await replay).toMatchObject({ accepted: weeks })
  })

  it('tells senders to come back when more arrives than it can store, and then takes it', async () => {
    const { intake } = createIntake()
    const many: Submission = {
      accountId,
      samples: Array.from({ length: 101_000 }, (_, second) => measured(6, AT_MS + second * 1000).samples[0]!),
    }
    const first = intake.submit(many)
    await expect(intake.submit(many)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(intake.pendingSamples).toBe(101_000)
    expect(await first).toMatchObject({ accepted: 101_000 })
    expect(await intake.submit(measured(6, AT_MS))).toMatchObject({ accepted: 0, duplicates: 1 })
  })

  it('stops after what is in flight is stored, and refuses the rest', async () => {
    const { intake } = createIntake()
    const inFlight = intake.submit(measured(7, AT_MS))
    const stopped = intake.stop()
    await expect(intake.submit(measured(7, AT_MS + 1))).rejects.toMatchObject({ status: 503 })
    await stopped
    expect(await inFlight).toMatchObject({ accepted: 1 })
    expect(await stored(7)).toBe(1)
  })

  it('stores samples of a week that another node has dropped since', async () => {
    const { intake } = createIntake()
    const oldMs = Date.UTC(2001, 0, 1)
    await intake.submit(measured(9, oldMs))
    expect(await new Partitions(database).dropBefore(oldMs + 7 * 24 * 3600 * 1000)).toEqual(['samples_2001_01_01'])
    expect(await stored(9)).toBe(0)
    expect(await intake.submit(measured(9, oldMs))).toMatchObject({ accepted: 1 })
    expect(await stored(9)).toBe(1)
  })

  it('finds the earlier battery state also among what is sent together with the correction', async () => {
    const { intake } = createIntake()
    const send = (...voltages: readonly (readonly [second: number, voltageV: number])[]) =>
      intake.submit({
        accountId,
        samples: voltages.flatMap(([second, voltageV]) => measured(8, AT_MS + second, VOLTAGE, voltageV).samples),
      })
    const states = async () =>
      (await database.rows<{ texts: string[] }>(sql`select texts from latest_values where device_id = 8`))[0]?.texts
    await send([1, 11], [2, 9])
    expect(await states()).toEqual(['Very Low'])
    // The newest one is taken back, and the one before is corrected in the same batch.
    await send([2, 12], [1, 11.5])
    expect(await states()).toEqual([])
    await send([3, 5])
    await send([0, 10.5], [3, 12])
    expect(await states()).toEqual(['Warning'])
  })
})
