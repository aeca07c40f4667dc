import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EventType, type EventTypeId, eventTypeByName } from '../src/catalogue/event-types.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, withBatteryState } from '../src/derive/latest-values/battery-state.ts'
import { compareValues, mergeSamples } from '../src/model/merge-samples.ts'
import { type DeviceId, type EventValue, eventsOf, type Sample, sampleOf } from '../src/model/sample.ts'
import { anyOrder, SOME_TYPES } from './any-sample.ts'
import { deep } from './deep.ts'
import { type IngestClient, ingestClient, type SentEvent } from './ingest-client.ts'
import { startService, type TestService } from './service.ts'

/** Runs of each property. */
const numRuns = deep(4)

/** An event of one of a few dongles at one of a few instants; `device` counts from 0. */
interface AnyEvent {
  readonly device: number
  readonly timeMs: number
  readonly type: EventType
  readonly value: EventValue
}

/** Instants of one second, of two weeks, and of another century of dongles. */
const TIMES_MS = [
  Date.UTC(2003, 4, 5),
  ...[0, 1, 2, 999].map(ms => Date.UTC(2024, 11, 29, 23, 59, 59) + ms),
  Date.UTC(2024, 11, 30),
  Date.UTC(2024, 11, 30, 0, 0, 1),
]

const anyEvent: fc.Arbitrary<AnyEvent> = fc
  .record({
    device: fc.integer({ min: 0, max: 2 }),
    timeMs: fc.constantFrom(...TIMES_MS),
    // Voltages more often: something is derived from them.
    type: fc.constantFrom(...SOME_TYPES, ...SOME_TYPES.filter(({ name }) => name === 'BATTERY_VOLTAGE')),
  })
  .chain(place => fewValues(place.type).map(value => ({ ...place, value })))

function fewValues({ name, dataType }: EventType): fc.Arbitrary<EventValue> {
  if (name === 'BATTERY_VOLTAGE') return fc.constantFrom(5, 9, 11, 12, 12.5, 13.5, 16)
  if (dataType === 'NUMBER') return fc.constantFrom(0, 48.5, 1e-7)
  if (dataType === 'BOOLEAN') return fc.boolean()
  if (dataType === 'STRING') return fc.constantFrom('Warning', 'Loading', 'ä,"\\{}')
  return fc.constantFrom({ lon: 8.4, lat: 49 }, { lon: 0.00001, lat: -33.5 })
}

/** A request that is sent to one of two nodes over one of a few connections; each connection sends one after the other. */
interface AnyRequest {
  readonly events: readonly AnyEvent[]
  readonly connection: number
  readonly node: number
}

/** Some way to upload events: split anyhow, also within an instant, shuffled, some of it more than once. */
function anyUpload(events: readonly AnyEvent[]): fc.Arbitrary<AnyRequest[]> {
  return fc
    .record({
      order: anyOrder(events),
      requestOf: fc.array(fc.nat({ max: 7 }), { minLength: events.length, maxLength: events.length }),
      repeats: fc.array(fc.shuffledSubarray([...events], { minLength: 1 }), { maxLength: 3 }),
    })
    .chain(({ order, requestOf, repeats }) => {
      const split = [...new Set(requestOf)].map(number => order.filter((_, index) => requestOf[index] === number))
      return anyOrder([...split, ...repeats])
    })
    .chain(requests =>
      fc.tuple(
        ...requests.map(request =>
          fc.record({
            events: fc.constant(request),
            connection: fc.nat({ max: 3 }),
            node: fc.nat({ max: 1 }),
          }),
        ),
      ),
    )
}

/** Voltages of one battery that are corrected again and again, and with them the state that follows from the newest one. */
const correctedVoltages: fc.Arbitrary<AnyEvent[]> = fc.array(
  fc.record({
    device: fc.constant(0),
    timeMs: fc.constantFrom(...TIMES_MS.slice(0, 4)),
    type: fc.constant(BATTERY_VOLTAGE),
    value: fc.constantFrom(9, 11, 12, 12.5),
  }),
  { minLength: 2, maxLength: 12 },
)

