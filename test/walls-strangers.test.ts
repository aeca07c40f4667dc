import { afterAll, describe, expect, it } from 'vitest'
import { sql } from '../src/db/sql.ts'
import type { Reply } from './http-client.ts'
import { all, FLEET_NAMES, GUARDED, ofEveryRoute, READS, startWallWorld, withQuery } from './wall-world.ts'

const world = await startWallWorld()
afterAll(() => world.service.stop())

const stranger = await world.service.key('Strangers')

describe('a stranger', () => {
  const EXPECTED = {
    'not found': 404,
    'empty list': 200,
    own: 200,
    refused: 400,
    'for users only': 403,
    'for the operator': 403,
    same: 200,
  } as const

  it('finds no object of others, in no list, and can change nothing of theirs', async () => {
    const state = () =>
      ofEveryRoute(
        async route => (await world.askRoute(world.owner, route)).text.replace(/"modifyTimestamp":"[^"]*"\}$/, ''),
        READS.filter(({ wall }) => wall.changes !== true),
      )
    const before = await state()
    const shown = await ofEveryRoute(async route => (await world.askRoute(stranger, route)).status)
    expect(shown).toEqual(
      GUARDED.map(
        ({ name, wall: { stranger: kind, succeeds } }) =>
          `${name}: ${kind === 'same' ? (succeeds ?? 200) : EXPECTED[kind]}`,
      ),
    )
    expect(await state()).toEqual(before)
  })

  it('is shown an empty world, whatever filters name', async () => {
    const filters = [
      '',
      `deviceId=${world.facts.deviceId}`,
      `deviceIds=${world.facts.deviceId}`,
      `vehicleId=IMEI_${world.facts.deviceId}`,
      `tripId=${world.facts.tripId}`,
      'filterTimestamp=1970-01-01',
      'fromTimestamp=1970-01-01',
      'vehicleId=ALL',
    ]
    const lists = READS.filter(({ wall }) => wall.stranger === 'empty list')
    for (const filter of filters) {
      const shown = await ofEveryRoute(async ({ wall }) => {
        const { path } = wall.request(world.facts)
        const { text } = await world.ask(stranger, 'GET', withQuery(path, filter))
        const body = JSON.parse(text) as unknown[] | Record<string, unknown>
        return JSON.stringify(Array.isArray(body) ? body : Object.values(body).filter(Array.isArray).flat())
      }, lists)
      expect(shown).toEqual(all('[]', lists))
    }
  })

  it('is shown only its own where everybody has something', async () => {
    const lists = GUARDED.filter(({ wall }) => wall.stranger === 'own')
    const names = async (token: string) =>
      ofEveryRoute(async route => (await world.askRoute(token, route)).text.includes(FLEET_NAMES), lists)
    expect(await names(world.owner)).toEqual(all('true', lists))
    expect(await names(stranger)).toEqual(all('false', lists))
  })

  it('is told the same of an object of others as of one that does not exist', async () => {
    const none = {
      ...world.facts,
      deviceId: 4711,
      vehicleId: 'IMEI_4711',
      tripId: '4711',
      areaId: '4711',
      goneAreaId: '4711',
      ruleId: '4711',
      incidentId: '4711',
      userId: '4711',
      keyId: '4711',
    }
    for (const { method, wall } of GUARDED.filter(route => route.wall.stranger === 'not found')) {
      const [theirs, missing] = [wall.request(world.facts), wall.request(none)]
      const without = ({ status, text }: Reply) => `${status} ${text.replace(/\d+/g, '#')}`
      expect(without(await world.ask(stranger, method, theirs.path, theirs.body))).toBe(
        without(await world.ask(stranger, method, missing.path, missing.body)),
      )
    }
  })

  it('cannot send measurements for a device of others, nor beside one of its own', async () => {
    const count = async () => (await world.service.database.rows(sql`select count(*) from samples`))[0]
    const event = { recordedTimestamp: '2020-02-22T16:00:00Z', eventType: 'GPS_SPEED', value: 1 }
    const before = await count()
    const { status, text } = await world.ask(stranger, 'POST', '/ingest/events', [
      { ...event, deviceId: 17 },
      { ...event, deviceId: world.facts.deviceId },
    ])
    expect([status, text]).toEqual([400, expect.stringContaining('events[1].deviceId')])
    expect(await count()).toEqual(before)
    expect((await world.ask(stranger, 'GET', '/cc/v2.0/devices/17')).status).toBe(404)
  })

  it('cannot walk into the data of others with their cursors', async () => {
    for (let device = 18; device < 21; device++)
      await world.ask(world.owner, 'POST', '/ingest/events', [
        { deviceId: device, recordedTimestamp: '2020-02-22T14:00:00Z', eventType: 'GPS_SPEED', value: 1 },
      ])
    for (const list of ['devices', 'vehicles', 'events']) {
      const { headers } = await world.ask(world.owner, 'GET', `/cc/v2.0/${list}?maxResults=1`)
      const next = /^<(.*)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
      const { status, text } = await world.ask(stranger, 'GET', next)
      expect(status).toBe(200)
      expect(text).not.toContain('IMEI_')
      expect(text).not.toContain('"device_id"')
      expect(text).not.toContain('"id"')
    }
  })
})
