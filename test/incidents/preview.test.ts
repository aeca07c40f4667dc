import { afterAll, describe, expect, it } from 'vitest'
import { BASE } from '../api.ts'
import type { Dongle } from '../dongle.ts'
import { shownAsFound } from './found-by.ts'
import { IncidentWorld, WORLD_START_MS } from './incident-world.ts'

const world = await IncidentWorld.make()
const client = await world.api.client('Fleet')
afterAll(() => world[Symbol.asyncDispose]())

interface Result {
  readonly devices: number
  readonly devicesDone: number
  readonly samples: number
  readonly count: number
  readonly byDay: readonly { readonly day: string; readonly count: number }[]
  readonly byVehicle: readonly { readonly vehicleId: string; readonly count: number }[]
  readonly incidents: readonly {
    readonly vehicleId: string
    readonly startTimestamp: string
    readonly endTimestamp: string | null
    readonly peak: { readonly value: number; readonly unit: string } | null
    readonly startPosition: object | null
  }[]
}

const PERIOD = { fromTimestamp: '2026-01-11', toTimestamp: '2026-01-20' }

async function previewed(body: object, who = client): Promise<{ names: string[]; result: Result }> {
  const reply = await who.send('POST', '/rules/preview', { ...PERIOD, ...body })
  expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const frames = reply.body.split('\n\n').filter(Boolean)
  const names = frames.map(frame => /^event: (\w+)/.exec(frame)?.[1] ?? '')
  return { names, result: JSON.parse(/^data: (.*)$/m.exec(frames.at(-1) ?? '')?.[1] ?? '') as Result }
}

function speeding(dongle: Dongle, ...hours: readonly number[]) {
  return hours.flatMap(hour => [
    ...[80, 120, 130, 120, 80].map((kmh, step) => dongle.driving(hour * 60 + step / 2, { VEHICLE_SPEED_AVERAGE: kmh })),
    dongle.off(hour * 60 + 3),
  ])
}

describe('a preview of a rule', () => {
  it('tells what the rule finds when it is saved, by day and by vehicle, and saves nothing', async () => {
    const [first, second] = [await world.dongle(client), await world.dongle(client)]
    await world.send(...speeding(first, 1, 2, 30), ...speeding(second, 5))
    await world.settle()
    const rule = { kind: 'SPEEDING', parameters: { limitKmh: 100 } }
    const { names, result } = await previewed(rule)
    expect(names[0]).toBe('progress')
    expect(names.at(-1)).toBe('result')
    expect(result).toMatchObject({ devices: 2, devicesDone: 2, samples: 24, count: 4 })
    expect(result.byDay).toEqual([
      { day: '2026-01-12', count: 3 },
      { day: '2026-01-13', count: 1 },
    ])
    expect(result.byVehicle).toEqual([
      { vehicleId: first.imei, count: 3 },
      { vehicleId: second.imei, count: 1 },
    ])
    expect(await world.listed(client)).toEqual([])
    await world.createRule(client, { ...rule, fromTimestamp: PERIOD.fromTimestamp })
    await world.settle()
    const saved = shownAsFound(await world.listed(client)).map(({ startTimestamp, endTimestamp, peak }) => [
      startTimestamp,
      endTimestamp,
      peak,
    ])
    expect(
      result.incidents.map(({ startTimestamp, endTimestamp, peak }) => [
        startTimestamp,
        endTimestamp,
        peak?.value ?? null,
      ]),
    ).toEqual(saved)
    expect(result.incidents[0]).toMatchObject({ peak: { unit: 'km/h' }, startPosition: { lon: 11.6 } })
  })

  it('is of the vehicles and the period that are named, without positions for who may not see them', async () => {
    const fleet = await world.api.client('Small')
    const [first, second] = [await world.dongle(fleet), await world.dongle(fleet)]
    await world.send(...speeding(first, 1, 30), ...speeding(second, 1))
    const draft = { kind: 'SPEEDING', parameters: { limitKmh: 100 }, vehicleIds: [first.imei] }
    const { result } = await previewed(
      { ...draft, toTimestamp: new Date(WORLD_START_MS + 20 * 3_600_000).toISOString() },
      fleet,
    )
    expect(result).toMatchObject({ devices: 1, count: 1, byVehicle: [{ vehicleId: first.imei, count: 1 }] })
    const blind = await world.api.client('Small', ['rules'])
    expect((await previewed(draft, blind)).result.incidents[0]).toMatchObject({ startPosition: null })
  })

  it.each([
    [{ kind: 'SPEEDING', parameters: { limitKmh: 9999 } }, 'parameters.limitKmh must be a number from 5 to 250 km/h.'],
    [
      { kind: 'SPEEDING', parameters: { limit: 1 } },
      /^parameters\.limit is not a parameter of SPEEDING; there are limitKmh, /,
    ],
    [{ kind: 'FLYING' }, /^kind must be one of /],
    [{ kind: 'SPEEDING', vehicleIds: ['IMEI_1'] }, 'vehicleIds names IMEI_1, which is no vehicle of this account.'],
    [{ kind: 'SPEEDING', fromTimestamp: '2020-01-01' }, /at most 366 days/],
    [{ kind: 'SPEEDING', hours: { timeZone: 'CST', days: [] } }, /^hours\.timeZone must be an IANA time zone/],
    [
      { kind: 'AREA_ENTERED', parameters: { areas: ['4711'] } },
      'parameters name the area 4711, which this account does not have.',
    ],
  ])('of %j is refused with a reason', async (body, message) => {
    const reply = await client.send('POST', '/rules/preview', { ...PERIOD, ...body })
    expect([reply.statusCode, reply.json<{ errorMessage: string }>().errorMessage]).toEqual([
      400,
      expect.stringMatching(message),
    ])
  })

  it('stops when the connection is closed', async () => {
    const url = await world.api.server.listen({ host: '127.0.0.1', port: 0 })
    for (let times = 0; times < 4; times++) {
      const abort = new AbortController()
      const reply = await fetch(`${url}${BASE}/rules/preview`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'IDLING', ...PERIOD }),
        signal: abort.signal,
      })
      expect(reply.status).toBe(200)
      abort.abort()
      // Its place is free again.
      await expect
        .poll(async () => (await client.send('POST', '/rules/preview', { kind: 'IDLING', ...PERIOD })).statusCode)
        .toBe(200)
    }
  })
})
