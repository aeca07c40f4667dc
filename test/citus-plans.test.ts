import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { sealHistory } from '../src/jobs/seal-history.ts'
import { inDatabase } from './citus-cluster.ts'
import { ingestClient, type SentEvent } from './ingest-client.ts'
import { isOnCitus } from './on-citus.ts'
import { sealingOptions } from './sealed-world.ts'
import { startService, type TestService } from './service.ts'
import { settled } from './settled.ts'

const why = isOnCitus ? '' : ' (skipped: CITUS_URL names no cluster)'

const DEVICES = [356307042441013, 356307042441021]
const SEALED_DAY = '2025-03-10'
const MINUTES = 30

interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

interface Plan extends Sent {
  readonly plan: string
}

/** What the service sends to the database while the API answers, as the driver gets it, and what Citus makes of that. */
describe.runIf(isOnCitus)(`plans on Citus${why}`, () => {
  let service: TestService
  let key: string
  let hotDay: string
  let sealed: number

  const get = async (path: string) => {
    const reply = await fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
    expect([path, reply.status]).toEqual([path, 200])
    return reply.json()
  }

  const derived = listenToDriver()
  beforeAll(async () => {
    service = await startService()
    key = await service.key('Fleet')
    const client = ingestClient(service.intakeUrl, key)
    hotDay = new Date(Date.now() - 3600_000).toISOString().slice(0, 10)
    await derived.during(async () => {
      for (const day of [hotDay, SEALED_DAY])
        for (const deviceId of DEVICES) {
          await client.store(drive(deviceId, day).slice(30))
          await client.store(drive(deviceId, day).slice(0, 30))
          await settled(service.database)
        }
      sealed = await sealHistory(service.database, sealingOptions(service.database, { quietS: 0 }))
    })
  })
  afterAll(() => service.stop())

  /** Plans of all that is sent about measurements while these paths are asked. */
  async function plansOf(paths: readonly string[]): Promise<readonly Plan[]> {
    const listening = listenToDriver()
    await listening.during(async () => {
      for (const path of paths) await get(path)
    })
    return explained(listening.sent)
  }

  async function explained(sent: Iterable<Sent>): Promise<readonly Plan[]> {
    const name = new URL(service.config.databaseUrl).pathname.slice(1)
    const admin = new pg.Client({ connectionString: inDatabase(inject('adminUrl'), name) })
    await admin.connect()
    try {
      const plans: Plan[] = []
      for (const { text, values } of sent) {
        const { rows } = await admin.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values])
        plans.push({ text, values, plan: rows.map(row => row['QUERY PLAN']).join('\n') })
      }
      return plans
    } finally {
      await admin.end()
    }
  }

  test('a day of a car is asked of one shard, whether it is sealed or not', async () => {
    expect(sealed).toBe(DEVICES.length)
    for (const day of [SEALED_DAY, hotDay]) {
      const range = `fromTimestamp=${day}&toTimestamp=${day}T23:59:59Z`
      const plans = await plansOf([
        `/events?deviceId=${DEVICES[0]}&${range}&maxResults=10000`,
        `/events?vehicleId=IMEI_${DEVICES[0]}&${range}`,
        `/events?deviceId=${DEVICES[0]}&eventType=GPS_SPEED&${range}`,
        `/events?deviceId=${DEVICES[0]}&eventType=GPS_SPEED&maxPoints=10&${range}`,
      ])
      expect(plans.length).toBeGreaterThanOrEqual(4)
      expect(plans.filter(sent => !goesToOneShard(sent))).toEqual([])
    }
  })

  test('nothing that the API asks moves rows between workers', async () => {
    const { trips } = (await get('/trips')) as { readonly trips: readonly { readonly id: number }[] }
    expect(trips.length).toBeGreaterThan(0)
    const plans = await plansOf([
      '/events',
      `/events?fromTimestamp=${SEALED_DAY}&toTimestamp=${hotDay}T23:59:59Z`,
      `/events?fromTimestamp=${SEALED_DAY}&eventType=GPS_SPEED`,
      '/events?filterTimestamp=2000-01-01',
      '/vehicles',
      `/vehicles?filterTimestamp=2000-01-01`,
      '/devices',
      `/positions?timestamp=${SEALED_DAY}T00:10`,
      '/trips',
      '/dtcs',
      '/aggregations?bin=VEHICLE',
      ...trips.slice(0, 2).flatMap(({ id }) => [`/trips/${id}`, `/trips/${id}/explain`, `/events?tripId=${id}`]),
    ])
    expect(plans.length).toBeGreaterThan(8)
    expectNothingMoved(plans)
  })

  test('nothing that is asked to derive, to fold again and to seal does', async () => {
    const plans = await explained(derived.sent)
    expect(plans.length).toBeGreaterThan(4)
    expectNothingMoved(plans)
  })
})

function drive(deviceId: number, day: string): SentEvent[] {
  return Array.from({ length: MINUTES }, (_, minute) => minute).flatMap(minute => {
    const recordedTimestamp = new Date(Date.parse(`${day}T00:00:00Z`) + minute * 60_000).toISOString()
    const send = (eventType: string, value: SentEvent['value']) => ({ deviceId, recordedTimestamp, eventType, value })
    return [
      send('GPS_SPEED', 50),
      send('IS_MOVING', minute < MINUTES - 5),
      send('POSITION', { lat: 49, lon: 8 + minute / 100 }),
    ]
  })
}

const MEASUREMENTS = /\b(samples|sealed_days|fold_checkpoints)\b/

/** Notes what goes through the driver and reads or deletes measurements, also what goes by COPY; of statements with the same text the first. */
function listenToDriver() {
  const sent = new Map<string, Sent>()
  const note = (text: unknown, values: readonly unknown[] = []) => {
    if (
      typeof text === 'string' &&
      MEASUREMENTS.test(text) &&
      /^\s*(select|with|delete)\b/i.test(text) &&
      !sent.has(text)
    )
      sent.set(text, { text, values })
  }
  return {
    get sent() {
      return sent.values()
    },
    async during(work: () => Promise<void>) {
      const statements = vi.spyOn(pg.Client.prototype, 'query')
      const copies = vi.spyOn(pg.Connection.prototype, 'query')
      try {
        await work()
      } finally {
        for (const [statement] of statements.mock.calls as unknown as readonly [Partial<Sent>][])
          note(statement.text, statement.values)
        for (const [text] of copies.mock.calls) note(/^copy \(([^]*)\) to stdout/.exec(text)?.[1])
        statements.mockRestore()
        copies.mockRestore()
      }
    },
  }
}

function goesToOneShard({ plan }: Plan): boolean {
  const counts = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => count)
  return counts.length > 0 && counts.every(count => count === '1')
}

function expectNothingMoved(plans: readonly Plan[]): void {
  expect(
    plans.filter(({ plan }) => /MapMerge|Repartition|Dependent Jobs/i.test(plan) || fetchesAllThatIsFound(plan)),
  ).toEqual([])
}

/**
 * Whether all that a part of a statement finds on the workers is fetched and sent on. Some rows of each, or what they come to, may be: the
 * coordinator puts a chunk together from them.
 */
function fetchesAllThatIsFound(plan: string): boolean {
  const parts = plan.split('Distributed Subplan').slice(1)
  return parts.some(part => {
    const [, onWorker = ''] = (part.split(/\n {2}Task Count/)[0] ?? '').split(/-> {2}Task\n/)
    const [above] = onWorker.split(/ on samples_/)
    return above !== onWorker && !/Limit|Aggregate|Group|Unique/.test(above ?? '')
  })
}
