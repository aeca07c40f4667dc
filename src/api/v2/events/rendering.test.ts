import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { anySample, SOME_TYPES } from '../../../../test/any-sample.ts'
import { deep } from '../../../../test/deep.ts'
import { ingestClient, type SentEvent } from '../../../../test/ingest-client.ts'
import { startService } from '../../../../test/service.ts'
import { EVENT_TYPES, type EventType, eventTypeById } from '../../../catalogue/event-types.ts'
import { withBatteryState } from '../../../derive/latest-values/battery-state.ts'
import { type EventValue, eventsOf, type Sample } from '../../../model/sample.ts'

const FIRST_MS = Date.UTC(2024, 11, 29)
const LAST_MS = Date.UTC(2024, 11, 31)

/** Samples of one dongle, each instant once; a few types often, any type at times. */
const samples = fc.uniqueArray(
  fc.constantFrom(SOME_TYPES, EVENT_TYPES).chain(types =>
    anySample({
      deviceIds: fc.constant(1),
      timesMs: fc.integer({ min: FIRST_MS, max: LAST_MS }),
      types,
      minTypes: 1,
    }),
  ),
  { selector: sample => sample.timeMs, minLength: 1, maxLength: 15 },
)

/** What is asked for: some event types or all, in pages. */
const request = fc.record({
  types: fc.option(fc.subarray([...SOME_TYPES, ...EVENT_TYPES.slice(0, 10)], { minLength: 1 })),
  maxResults: fc.integer({ min: 1, max: 40 }),
  isAscending: fc.boolean(),
})

const service = await startService()
const key = await service.key('Fleet')
afterAll(() => service.stop())

describe('events', () => {
  let devices = 0

  const get = (url: string) => fetch(url, { headers: { authorization: `Bearer ${key}` } })

  async function send(some: readonly Sample[]): Promise<number> {
    const deviceId = 350_000_000_000_000 + ++devices
    const events = some.flatMap(({ timeMs, ...values }) =>
      [...eventsOf(values)].map(
        ([type, value]): SentEvent => ({
          deviceId,
          recordedTimestamp: new Date(timeMs).toISOString(),
          eventType: eventTypeById(type).name,
          value,
        }),
      ),
    )
    await ingestClient(service.intakeUrl, key).store(events)
    return deviceId
  }

  it('are the same to the byte as if each were made an object and then JSON, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(samples, request, async (some, { types, maxResults, isAscending }) => {
        const deviceId = await send(some)
        const filter = types ? `&eventType=${types.map(({ name }) => name).join(',')}` : ''
        const range = isAscending ? '&fromTimestamp=2024-01-01' : ''
        const pages: string[] = []
        let next: string | undefined = `/events?deviceId=${deviceId}${filter}${range}&maxResults=${maxResults}`
        next = `/cc/v2.0${next}`
        while (next) {
          const reply: Response = await get(service.url + next)
          const items = plainPoints(await reply.text()).slice(1, -1)
          if (items) pages.push(items)
          next = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
        }
        if (!isAscending) pages.reverse()
        expect(`[${pages.join(',')}]`).toBe(JSON.stringify(plainlyRendered(some, deviceId, types)))
      }),
      { numRuns: deep(12) },
    )
  })

  it('are the same as the latest values of the vehicle, where they are the newest of their type', async () => {
    await fc.assert(
      fc.asyncProperty(samples, async some => {
        const deviceId = await send(some)
        const reply = await get(`${service.baseUrl}/vehicles/IMEI_${deviceId}`)
        const { lastEvents } = JSON.parse(plainPoints(await reply.text())) as {
          lastEvents: { eventType: string; recordedTimestamp: string; value: unknown }[]
        }
        const newest = new Map(plainlyRendered(some, deviceId, null).map(event => [event.event_type, event]))
        expect(lastEvents.map(event => [event.eventType, event.recordedTimestamp, event.value])).toEqual(
          [...newest.values()]
            .sort((a, b) => (a.event_type < b.event_type ? -1 : 1))
            .map(event => [event.event_type, event.recorded_timestamp, event.value]),
        )
      }),
      { numRuns: deep(6) },
    )
  })
})

function plainlyRendered(some: readonly Sample[], deviceId: number, types: readonly EventType[] | null) {
  return [...some]
    .sort((a, b) => a.timeMs - b.timeMs)
    .flatMap(sample =>
      [...eventsOf(withBatteryState(sample))]
        .map(([type, value]) => ({ type: eventTypeById(type), value }))
        .filter(({ type }) => types?.includes(type) ?? true)
        .sort((a, b) => (a.type.name < b.type.name ? -1 : 1))
        .map(({ type, value }) => ({
          event_type: type.name,
          data_type: type.dataType,
          value: shown(value),
          ...(type.dataType === 'NUMBER' && { unit: type.unit, unit_id: type.unitId }),
          device_id: deviceId,
          recorded_timestamp: new Date(sample.timeMs).toISOString(),
        })),
    )
}

function shown(value: EventValue): number | boolean | string {
  return typeof value === 'object' ? `POINT(${value.lon} ${value.lat})` : value
}

/** Points as JavaScript writes their numbers; they come without exponents, which is easier to read back than to write. */
function plainPoints(text: string): string {
  return text.replaceAll(
    /"POINT\((-?\d+(?:\.\d+)?) (-?\d+(?:\.\d+)?)\)"/g,
    (_, lon: string, lat: string) => `"POINT(${Number(lon)} ${Number(lat)})"`,
  )
}
