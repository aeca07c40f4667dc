import { Client } from 'pg'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { sql } from '../src/db/sql.ts'
import { eventually } from './eventually.ts'
import { ingestClient } from './ingest-client.ts'
import { startService } from './service.ts'
import { StreamClient } from './stream-client.ts'

const OWN_DEVICE = 356307042441013

const service = await startService()
const greedy = await service.key('Greedy')
const modest = await service.key('Modest')
const recordedTimestamp = new Date().toISOString()
await ingestClient(service.intakeUrl, modest).store([
  { deviceId: OWN_DEVICE, recordedTimestamp, eventType: 'GPS_SPEED', value: 48 },
])
afterAll(() => service.stop())

const ask = (path: string, token: string, signal?: AbortSignal) =>
  fetch(service.url + path, { headers: { authorization: `Bearer ${token}` }, ...(signal && { signal }) })

/** Nobody can read this table until the test is over: its lists take as long as any client may make one take. */
async function holdTable(name: string): Promise<void> {
  const client = new Client({ connectionString: service.config.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`begin; lock table ${name} in access exclusive mode`)
}

async function heldQueries(): Promise<number> {
  const [row] = await service.database.rows<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and application_name = 'tacho reader' and wait_event_type = 'Lock'`)
  return row?.count ?? 0
}

it('an account that asks for more slow lists than there are connections keeps nobody else waiting, and is told so when too many wait; what nobody waits for any more ends', async () => {
  await holdTable('dtcs')
  const gone = new AbortController()
  const slow = Array.from({ length: 400 }, () => ask('/cc/v2.0/dtcs', greedy, gone.signal))
  const ended = Promise.allSettled(slow)
  const refused = await Promise.race(slow.map(async reply => ((await reply).status === 503 ? await reply : never())))
  expect(refused.headers.get('retry-after')).toBe('2')
  expect(await refused.json()).toEqual({ errorMessage: expect.stringContaining('of this account') })
  const paths = [
    '/cc/v2.0/devices',
    `/cc/v2.0/devices/${OWN_DEVICE}`,
    '/cc/v2.0/vehicles',
    `/cc/v2.0/vehicles/IMEI_${OWN_DEVICE}`,
    '/cc/v2.0/trips',
    '/cc/v2.0/events',
    '/cc/v2.0/events?filterTimestamp=2020-01-01',
    '/cc/v2.0/aggregations',
    '/auth/session',
    '/admin/users',
    '/admin/keys',
    '/healthz',
    '/readyz',
  ]
  for (const path of paths) expect([path, (await ask(path, modest)).status]).toEqual([path, 200])
  // Those of its own requests that need no list are answered, too: it is known who asks.
  expect((await ask('/cc/v2.0/units', greedy)).status).toBe(200)
  const stream = await StreamClient.open({ url: service.url, token: modest, query: 'resources=vehicles,devices' })
  await stream.ready()
  await ingestClient(service.intakeUrl, modest).store([
    { deviceId: OWN_DEVICE, recordedTimestamp: new Date().toISOString(), eventType: 'GPS_SPEED', value: 49 },
  ])
  await stream.until(client => client.objects('vehicles').length > 0)
  stream.cut()
  expect(await heldQueries()).toBeGreaterThan(0)
  gone.abort()
  await ended
  // Much sooner than the database would end them.
  await eventually(async () => expect(await heldQueries()).toBe(0), 30_000)
})

function never(): Promise<Response> {
  return new Promise(() => undefined)
}
