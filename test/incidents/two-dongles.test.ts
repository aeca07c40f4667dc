import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { differenceText, rebuildDevice } from '../../src/derive/rebuild.ts'
import { deleteDevice } from '../../src/fleet/with-consequences.ts'
import type { TestClient } from '../api.ts'
import type { Dongle } from '../dongle.ts'
import { everythingOf } from '../sync-client.ts'
import { syncedLists } from '../synced-lists.ts'
import { IncidentWorld, type ShownIncident, WORLD_START_MS } from './incident-world.ts'

let accounts = 0
let client: TestClient
/** In one car; the lower IMEI comes first. */
let dongles: readonly [Dongle, Dongle]

const world = await IncidentWorld.make()
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  client = await world.api.client(`Fleet ${++accounts}`)
  await world.createRule(client, { kind: 'SPEEDING', parameters: { limitKmh: 100 } })
  const first = await world.dongle(client)
  dongles = [first, await world.dongleBeside(client, first)]
})

const minute = (at: number) => new Date(WORLD_START_MS + at * 60_000).toISOString()

/** A drive of minutes that is too fast from its second half minute on. */
function speeding(dongle: Dongle, from: number, more: object = {}) {
  const speeds = [80, 120, 130, 120, 80]
  const samples = speeds.map((kmh, step) => dongle.driving(from + step / 2, { VEHICLE_SPEED_AVERAGE: kmh, ...more }))
  return [...samples, dongle.off(from + 3)]
}

const withOdometer = { MILEAGE: 1000 }

async function told(): Promise<{ counting: ShownIncident[]; others: ShownIncident[] }> {
  const all = [...(await everythingOf<ShownIncident>(client, '/incidents')).values()]
  return {
    counting: all.filter(({ deleteTimestamp }) => deleteTimestamp === null),
    others: all.filter(({ deleteTimestamp }) => deleteTimestamp !== null),
  }
}

const tellers = (incidents: readonly ShownIncident[]) => incidents.map(({ deviceId }) => deviceId)

async function differences(): Promise<string[]> {
  const found: string[] = []
  for (const { id } of dongles)
    found.push(...(await rebuildDevice(world.api.database, id, { isCheck: true })).map(differenceText))
  return found
}

