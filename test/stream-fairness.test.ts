import { setMaxListeners } from 'node:events'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startApiRole } from '../src/app.ts'
import { sql } from '../src/db/sql.ts'
import { eventually } from './eventually.ts'
import { ingestClient } from './ingest-client.ts'
import { startService } from './service.ts'
import { StreamClient } from './stream-client.ts'

const OWN_DEVICE = 356307042441013
const STREAM_LIMIT = 30
const ACCOUNT_STREAM_LIMIT = 40
/** Much less than after which the database ends queries that wait for a lock. */
const PROMPT_MS = 30_000

let greedy: string
let speedKmh = 50
let accounts = 0

const service = await startService({
  STREAM_HEARTBEAT_S: '1',
  STREAM_LIMIT: String(STREAM_LIMIT),
  ACCOUNT_STREAM_LIMIT: String(ACCOUNT_STREAM_LIMIT),
})
const modest = await service.key('Modest')
await report()
afterAll(() => service.stop())
beforeEach(async () => {
  greedy = await service.key(`Greedy ${++accounts}`)
})

/** The car of the modest account tells something new. @returns what it tells */
async function report(): Promise<number> {
  speedKmh++
  const event = { deviceId: OWN_DEVICE, recordedTimestamp: new Date().toISOString(), eventType: 'GPS_SPEED' }
  await ingestClient(service.intakeUrl, modest).store([{ ...event, value: speedKmh }])
  return speedKmh
}

async function holdTable(name: string): Promise<void> {
  const client = new Client({ connectionString: service.config.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`begin; lock table ${name} in access exclusive mode`)
}

async function heldQueries(): Promise<number> {
  const [row] = await service.database.checks.rows<{ count: number }>(sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and application_name = 'tacho reader' and wait_event_type = 'Lock'`)
  return row?.count ?? 0
}

/** Streams that each follow something else, so that none is read for another one. */
const openDifferent = (count: number, query: string, url = service.url) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      StreamClient.open({ url, token: greedy, query: `${query}&vehicleId=IMEI_${i}` }),
    ),
  )

async function expectPrompt(client: StreamClient): Promise<void> {
  const told = await report()
  const isThere = () => client.objects<{ value: unknown }>('events').some(({ value }) => value === told)
  await client.until(isThere, PROMPT_MS)
}

describe('an account with many streams that are slow to read', () => {
  it('delays nobody else, and nothing is read for its streams any more when they have gone', async () => {
    const witness = await StreamClient.open({
      url: service.url,
      token: modest,
      query: 'resources=events&eventTypes=GPS_SPEED',
    })
    await witness.ready()
    await holdTable('dtcs')
    const streams = await openDifferent(STREAM_LIMIT, 'resources=dtcs')
    await eventually(async () => expect(await heldQueries()).toBeGreaterThan(0))
    for (let i = 0; i < 3; i++) await expectPrompt(witness)
    // Those who resume do not keep others waiting, either.
    const resuming = await StreamClient.open({
      url: service.url,
      token: await service.key(`Greedy ${accounts}`),
      query: 'resources=dtcs',
      lastEventId: '1970-01-01',
    })
    await expectPrompt(witness)
    for (const stream of [...streams, resuming]) stream.cut()
    await eventually(async () => expect(await heldQueries()).toBe(0), PROMPT_MS)
    await expectPrompt(witness)
    witness.cut()
  })

  it('does not keep the process from stopping', async () => {
    const { config, intakeUrl } = service
    const api = await startApiRole({ config, log: pino({ level: 'silent' }), intakeUrl: () => intakeUrl })
    await holdTable('dtcs')
    const streams = await openDifferent(STREAM_LIMIT, 'resources=dtcs', `http://127.0.0.1:${api.port}`)
    await eventually(async () => expect(await heldQueries()).toBeGreaterThan(0))
    const startedMs = performance.now()
    await api.stop()
    expect(performance.now() - startedMs).toBeLessThan(PROMPT_MS)
    await Promise.all(streams.map(stream => stream.until(({ end }) => end !== undefined)))
  })
})

it('more streams than an account may have are refused, whatever keys they come with, and those of others are not', async () => {
  const keys = [greedy, await service.key(`Greedy ${accounts}`)]
  const gone = new AbortController()
  setMaxListeners(0, gone.signal)
  const open = (token: string) =>
    fetch(`${service.url}/stream`, { headers: { authorization: `Bearer ${token}` }, signal: gone.signal })
  const replies: Response[] = []
  for (const key of keys) for (let i = 0; i < STREAM_LIMIT; i++) replies.push(await open(key))
  const statuses = replies.map(({ status }) => status)
  expect(statuses.filter(status => status === 200)).toHaveLength(ACCOUNT_STREAM_LIMIT)
  const refused = replies.at(-1)
  expect([refused?.status, await refused?.json()]).toEqual([
    429,
    {
      errorMessage: expect.stringContaining(`${ACCOUNT_STREAM_LIMIT} are allowed to the keys and users of an account`),
    },
  ])
  const witness = await StreamClient.open({ url: service.url, token: modest })
  await witness.ready()
  gone.abort()
  witness.cut()
})
