// oxlint-disable-next-line import/no-unassigned-import -- the list of facts must be whole before anything reads it
import './line.ts'

import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql, verbatim } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { FACTS } from '../../src/derive/facts.ts'
import { rebuildDevice } from '../../src/derive/rebuild.ts'
import { admitDevices, deleteDevice, moveDevice } from '../../src/fleet/provisioning/with-consequences.ts'
import type { Intake } from '../../src/ingest/intake.ts'
import type { Sample } from '../../src/model/sample.ts'
import { startApi, type TestApi, type TestClient } from '../api.ts'
import { deep } from '../deep.ts'
import { Dongle } from '../dongle.ts'
import { eventually } from '../eventually.ts'
import { intakeOf } from '../intake.ts'
import { deriveWaiting, settleDevices } from '../settled.ts'
import { StreamClient } from '../stream-client.ts'
import { everythingOf, syncOneByOne } from '../sync-client.ts'
import { toyFact } from './fact.ts'
import { ignitionDays } from './ignition-days.ts'

const START_MS = Date.UTC(2026, 0, 12)
const DAY_MINUTES = 24 * 60
const LIST = '/ignition_days'

interface Item {
  readonly id: string
  readonly vehicleId: string
  readonly deviceId: number
  readonly startTimestamp: string
  readonly cycles: number
  readonly deleteTimestamp: string | null
  readonly modifyTimestamp: string
}

let api: TestApi
let intake: Intake
let client: TestClient

beforeAll(async () => {
  api = await startApi()
  const statements = (await readFile(new URL('table.sql', import.meta.url), 'utf8')).split(';')
  for (const statement of statements) if (statement.trim() !== '') await api.database.rows(verbatim(statement))
  intake = intakeOf(api, 'reject')
  client = await api.client('Fleet')
})
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
const on = (dongle: Dongle, minute: number) => dongle.at(minute, { IS_IGNITION_ON: true })

/** On and off again at each of these minutes. */
const cycles = (dongle: Dongle, ...minutes: readonly number[]) =>
  minutes.flatMap(minute => [on(dongle, minute), dongle.off(minute + 2)])

async function listed(dongle: Dongle, who = client): Promise<Item[]> {
  const response = await who.get(`${LIST}?deviceId=${dongle.id}&fromTimestamp=1970-01-01`)
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
  return response.json<Record<string, Item[]>>().ignition_days ?? []
}

/** What the samples tell when they come in order. */
function told(samples: readonly Sample[]): { startTimestamp: string; cycles: number }[] {
  const days: { startMs: number; cycles: number }[] = []
  let state = ignitionDays.begin()
  for (const sample of samples.toSorted((a, b) => a.timeMs - b.timeMs)) {
    const stepped = ignitionDays.step(state, sample)
    state = stepped.state
    days.push(...stepped.done)
  }
  return [...days, ...ignitionDays.goingOn(state)].map(({ startMs, ...day }) => ({
    startTimestamp: new Date(startMs).toISOString(),
    ...day,
  }))
}

