import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { anySample } from '../../../../test/any-sample.ts'
import { deep } from '../../../../test/deep.ts'
import { ingestClient, type SentEvent } from '../../../../test/ingest-client.ts'
import { makeSampleStore, type SampleStore, storeSamples } from '../../../../test/sample-store.ts'
import { startService } from '../../../../test/service.ts'
import { requiredEventType } from '../../../catalogue/event-types.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { sealDay } from '../../../store/index.ts'
import { selectTypes } from './query.ts'
import { readThinnedList } from './thinned.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const FROM_MS = Date.UTC(2025, 2, 1)
const DAYS = 6
const NAMES = ['ALARM_SYSTEM', 'BATTERY_STATE', 'BATTERY_VOLTAGE', 'GPS_SPEED', 'VIN'] as const

/** Few hours, values and instants, so that they meet; and more of them than points. */
const anyBatch = fc.uniqueArray(
  anySample({
    deviceIds: fc.constant(1),
    timesMs: fc
      .tuple(fc.nat(DAYS - 1), fc.nat(3), fc.nat(6))
      .map(([day, hour, part]) => FROM_MS + day * DAY_MS + hour * 7 * HOUR_MS + part * 599_999),
    types: (['ALARM_SYSTEM', 'BATTERY_VOLTAGE', 'GPS_SPEED', 'VIN'] as const).map(requiredEventType),
    minTypes: 2,
  }),
  { selector: ({ timeMs }) => timeMs, minLength: 20, maxLength: 90 },
)
const anyHistory = fc.array(
  fc.record({
    batch: anyBatch,
    sealed: fc.subarray(
      Array.from({ length: DAYS }, (_, day) => day),
      { minLength: 3 },
    ),
  }),
  { minLength: 1, maxLength: 3 },
)
const anyRequest = fc
  .record({
    fromMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: DAY_MS })),
    toMs: fc.oneof(fc.constant(DAYS * DAY_MS), fc.integer({ min: 3 * DAY_MS, max: DAYS * DAY_MS })),
    maxPoints: fc.integer({ min: 1, max: 30 }),
    names: fc.subarray([...NAMES], { minLength: 1 }),
  })
  .map(({ fromMs, toMs, ...request }) => ({ ...request, range: { fromMs: FROM_MS + fromMs, toMs: FROM_MS + toMs } }))

async function thinned(
  { database, accountId }: SampleStore,
  deviceId: DeviceId,
  { range, maxPoints, names }: { range: { fromMs: number; toMs: number }; maxPoints: number; names: readonly string[] },
): Promise<string> {
  const texts = await readThinnedList(database.readsOf(accountId), work => work(), {
    scope: { accountId, deviceId, vehicleId: undefined, tripId: undefined },
    selection: selectTypes(names, new Set()),
    thinned: { range, maxPoints, typeCount: names.length },
  })
  return [...texts].join('\n').replaceAll(String(deviceId), 'device')
}

const dayRange = (day: number) => ({ fromMs: FROM_MS + day * DAY_MS, toMs: FROM_MS + (day + 1) * DAY_MS })

it('a thinned list is the same from rollups as from samples: any values, late and repeated, in days that are sealed or not', async () => {
  // Not that of a service, whose job would drop the empty weeks of a year ago.
  await using store = await makeSampleStore()
  let run = 0
  let rolledUp = 0
  await fc.assert(
    fc.asyncProperty(anyHistory, fc.array(anyRequest, { minLength: 4, maxLength: 4 }), async (history, requests) => {
      const [sealing, plain] = [0, 1].map(which => (1_000_000_000 + 2 * run + which) as DeviceId)
      if (sealing === undefined || plain === undefined) throw new Error('two devices')
      run++
      for (const { batch, sealed } of history) {
        for (const deviceId of [sealing, plain])
          await storeSamples(
            store,
            batch.map(sample => ({ ...sample, deviceId })),
          )
        for (const day of sealed) {
          const done = await sealDay(store.database, sealing, dayRange(day))
          if (typeof done === 'object') rolledUp++
        }
      }
      for (const request of requests)
        expect(await thinned(store, sealing, request)).toBe(await thinned(store, plain, request))
    }),
    { numRuns: deep(5), endOnFailure: true },
  )
  expect(rolledUp).toBeGreaterThan(deep(8))
})

const service = await startService()
afterAll(() => service.stop())

describe('GET /events with maxPoints over weeks', () => {
  const DEVICE = 356307042441013 as DeviceId
  const PLAIN = 356307042441021 as DeviceId
  const WEEKS_DAYS = 21

  it('answers the same before sealing, after it, with late data, and sealed again', async () => {
    const key = await service.key('Weeks')
    const client = ingestClient(service.intakeUrl, key)
    const send = async (events: readonly Omit<SentEvent, 'deviceId'>[]) => {
      for (const deviceId of [DEVICE, PLAIN]) await client.store(events.map(event => ({ ...event, deviceId })))
    }
    const eventsAt = (timeMs: number, speed: number): Omit<SentEvent, 'deviceId'>[] =>
      [
        ['GPS_SPEED', speed],
        ['BATTERY_VOLTAGE', speed % 2 === 0 ? 12.2 : 14.4],
        ['IS_MOVING', speed > 3],
      ].map(([eventType, value]) => ({
        recordedTimestamp: new Date(timeMs).toISOString(),
        eventType: String(eventType),
        value: value as SentEvent['value'],
      }))
    const drive = Array.from({ length: WEEKS_DAYS * 40 }, (_, step) => {
      const day = Math.floor(step / 40)
      return eventsAt(FROM_MS + day * DAY_MS + 7.5 * HOUR_MS + (step % 40) * 90_000, (step * 37) % 91)
    })
    await send(drive.flat())
    const queries = ['GPS_SPEED', 'BATTERY_STATE,BATTERY_VOLTAGE,IS_MOVING'].flatMap(types =>
      [40, 400, 4000].map(
        maxPoints =>
          `eventType=${types}&maxPoints=${maxPoints}&fromTimestamp=2025-03-02T05:17:00Z&toTimestamp=2025-03-21T07:50:00Z`,
      ),
    )
    const answers = (deviceId: DeviceId) =>
      Promise.all(
        queries.map(async query => {
          const reply = await fetch(`${service.baseUrl}/events?deviceId=${deviceId}&${query}`, {
            headers: { authorization: `Bearer ${key}` },
          })
          expect(reply.status).toBe(200)
          return (await reply.text()).replaceAll(String(deviceId), '1')
        }),
      )
    const same = async () => {
      const sealed = await answers(DEVICE)
      expect(sealed).toEqual(await answers(PLAIN))
      return sealed
    }
    const seal = async () => {
      for (let day = 0; day < WEEKS_DAYS; day++) await sealDay(service.database, DEVICE, dayRange(day))
    }
    const before = await same()
    expect((JSON.parse(before[0] ?? '') as unknown[]).length).toBeGreaterThan(30)
    await seal()
    expect(await same()).toEqual(before)
    await send([5, 12].flatMap(day => eventsAt(FROM_MS + day * DAY_MS + 7.6 * HOUR_MS, 200 + day)))
    const late = await same()
    expect(late[0]).toContain('212')
    expect(late[0]).not.toBe(before[0])
    await seal()
    expect(await same()).toEqual(late)
  })
})
