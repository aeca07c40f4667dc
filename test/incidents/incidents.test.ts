import { afterAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { rebuildDevice } from '../../src/derive/rebuild.ts'
import { deleteDevice, moveDevice } from '../../src/fleet/with-consequences.ts'
import type { Dongle } from '../dongle.ts'
import { eventually } from '../eventually.ts'
import { StreamClient } from '../stream-client.ts'
import { everythingOf } from '../sync-client.ts'
import { IncidentWorld, type ShownIncident, WORLD_START_MS } from './incident-world.ts'

const world = await IncidentWorld.make()
const client = await world.api.client('Fleet')
const ruleId = await world.createRule(client, { kind: 'SPEEDING', parameters: { limitKmh: 100 } })
afterAll(() => world[Symbol.asyncDispose]())

/** A drive of minutes with the speed of each half minute. */
function driveAt(dongle: Dongle, from: number, speeds: readonly number[]) {
  const samples = speeds.map((speed, step) => dongle.driving(from + step / 2, { VEHICLE_SPEED_AVERAGE: speed }))
  return [...samples, dongle.off(from + speeds.length / 2)]
}

const minute = (at: number) => new Date(WORLD_START_MS + at * 60_000).toISOString()
const check = (dongle: Dongle) => rebuildDevice(world.api.database, dongle.id, { isCheck: true })
const listed = (dongle: Dongle) => world.listed(client, `deviceId=${dongle.id}`)

describe('an incident', () => {
  it('is found as its samples come, with its trip, peak and place', async () => {
    const dongle = await world.dongle(client)
    await world.send(...driveAt(dongle, 60, [80, 110, 120, 130, 120, 80, 80]))
    const [incident, ...others] = await listed(dongle)
    expect(others).toEqual([])
    expect(incident).toMatchObject({
      ruleId,
      ruleVersion: 1,
      kind: 'SPEEDING',
      severity: 'warning',
      startTimestamp: minute(60.5),
      peak: { value: 130, unit: 'km/h' },
      startPosition: { lon: 11.6 },
      startAddress: { id: expect.any(String) },
      tripId: expect.stringMatching(/^\d+$/),
      deleteTimestamp: null,
    })
    expect(await check(dongle)).toEqual([])
    const explained = await client.get(`/incidents/${incident?.id}/explain`, { 'accept-language': 'de' })
    expect(explained.json()).toMatchObject({
      state: 'ENDED',
      remarks: [],
      rule: {
        ruleId,
        version: 1,
        parameters: expect.arrayContaining([expect.objectContaining({ name: 'limitKmh', value: 100 })]),
      },
      samples: [
        { of: 'START', recordedTimestamp: minute(60.5) },
        { of: 'PEAK', recordedTimestamp: minute(61.5) },
        { of: 'END' },
      ],
    })
  })

  it('that a changed rule withdraws and brings back keeps its id and who acknowledged it', async () => {
    const dongle = await world.dongle(client)
    await world.send(...driveAt(dongle, 60, [80, 110, 110, 110, 80, 80]))
    const draft = { name: 'a rule', kind: 'SPEEDING', vehicleIds: [dongle.imei], fromTimestamp: minute(0) }
    const rule = await world.createRule(client, { ...draft, parameters: { limitKmh: 105 } })
    await world.settle()
    const found = (await listed(dongle)).find(incident => incident.ruleId === rule)
    const noted = await client.send('POST', `/incidents/${found?.id}/acknowledgement`, { note: 'mine' })
    expect(noted.json()).toMatchObject({ id: found?.id, acknowledged: { by: 'test', note: 'mine' } })
    await client.send('PUT', `/rules/${rule}`, { ...draft, parameters: { limitKmh: 200 } })
    expect((await client.get('/rules/progress')).json()).toMatchObject({ isDone: false, changesWaiting: 1 })
    await world.settle()
    expect((await client.get('/rules/progress')).json()).toEqual({ isDone: true, changesWaiting: 0, devicesLeft: 0 })
    expect((await listed(dongle)).map(incident => incident.ruleId)).toEqual([ruleId])
    const gone = (await client.get(`/incidents/${found?.id}`)).json<ShownIncident>()
    expect(gone).toMatchObject({ deleteTimestamp: expect.any(String), acknowledged: { note: 'mine' } })
    await client.send('PUT', `/rules/${rule}`, { ...draft, parameters: { limitKmh: 105 } })
    await world.settle()
    const again = (await listed(dongle)).find(incident => incident.ruleId === rule)
    expect(again).toMatchObject({ id: found?.id, acknowledged: { note: 'mine' }, ruleVersion: 3 })
    expect(await check(dongle)).toEqual([])
  })

  it('is acknowledged with others at once, which leaves what somebody acknowledged before, and is taken back exactly', async () => {
    const dongle = await world.dongle(client)
    for (const from of [60, 90, 120]) await world.send(...driveAt(dongle, from, [80, 110, 110, 80, 80, 80]))
    const ids = (await listed(dongle)).map(({ id }) => id)
    expect(ids).toHaveLength(3)
    const path = '/incidents/acknowledgements'
    const send = async (to: string, body: object, by = client) =>
      (await by.send('POST', to, body)).json<{ incidents: readonly ShownIncident[] }>().incidents
    const notes = async () => (await listed(dongle)).map(({ acknowledged }) => acknowledged?.note)
    await client.send('POST', `/incidents/${ids[0]}/acknowledgement`, { note: 'first' })
    const changed = await send(path, { incidentIds: [...ids, '999999'], note: ' all ' })
    expect(changed.map(({ id }) => id)).toEqual([ids[1], ids[2]])
    expect(await notes()).toEqual(['first', 'all', 'all'])
    expect(new Set((await listed(dongle)).map(({ modifyTimestamp }) => modifyTimestamp)).size).toBe(3)
    // Acknowledged anew meanwhile.
    await client.send('POST', `/incidents/${ids[1]}/acknowledgement`, { note: 'later' })
    const back = { incidentIds: ids, acknowledgedTimestamp: changed[0]?.acknowledged?.timestamp }
    expect(await send(`${path}/withdrawal`, back, await world.api.client('Other'))).toEqual([])
    await send(`${path}/withdrawal`, back)
    expect(await notes()).toEqual(['first', 'later', undefined])
  })

  it('that late data show to be none is withdrawn', async () => {
    const dongle = await world.dongle(client)
    await world.send(...driveAt(dongle, 60, [80, 110, 110, 80, 80, 80]))
    const [before, ...others] = await listed(dongle)
    expect(others).toEqual([])
    // In between it was slow: two single readings are left.
    await world.send(dongle.driving(60.75, { VEHICLE_SPEED_AVERAGE: 60 }))
    await world.settle()
    expect(await listed(dongle)).toEqual([])
    const all = await everythingOf<ShownIncident>(client, '/incidents')
    expect(all.get(before?.id ?? '')).toMatchObject({ deleteTimestamp: expect.any(String) })
    expect(await check(dongle)).toEqual([])
  })

  it('that goes on ends with the last sample of a dongle that fell silent', async () => {
    const dongle = await world.dongle(client)
    await world.send(...driveAt(dongle, 60, [80, 110, 110, 110]).slice(0, -1))
    expect(await listed(dongle)).toMatchObject([{ endTimestamp: minute(61.5) }])
    expect(await check(dongle)).toEqual([])
  })

  it('of silence stays as told when its rule is changed, and follows one that is changed for the past', async () => {
    const fleet = await world.api.client('Silent by versions')
    const dongle = await world.dongle(fleet)
    await world.send(...driveAt(dongle, 60, [80, 80]))
    const draft = { name: 'a rule', kind: 'OFFLINE' }
    const rule = await world.createRule(fleet, { ...draft, parameters: { forMinutes: 30 } })
    await world.settle()
    const [told] = await world.listed(fleet)
    const change = async (forMinutes: number, fromTimestamp?: string) => {
      const body = { ...draft, parameters: { forMinutes }, ...(fromTimestamp && { fromTimestamp }) }
      expect((await fleet.send('PUT', `/rules/${rule}`, body)).statusCode).toBe(200)
      await world.settle()
      expect(await check(dongle)).toEqual([])
    }
    await change(600)
    expect(await world.listed(fleet)).toMatchObject([{ id: told?.id, ruleVersion: 1, endTimestamp: null }])
    // The first version held for ten minutes of it only.
    await change(60, minute(71))
    expect(await world.listed(fleet)).toMatchObject([{ id: told?.id, ruleVersion: 3, endTimestamp: null }])
    await change(10_000, minute(72))
    await change(20, minute(73))
    expect(await world.listed(fleet)).toMatchObject([{ id: told?.id, ruleVersion: 5 }])
    await world.send(dongle.off(200))
    await world.settle()
    expect(await world.listed(fleet)).toMatchObject([
      { id: told?.id, ruleVersion: 5, endTimestamp: minute(200) },
      { ruleVersion: 5, startTimestamp: minute(200), endTimestamp: null },
    ])
    expect(await check(dongle)).toEqual([])
  })

  it('of silence is open while nothing comes, and ends when something does', async () => {
    const fleet = await world.api.client('Silent')
    const dongle = await world.dongle(fleet)
    await world.send(...driveAt(dongle, 60, [80, 80]))
    await world.createRule(fleet, { kind: 'OFFLINE', parameters: { forMinutes: 30 } })
    await world.settle()
    const [open, ...others] = await world.listed(fleet)
    expect(others).toEqual([])
    expect(open).toMatchObject({ kind: 'OFFLINE', startTimestamp: minute(61), endTimestamp: null })
    expect(await check(dongle)).toEqual([])
    await world.send(dongle.off(200))
    await world.tellSilence()
    expect(await world.listed(fleet)).toMatchObject([
      { id: open?.id, endTimestamp: minute(200) },
      { startTimestamp: minute(200), endTimestamp: null },
    ])
    expect(await check(dongle)).toEqual([])
  })

  it('moves with its dongle to another car, and a client that syncs the first car learns that it left', async () => {
    const dongle = await world.dongle(client)
    await world.send(
      ...driveAt(dongle, 60, [80, 110, 110, 110, 80, 80]),
      ...driveAt(dongle, 120, [80, 110, 110, 110, 80, 80]),
    )
    await world.settle()
    const before = await listed(dongle)
    expect(before).toHaveLength(2)
    const moved = await moveDevice(world.api.database, {
      deviceId: dongle.id,
      to: { kind: 'new', vin: 'WBA3A5C58DF000002' },
      accountId: undefined,
      atMs: WORLD_START_MS + 100 * 60_000,
    })
    if (moved.kind !== 'moved') throw new Error(JSON.stringify(moved))
    await world.settle()
    expect((await listed(dongle)).map(({ vehicleId }) => vehicleId)).toEqual([before[0]?.vehicleId, moved.publicId])
    expect(await check(dongle)).toEqual([])
  })

  it('is in the car that a VIN told later', async () => {
    const dongle = await world.dongle(client)
    await world.send(...driveAt(dongle, 60, [80, 110, 110, 110, 80, 80]))
    await world.send(...dongle.drive(200, 210, { vin: 'WVWZZZ1KZAW000001' }))
    await world.settle()
    expect((await listed(dongle)).map(({ vehicleId }) => vehicleId)).toEqual(['VINWVWZZZ1KZAW000001'])
    expect(await check(dongle)).toEqual([])
  })

  it.each([
    ['changed', sql`update incidents set peak = peak + 1`],
    ['gone', sql`delete from incidents`],
    ['withdrawn', sql`update incidents set deleted = now()`],
    ['made up', sql`update incidents set start_time = start_time - interval '3 days'`],
  ])('that is %s is found by tacho rebuild --check, and put right by tacho rebuild', async (_, damage) => {
    const dongle = await world.dongle(client)
    await world.send(...driveAt(dongle, 60, [80, 110, 110, 110, 80, 80]))
    const before = await listed(dongle)
    expect(before).toHaveLength(1)
    await world.api.database.rows(sql`${damage} where device_id = ${dongle.id}`)
    expect((await check(dongle)).map(({ name }) => name).filter(name => name.startsWith('incident'))).not.toEqual([])
    await rebuildDevice(world.api.database, dongle.id, { isCheck: false })
    expect((await listed(dongle)).map(({ startTimestamp, peak }) => [startTimestamp, peak])).toEqual(
      before.map(({ startTimestamp, peak }) => [startTimestamp, peak]),
    )
    expect(await check(dongle)).toEqual([])
  })

  it('is streamed to those who may read it', async () => {
    const url = await world.api.server.listen({ host: '127.0.0.1', port: 0 })
    const dongle = await world.dongle(client)
    const stream = await StreamClient.open({ url, token: client.token, query: 'resources=incidents' })
    await world.send(...driveAt(dongle, 60, [80, 110, 110, 110, 80, 80]))
    await eventually(async () => {
      expect(stream.objects<ShownIncident>('incidents').at(-1)).toEqual((await listed(dongle))[0])
    })
    stream.cut()
    const stranger = await world.api.client('Fleet', ['vehicles'])
    expect((await stranger.get('/incidents')).statusCode).toBe(403)
    const blind = await world.api.client('Fleet', ['incidents'])
    expect((await world.listed(blind, `deviceId=${dongle.id}`))[0]).toMatchObject({
      startPosition: null,
      startAddress: null,
    })
    expect(await world.listed(await world.api.client('Other'))).toEqual([])
  })

  it('goes with its dongle', async () => {
    const dongle = await world.dongle(client)
    await world.send(...driveAt(dongle, 60, [80, 110, 110, 110, 80, 80]))
    const [before] = await listed(dongle)
    await deleteDevice(world.api.database, { deviceId: dongle.id })
    expect(await listed(dongle)).toEqual([])
    expect((await everythingOf<ShownIncident>(client, '/incidents')).get(before?.id ?? '')).toMatchObject({
      peak: null,
      startPosition: null,
      deleteTimestamp: expect.any(String),
    })
  })
})