const shown = (items: readonly Item[]) =>
  items.map(({ startTimestamp, cycles: count }) => ({ startTimestamp, cycles: count }))

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
        expect(shown(await listed(dongle))).toEqual(told(samples))
        expect(await rebuildDevice(api.database, dongle.id, { isCheck: true })).toEqual([])
      }),
      { numRuns: deep(6) },
    )
  })

  it('moves with its dongle, and a client that syncs one car learns that it left', async () => {
    const dongle = await added()
    await send(...cycles(dongle, 60, 120, DAY_MINUTES + 60, DAY_MINUTES + 120, DAY_MINUTES + 180))
    await settle()
    const before = await listed(dongle)
    const moved = await moveDevice(api.database, {
      deviceId: dongle.id,
      to: { kind: 'new', vin: 'WBA3A5C58DF000002' },
      accountId: undefined,
      atMs: START_MS + (DAY_MINUTES + 100) * 60_000,
    })
    await settle()
    if (moved.kind !== 'moved') throw new Error(JSON.stringify(moved))
    // A day that was under way belongs in part to each car.
    expect((await listed(dongle)).map(({ vehicleId, cycles: count }) => [vehicleId, count])).toEqual([
      [before[0]?.vehicleId, 2],
      [before[0]?.vehicleId, 1],
      [moved.publicId, 2],
    ])
    expect(await rebuildDevice(api.database, dongle.id, { isCheck: true })).toEqual([])
  })

  it('is in the car that a VIN told later', async () => {
    const dongle = await added()
    await send(...cycles(dongle, 60))
    const [before] = await listed(dongle)
    await send(...dongle.drive(200, 210, { vin: 'WVWZZZ1KZAW000001' }))
    await settle()
    const after = await listed(dongle)
    expect(after.map(({ vehicleId }) => vehicleId)).toEqual(['VINWVWZZZ1KZAW000001'])
    expect(after[0]).toMatchObject({ startTimestamp: before?.startTimestamp, cycles: 2 })
  })

  it.each([
    ['changed', sql`update ignition_days set cycles = cycles + 1`],
    ['gone', sql`delete from ignition_days`],
    ['marked as deleted', sql`update ignition_days set deleted = now()`],
    ['made up', sql`update ignition_days set start_time = start_time - interval '3 days'`],
  ])('that is %s is found by tacho rebuild --check, and put right by tacho rebuild', async (_, damage) => {
    const dongle = await added()
    await send(...cycles(dongle, 60, 120))
    const before = await listed(dongle)
    expect(shown(before)).toEqual([{ startTimestamp: '2026-01-12T01:00:00.000Z', cycles: 2 }])
    await api.database.rows(sql`${damage} where device_id = ${dongle.id}`)
    const found = await rebuildDevice(api.database, dongle.id, { isCheck: true })
    expect(found.map(({ name }) => name).filter(name => name.startsWith('ignition_days'))).not.toEqual([])
    expect(shown(await listed(dongle))).not.toEqual(shown(before))
    await rebuildDevice(api.database, dongle.id, { isCheck: false })
    expect(shown(await listed(dongle))).toEqual(shown(before))
    expect(await rebuildDevice(api.database, dongle.id, { isCheck: true })).toEqual([])
  })

  it('is synced: whoever keeps asking what changed believes what is there', async () => {
    const syncing = await api.client('Syncing')
    const dongles = [await added(syncing), await added(syncing)]
    let isDone = false
    const synced = syncOneByOne<Item>(syncing, LIST, () => isDone)
    for (const minutes of [[600, 60], [300, DAY_MINUTES + 5], [30, 2 * DAY_MINUTES], [DAY_MINUTES + 1]])
      for (const dongle of dongles) {
        await send(...cycles(dongle, ...minutes).sort((a, b) => a.timeMs - b.timeMs))
        await settle()
      }
    isDone = true
    expect(await synced).toEqual(await everythingOf(syncing, LIST))
  })

  it('is streamed to those who may read it', async () => {
    const url = await api.server.listen({ host: '127.0.0.1', port: 0 })
    const dongle = await added()
    const stream = await StreamClient.open({ url, token: client.token, query: 'resources=ignition_days' })
    await send(...cycles(dongle, 60, 120))
    await eventually(async () => {
      expect(stream.objects<Item>('ignition_days').at(-1)).toEqual((await listed(dongle))[0])
    })
    stream.cut()
    const stranger = await api.client('Fleet', ['vehicles'])
    const refused = StreamClient.open({ url, token: stranger.token, query: 'resources=ignition_days' })
    await expect(refused).rejects.toThrow('403')
    expect((await stranger.get(LIST)).statusCode).toBe(403)
    expect(await listed(dongle, await api.client('Other'))).toEqual([])
  })

  it('goes with its dongle', async () => {
    const dongle = await added()
    await send(...cycles(dongle, 60, 120))
    const [before] = await listed(dongle)
    await deleteDevice(api.database, { deviceId: dongle.id })
    expect(await listed(dongle)).toEqual([])
    expect((await everythingOf<Item>(client, LIST)).get(before?.id ?? '')).toMatchObject({
      cycles: 0,
      deleteTimestamp: expect.any(String),
    })
  })

  it('that came with a later version is there when all is folded from the start, and nothing wrong until then', async () => {
    const dongle = await added()
    FACTS.splice(FACTS.indexOf(toyFact), 1)
    try {
      await send(...cycles(dongle, 60, 120))
    } finally {
      FACTS.push(toyFact)
    }
    await send(...cycles(dongle, 180))
    expect(await listed(dongle)).toEqual([])
    await rebuildDevice(api.database, dongle.id, { isCheck: false })
    expect(shown(await listed(dongle))).toEqual([{ startTimestamp: '2026-01-12T01:00:00.000Z', cycles: 3 }])
    await send(...cycles(dongle, 240))
    expect((await listed(dongle))[0]?.cycles).toBe(4)
  })

  it('that a former version does not know keeps it from going on without', async () => {
    const dongle = await added()
    await send(...cycles(dongle, 60))
    FACTS.splice(FACTS.indexOf(toyFact), 1)
    try {
      // What a key sends is derived at once.
      const { accountId } = client
      await expect(intake.submit({ accountId, samples: cycles(dongle, 120) })).rejects.toThrow(
        'the state of the fold has a part ignition_days that this version of Tacho does not know',
      )
    } finally {
      FACTS.push(toyFact)
    }
    await send(...cycles(dongle, 180))
    expect((await listed(dongle))[0]?.cycles).toBe(2)
  })
})