const eventsAndTwoUploads = fc
  .oneof(fc.array(anyEvent, { minLength: 1, maxLength: 25 }), correctedVoltages)
  .chain(events => fc.tuple(fc.constant(events), anyUpload(events), anyUpload(events)))

describe('any set of events, however it is split, repeated and interleaved over connections and nodes', () => {
  let service: TestService
  let nodes: readonly string[]
  let fleets = 0

  beforeAll(async () => {
    service = await startService()
    nodes = [service.url, await service.secondIntake()]
  })
  afterAll(() => service.stop())

  /** Uploads into an account of its own. @returns what the service then says, with the dongles counted from 0. */
  async function upload(requests: readonly AnyRequest[]) {
    const number = ++fleets
    const key = await service.key(`Fleet ${number}`)
    const clients = nodes.map(url => ingestClient(url, key))
    const deviceIdOf = (device: number) => 350_000_000_000_000 + number * 10 + device
    const receipts = await sendAll(requests, clients, deviceIdOf)
    const read = async (path: string) => {
      const reply = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
      return (await reply.text()).replaceAll(/35\d{12}(\d)/g, '$1')
    }
    return { receipts, again: () => sendAll(requests, clients, deviceIdOf), read, pages: () => pagesOf(service, key) }
  }

  it('reads back as the same set, the greater of two values winning, and is counted right', async () => {
    await fc.assert(
      fc.asyncProperty(eventsAndTwoUploads, async ([events, requests]) => {
        const { receipts, again, read, pages } = await upload(requests)
        const stored = unionOf(events)
        const shown = JSON.parse(await read('/events?maxResults=10000')) as unknown[]
        expect(shown).toEqual(shownEvents(stored))
        expect(JSON.parse(`[${(await pages()).join(',')}]`.replaceAll(/35\d{12}(\d)/g, '$1'))).toEqual(shown)

        for (const { accepted, duplicates, sent } of receipts) expect(accepted + duplicates).toBe(sent)
        const accepted = sumOf(receipts)
        const keys = new Set(events.map(keyOf))
        const values = new Set(events.map(event => `${keyOf(event)} ${JSON.stringify(event.value)}`))
        // Every event type of an instant once, and once more each time that a greater value came.
        expect(accepted).toBeGreaterThanOrEqual(keys.size)
        expect(accepted).toBeLessThanOrEqual(values.size)
        expect(sumOf(await again())).toBe(0)
      }),
      { numRuns },
    )
  })

  it('shows the newest value of every event type of a vehicle, and whether the dongle is plugged in', async () => {
    await fc.assert(
      fc.asyncProperty(eventsAndTwoUploads, async ([events, requests]) => {
        const { read } = await upload(requests)
        const stored = unionOf(events)
        const { vehicles } = JSON.parse(await read('/vehicles')) as {
          vehicles: { id: string; lastEvents: unknown[] }[]
        }
        const { devices } = JSON.parse(await read('/devices')) as { devices: { id: number; isPluggedIn: boolean }[] }
        const present = [...new Set(events.map(event => event.device))].sort((a, b) => a - b)
        expect(vehicles.map(vehicle => vehicle.lastEvents)).toEqual(present.map(device => shownLatest(stored, device)))
        expect(devices.map(device => device.id)).toEqual(present)
        for (const { id, isPluggedIn } of devices) {
          const last = newestOf(stored, id).get(eventTypeByName('IS_DONGLE_PLUGGED_IN')!.id)
          expect(isPluggedIn).toBe(last ? last.value : true)
        }
      }),
      { numRuns },
    )
  })

  it('looks the same to the byte after any two uploads of it', async () => {
    await fc.assert(
      fc.asyncProperty(eventsAndTwoUploads, async ([, one, other]) => {
        const looks = async (requests: readonly AnyRequest[]) => {
          const { read } = await upload(requests)
          const vehicles = (await read('/vehicles')).replaceAll(/"modifyTimestamp":"[^"]*"/g, '')
          return [await read('/events?maxResults=10000'), vehicles]
        }
        expect(await looks(other)).toEqual(await looks(one))
      }),
      { numRuns },
    )
  })
})

