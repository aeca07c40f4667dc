// oxlint-disable-next-line import/no-unassigned-import -- the list of facts must be whole before anything reads it
import './line.ts'

import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { sql, verbatim } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { instantMs } from '../../src/db/values.ts'
import { rebuildDevice } from '../../src/derive/rebuild.ts'
import { admitDevices, deleteDevice } from '../../src/fleet/with-consequences.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { startApi } from '../api.ts'
import { deep } from '../deep.ts'
import { Dongle } from '../dongle.ts'
import { intakeOf } from '../intake.ts'
import { deriveWaiting, settleDevices } from '../settled.ts'
import { ignitionDays } from './fact.ts'

const START_MS = Date.UTC(2026, 0, 12)
const DAY_MINUTES = 24 * 60

const api = await startApi()
await api.database.rows(verbatim(await readFile(new URL('table.sql', import.meta.url), 'utf8')))
const intake = intakeOf(api, 'reject')
const client = await api.client('Fleet')
afterAll(async () => {
  await intake.stop()
  await api.stop()
})

async function added({ accountId } = client): Promise<Dongle> {
  const dongle = new Dongle(START_MS)
  await writeTransaction(api.database, transaction =>
    admitDevices(transaction, [{ deviceId: dongle.id, accountId }], { firstAccountId: accountId }),
  )
  return dongle
}

async function send(...samples: readonly Sample[]): Promise<void> {
  expect(await intake.submit({ accountId: undefined, samples })).toMatchObject({ kind: 'stored' })
  await deriveWaiting(api.database)
}

const settle = () => settleDevices(api.database)

/** On and off again at each of these minutes. */
const cycles = (dongle: Dongle, ...minutes: readonly number[]) =>
  minutes.flatMap(minute => [dongle.at(minute, { IS_IGNITION_ON: true }), dongle.off(minute + 2)])

async function stored(deviceId: DeviceId): Promise<{ startMs: number; cycles: number }[]> {
  const rows = await api.database.rows<{ start_time: string; cycles: number }>(sql`
    select start_time, cycles from ignition_days where device_id = ${deviceId} order by start_time`)
  return rows.map(row => ({ startMs: instantMs(row.start_time), cycles: row.cycles }))
}

/** The days that follow from samples in order. */
function daysOf(samples: readonly Sample[]): { startMs: number; cycles: number }[] {
  let state: Parameters<typeof ignitionDays.step>[0] = null
  const days = samples
    .toSorted((a, b) => a.timeMs - b.timeMs)
    .flatMap(sample => {
      const stepped = ignitionDays.step(state, sample)
      state = stepped.state
      return stepped.done
    })
  return [...days, ...ignitionDays.goingOn(state)]
}

describe('a fact of a folder and a line', () => {
  it('is right whatever the order in which samples arrive, and however they are cut into batches', async () => {
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 4 * DAY_MINUTES }), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(minutes, fc.infiniteStream(fc.nat()), async (taken, chance) => {
        const dongle = await added()
        const samples = taken.map((minute, index) => dongle.at(minute, { IS_IGNITION_ON: index % 3 > 0 }))
        const next = () => chance.next().value ?? 0
        const shuffled = samples
          .map(sample => ({ sample, place: next() }))
          .sort((a, b) => a.place - b.place)
          .map(({ sample }) => sample)
        for (let sent = 0; sent < shuffled.length; ) {
          const count = 1 + (next() % 12)
          await send(...shuffled.slice(sent, sent + count))
          sent += count
          if (next() % 3 === 0) await settle()
        }
        await settle()
        expect(await stored(dongle.id)).toEqual(daysOf(samples))
        expect(await rebuildDevice(api.database, dongle.id, { isCheck: true })).toEqual([])
      }),
      { numRuns: deep(6) },
    )
  })

  it.each([
    ['changed', sql`update ignition_days set cycles = cycles + 1`],
    ['gone', sql`delete from ignition_days`],
    ['made up', sql`update ignition_days set start_time = start_time - interval '3 days'`],
  ])('that is %s is found by tacho rebuild --check, and put right by tacho rebuild', async (_, damage) => {
    const dongle = await added()
    await send(...cycles(dongle, 60, 120))
    const before = await stored(dongle.id)
    expect(before).toEqual([{ startMs: START_MS + 60 * 60_000, cycles: 2 }])
    await api.database.rows(sql`${damage} where device_id = ${dongle.id}`)
    const found = await rebuildDevice(api.database, dongle.id, { isCheck: true })
    expect(found.map(({ name }) => name).filter(name => name.startsWith('ignition_days'))).not.toEqual([])
    await rebuildDevice(api.database, dongle.id, { isCheck: false })
    expect(await stored(dongle.id)).toEqual(before)
    expect(await rebuildDevice(api.database, dongle.id, { isCheck: true })).toEqual([])
  })

  it('goes with its dongle', async () => {
    const dongle = await added()
    await send(...cycles(dongle, 60, 120))
    await deleteDevice(api.database, { deviceId: dongle.id })
    expect(await stored(dongle.id)).toEqual([])
  })
})
