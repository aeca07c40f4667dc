import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { carIdentity } from '../lab/ved/recording.ts'
import { replayVed } from '../lab/ved/replay-ved.ts'
import { startService } from './service.ts'
import { recorded } from './ved-recording.ts'

let folder = ''
const service = await startService()
folder = await mkdtemp(join(tmpdir(), 'tacho-replay-'))
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

interface ListedEvent {
  readonly device_id: number
  readonly event_type: string
  readonly recorded_timestamp: string
  readonly value: unknown
}

/** All events of the fleet, page by page. */
async function listEvents(key: string, maxResults: number): Promise<ListedEvent[]> {
  const events: ListedEvent[] = []
  const first = `/cc/v2.0/events?fromTimestamp=2018-01-01T00:00:00Z&maxResults=${maxResults}`
  for (let path: string | undefined = first; path !== undefined; ) {
    const response: Response = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    expect(response.status).toBe(200)
    events.push(...((await response.json()) as ListedEvent[]))
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return events
}

test('a replayed recording is counted back exactly through GET /events, page by page', async () => {
  const key = await service.key('replay')
  const drive = (car: number, trip: number) =>
    Array.from({ length: 300 }, (_, i) => ({
      VehId: String(car),
      Trip: String(trip),
      DayNum: String(200 + trip),
      'Timestamp(ms)': String(i * 700),
      'Vehicle Speed[km/h]': String(i % 90),
      'Engine RPM[RPM]': i % 3 ? '1800.5' : '',
    }))
  const file = join(folder, 'drives.csv')
  await writeFile(file, recorded(...drive(1, 1), ...drive(1, 2), ...drive(2, 1), ...drive(2, 1).slice(0, 10)))

  const { totals } = await replayVed({
    file,
    speed: undefined,
    toNow: false,
    signal: new AbortController().signal,
    client: { baseUrl: service.url, key, batchEvents: 100 },
    onSurveyed: () => {},
  })
  // Ten rows are there twice: a position and a speed each, the engine speed in six of them.
  expect(totals).toMatchObject({ events: 900 * 2 + 600 + 3 + 26, accepted: 900 * 2 + 600 + 3, duplicates: 26 })

  const events = await listEvents(key, 97)
  expect(events).toHaveLength(totals.accepted)
  const keys = events.map(event => `${event.device_id} ${event.recorded_timestamp} ${event.event_type}`)
  expect(new Set(keys).size).toBe(totals.accepted)
  expect(events.filter(event => event.event_type === 'VIN').map(({ device_id, value }) => [device_id, value])).toEqual(
    [1, 2, 1].map(car => [carIdentity(car).deviceId, carIdentity(car).vin]),
  )
})