/** Sends the requests of each connection in order, all connections at once. */
async function sendAll(
  requests: readonly AnyRequest[],
  clients: readonly IngestClient[],
  deviceIdOf: (device: number) => number,
) {
  const connections = [...new Set(requests.map(request => request.connection))]
  const receipts = await Promise.all(
    connections.map(async connection => {
      const answers = []
      for (const { events, node } of requests.filter(request => request.connection === connection)) {
        const sent = events.map(
          (event): SentEvent => ({
            deviceId: deviceIdOf(event.device),
            recordedTimestamp: new Date(event.timeMs).toISOString(),
            eventType: event.type.name,
            value: event.value,
          }),
        )
        answers.push({ ...(await clients[node]!.store(sent)), sent: sent.length })
      }
      return answers
    }),
  )
  return receipts.flat()
}

/** The events of the fleet, read one page after the other. */
async function pagesOf(service: TestService, key: string): Promise<string[]> {
  const events: string[] = []
  let next: string | undefined = '/cc/v2.0/events?maxResults=7&fromTimestamp=2000-01-01'
  while (next) {
    const reply: Response = await fetch(service.url + next, { headers: { authorization: `Bearer ${key}` } })
    const text = await reply.text()
    if (text !== '[]') events.push(text.slice(1, -1))
    next = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
  }
  return events
}

const sumOf = (receipts: readonly { readonly accepted: number }[]) =>
  receipts.reduce((sum, { accepted }) => sum + accepted, 0)

const keyOf = ({ device, timeMs, type }: AnyEvent) => `${device} ${timeMs} ${type.name}`

/** What must be stored of events: one sample for each device and instant. Devices count from 0, so theirs are no ids. */
function unionOf(events: readonly AnyEvent[]): readonly Sample[] {
  const union = new Map<string, Sample>()
  for (const { device, timeMs, type, value } of events) {
    const sample = sampleOf(device as DeviceId, timeMs, new Map([[type.id, value]]))
    const known = union.get(`${device} ${timeMs}`)
    union.set(`${device} ${timeMs}`, known ? mergeSamples(known, sample).sample : sample)
  }
  return [...union.values()].map(withBatteryState)
}

function shownEvents(samples: readonly Sample[]) {
  return samples
    .flatMap(({ deviceId, timeMs, ...values }) =>
      [...eventsOf(values)].map(([type, value]) => ({ deviceId, timeMs, type: typeOf(type), value })),
    )
    .sort((a, b) => a.timeMs - b.timeMs || compareValues(a.type.name, b.type.name) || a.deviceId - b.deviceId)
    .map(({ deviceId, timeMs, type, value }) => ({
      event_type: type.name,
      data_type: type.dataType,
      value: shownValue(value),
      ...(type.dataType === 'NUMBER' && { unit: type.unit, unit_id: type.unitId }),
      device_id: deviceId,
      recorded_timestamp: new Date(timeMs).toISOString(),
    }))
}

/** The newest value of each event type of a device. */
function newestOf(samples: readonly Sample[], device: number) {
  const newest = new Map<EventTypeId, { readonly timeMs: number; readonly value: EventValue }>()
  for (const sample of samples.filter(({ deviceId }) => deviceId === device).sort((a, b) => a.timeMs - b.timeMs))
    for (const [type, value] of eventsOf(sample)) newest.set(type, { timeMs: sample.timeMs, value })
  return newest
}

function shownLatest(samples: readonly Sample[], device: number) {
  return [...newestOf(samples, device)]
    .map(([id, { timeMs, value }]) => ({ type: typeOf(id), timeMs, value }))
    .sort((a, b) => compareValues(a.type.name, b.type.name))
    .map(({ type, timeMs, value }) => ({
      deviceId: device,
      recordedTimestamp: new Date(timeMs).toISOString(),
      eventType: type.name,
      dataType: type.dataType,
      value: shownValue(value),
      ...(type.dataType === 'NUMBER' && { unit: type.unit, unitId: type.unitId }),
    }))
}

function typeOf(id: EventTypeId): EventType {
  return id === BATTERY_STATE.id ? BATTERY_STATE : SOME_TYPES.find(type => type.id === id)!
}

function shownValue(value: EventValue): number | boolean | string {
  return typeof value === 'object' ? `POINT(${value.lon} ${value.lat})` : value
}