describe('an incident that two dongles in one car tell', () => {
  it.each([
    [0, 1],
    [1, 0],
  ] as const)('counts once: that of the better measured one, whichever comes first (%i, %i)', async (one, other) => {
    const expectUpToDate = syncedLists(client, '/incidents', `/incidents?deviceId=${dongles[0].id}`)
    const [plain, better] = dongles
    const sent = [speeding(plain, 60), speeding(better, 60.1, withOdometer)] as const
    await world.send(...sent[one])
    await expectUpToDate('the first')
    await world.send(...sent[other])
    await expectUpToDate('the second')
    const { counting, others } = await told()
    expect(counting).toMatchObject([{ deviceId: better.id, startTimestamp: minute(60.6) }])
    expect(tellers(others)).toEqual([plain.id])
    expect(await world.listed(client)).toHaveLength(1)
    expect(await differences()).toEqual([])
    const explained = await client.get(`/incidents/${others[0]?.id}/explain`)
    expect(explained.json()).toMatchObject({
      state: 'WITHDRAWN',
      coveredBy: counting[0]?.id,
      remarks: [expect.stringContaining('Another device in the vehicle')],
    })
  })

  it('is told by the other one, with its id, when late data show that it was none of the better one', async () => {
    const expectUpToDate = syncedLists(client, '/incidents')
    const [plain, better] = dongles
    await world.send(...speeding(plain, 60))
    const own = (await told()).counting[0]
    await world.send(...speeding(better, 60, withOdometer))
    await expectUpToDate('the better one')
    expect(tellers((await told()).counting)).toEqual([better.id])
    await world.send(
      ...Array.from({ length: 30 }, (_, step) => better.driving(60.03 + step / 10, { VEHICLE_SPEED_AVERAGE: 90 })),
    )
    await world.settle()
    await expectUpToDate('what came late')
    const { counting, others } = await told()
    expect(tellers(others)).toEqual([better.id])
    // Its trip is found when it is read, and is another one now.
    const same = { modifyTimestamp: '', tripId: null }
    expect(counting.map(incident => ({ ...incident, ...same }))).toEqual([{ ...own, ...same }])
    expect(await differences()).toEqual([])
  })

  it('counts by whoever is left when the better one moves to another car, or is deleted', async () => {
    const [plain, better] = dongles
    const elsewhere = await world.dongle(client)
    const expectUpToDate = syncedLists(client, '/incidents', `/incidents?vehicleId=${plain.imei}`)
    await world.send(...speeding(plain, 60), ...speeding(plain, 600))
    await world.send(...speeding(better, 60, withOdometer), ...speeding(better, 600, withOdometer))
    await expectUpToDate('both')
    expect(tellers((await told()).counting)).toEqual([better.id, better.id])
    // It was elsewhere on the second drive.
    await world.move(better, elsewhere.imei, 300)
    await world.settle()
    await expectUpToDate('the move')
    const apart = (await told()).counting.map(({ deviceId, vehicleId }) => `${deviceId} in ${vehicleId}`)
    expect(apart).toHaveLength(3)
    expect(new Set(apart)).toEqual(
      new Set([`${better.id} in ${plain.imei}`, `${better.id} in ${elsewhere.imei}`, `${plain.id} in ${plain.imei}`]),
    )
    expect(await differences()).toEqual([])
    await world.move(better, plain.imei, 500)
    await world.settle()
    await expectUpToDate('the move back')
    expect(tellers((await told()).counting)).toEqual([better.id, better.id])
    expect(await differences()).toEqual([])
    await deleteDevice(world.api.database, { deviceId: better.id })
    expect(tellers((await told()).counting)).toEqual([plain.id, plain.id])
    expect(await rebuildDevice(world.api.database, plain.id, { isCheck: true })).toEqual([])
  })

  it('that was seen is seen, whichever of them counts', async () => {
    const [plain, better] = dongles
    await world.send(...speeding(plain, 60))
    const [own] = (await told()).counting
    await client.send('POST', `/incidents/${own?.id}/acknowledgement`, { note: 'mine' })
    await world.send(...speeding(better, 60, withOdometer))
    expect((await told()).counting).toMatchObject([{ deviceId: better.id, acknowledged: { by: 'test', note: 'mine' } }])
  })

  it('goes on by the other one while the better one is silent', async () => {
    const [plain, better] = dongles
    const fast = { VEHICLE_SPEED_AVERAGE: 130 }
    const nowMinute = (Date.now() - WORLD_START_MS) / 60_000
    await world.send(...[-30, -29.5, -29].map(at => better.driving(nowMinute + at, { ...fast, ...withOdometer })))
    await world.send(...[-30, -29.5, -29, -28.5].map(at => plain.driving(nowMinute + at, fast)))
    await world.tellSilence()
    expect(tellers((await told()).counting)).toEqual([better.id])
    await world.send(...Array.from({ length: 58 }, (_, step) => plain.driving(nowMinute - 28 + step / 2, fast)))
    await world.settle()
    expect((await told()).counting).toMatchObject([{ deviceId: plain.id, endTimestamp: null }])
    expect(await differences()).toEqual([])
  })

  it('is counted once by a preview, too', async () => {
    await world.send(...speeding(dongles[0], 60), ...speeding(dongles[1], 60.2))
    const reply = await client.send('POST', '/rules/preview', {
      kind: 'SPEEDING',
      parameters: { limitKmh: 100 },
      fromTimestamp: '2026-01-11',
      toTimestamp: '2026-01-20',
    })
    const result = JSON.parse(/^data: (.*)$/m.exec(reply.body.split('\n\n').filter(Boolean).at(-1) ?? '')?.[1] ?? '')
    expect(result).toMatchObject({ count: 1, byVehicle: [{ vehicleId: dongles[0].imei, count: 1 }] })
    expect(result.incidents).toMatchObject([{ deviceId: dongles[0].id }])
  })

  it.each([
    ['both count', 'update incidents set superseded_by = null, deleted = null where superseded_by is not null'],
    ['none counts', 'update incidents set superseded_by = 1, deleted = now() where superseded_by is null'],
    ['it is not known who knows the odometer', 'update incidents set has_odometer = false where has_odometer'],
  ])('is put right by tacho rebuild where %s', async (_, statement) => {
    await world.send(...speeding(dongles[0], 60))
    await world.send(...speeding(dongles[1], 60, withOdometer))
    const right = (await told()).counting.map(({ id }) => id)
    await world.api.database.writers.query(`${statement} and account_id = ${client.accountId}`)
    expect(await differences()).not.toEqual([])
    for (const { id } of dongles) await rebuildDevice(world.api.database, id, { isCheck: false })
    expect((await told()).counting.map(({ id }) => id)).toEqual(right)
    expect(await differences()).toEqual([])
  })

  it('is told by both where it is of the dongles: that each fell silent', async () => {
    await world.createRule(client, { kind: 'OFFLINE', parameters: { forMinutes: 60 } })
    for (const dongle of dongles) await world.send(dongle.driving(60), dongle.driving(180))
    await world.settle()
    const silences = (await told()).counting.filter(({ kind }) => kind === 'OFFLINE')
    expect(silences.filter(({ startTimestamp }) => startTimestamp === minute(60))).toHaveLength(2)
  })

  it('counts once whichever of them is written first where both are at once', async () => {
    for (let hour = 1; hour < 6; hour++)
      await Promise.all(
        dongles.map((dongle, index) => world.send(...speeding(dongle, hour * 60, index === 1 ? withOdometer : {}))),
      )
    await world.settle()
    expect(tellers((await told()).counting)).toEqual([1, 2, 3, 4, 5].map(() => dongles[1].id))
    expect(await differences()).toEqual([])
  })
})
