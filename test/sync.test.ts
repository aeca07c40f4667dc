import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase, WRITER_NAME } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { deep } from './deep.ts'
import { ingestClient } from './ingest-client.ts'
import { startService } from './service.ts'
import { settled } from './settled.ts'

/** How long each writer writes, and how often at least, however slow the machine is. */
const WRITING_MS = deep(500)
const LEAST_ROUNDS = 10
const FIRST_DEVICE = 350_000_000_000_000
const DEVICES = 12
const LISTS = ['vehicles', 'devices', 'trips'] as const
/** After a reply without anything: nine clients share a process with the writers, and with what works after them. */
const REST_MS = 75

interface Item {
  readonly id: string | number
  readonly modifyTimestamp: string
}
type Items = ReadonlyMap<string, Item>

const service = await startService()
const intakes = [service.intakeUrl, await service.secondIntake()]
const database = openDatabase({ url: service.config.databaseUrl, writerCount: 12 })
afterAll(async () => {
  await database.close()
  await service.stop()
})

describe('a client that keeps asking with the modifyTimestamp of its last reply', () => {
  let fleets = 0
  let key: string
  let accountId: number
  let first: number

  /** A fleet of its own, with a few trips. */
  beforeEach(async () => {
    const name = `Fleet ${++fleets}`
    key = await service.key(name)
    const [account] = await database.rows<{ id: number }>(sql`select id from accounts where name = ${name}`)
    accountId = account!.id
    first = FIRST_DEVICE + fleets * 1000
    for (let device = 0; device < DEVICES; device++) await measure(device, device)
    for (let trip = 0; trip < 5; trip++) await changeTrip(trip)
  })

  const deviceIdOf = (device: number) => first + device
  const get = async (path: string) => {
    const reply = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } })
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return reply
  }
  const list = async (name: string, query: string) => {
    const body = (await (await get(`/cc/v2.0/${name}?${query}`)).json()) as Record<string, unknown>
    return { items: body[name] as readonly Item[], modifyTimestamp: String(body.modifyTimestamp) }
  }

  // What writers do.

  function measure(device: number, round: number): Promise<unknown> {
    // Every third comes late.
    const timeMs = Date.UTC(2025, 0, 1) + (round % 3 === 2 ? -round : round) * 1000
    return ingestClient(intakes[round % 2]!, key).store(
      ['GPS_SPEED', 'BATTERY_VOLTAGE'].map(eventType => ({
        deviceId: deviceIdOf(device),
        recordedTimestamp: new Date(timeMs).toISOString(),
        eventType,
        value: 5 + (round % 12),
      })),
    )
  }

  async function changeSettings(device: number, settings: object): Promise<void> {
    const [vehicle] = await database.rows<{ id: string }>(
      sql`select public_id as id from vehicles where first_device_id = ${deviceIdOf(device)}`,
    )
    const reply = await fetch(`${service.baseUrl}/vehicles/${vehicle!.id}/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ settings }),
    })
    if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`)
  }

  /** Changes a device and its vehicle, and commits only after a while. */
  const changeSlowly = (device: number, ms: number) =>
    writeTransaction(database, async transaction => {
      const [one, other] = [await transaction.takeRevisions(1), await transaction.takeRevisions(1)]
      await transaction.rows(
        sql`update devices set firmware_version = ${one}, modified = ${one} where id = ${deviceIdOf(device)}`,
      )
      await sleep(ms)
      await transaction.rows(
        sql`update vehicles set model = ${other}, modified = ${other} where first_device_id = ${deviceIdOf(device)}`,
      )
    })

  /** A new trip, a longer one, a deleted one. */
  const changeTrip = (trip: number) =>
    writeTransaction(database, async transaction => {
      const revision = await transaction.takeRevisions(1)
      const start = new Date(Date.UTC(2025, 0, 1) + (trip % 20) * 3_600_000).toISOString()
      const [known] = await transaction.rows<{ id: number }>(sql`
        select id from trips where account_id = ${accountId} and start_time = ${start} for update`)
      if (known)
        await transaction.rows(sql`
          update trips set distance_m = distance_m + 1, modified = ${revision},
            deleted = case when ${trip % 7 === 0} then clock_timestamp() else deleted end
          where id = ${known.id}`)
      else
        await transaction.rows(sql`
          insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s, modified)
          select ${deviceIdOf(0)}, ${accountId}, vehicle_id, ${start}, ${start}, 1, 1, ${revision}
          from assignments where device_id = ${deviceIdOf(0)}`)
    })

  /** A connection of some other process that took its revisions first and commits last. */
  async function holdOpen(ms: number): Promise<void> {
    const client = new Client({ connectionString: service.config.databaseUrl, application_name: WRITER_NAME })
    await client.connect()
    await client.query('begin')
    const { rows } = await client.query<{ revisions: string[] }>(
      'select array_agg(take_revisions(1)::text) as revisions from generate_series(1, 3)',
    )
    const revisions = rows[0]!.revisions
    await client.query('update devices set hardware_type = $2::text, modified = $2::text::timestamptz where id = $1', [
      deviceIdOf(DEVICES - 1),
      revisions[0],
    ])
    await client.query(
      'update vehicles set make = $2::text, modified = $2::text::timestamptz where first_device_id = $1',
      [deviceIdOf(DEVICES - 1), revisions[1]],
    )
    await client.query(
      'update trips set distance_m = 99, modified = $2 where id = (select min(id) from trips where account_id = $1)',
      [accountId, revisions[2]],
    )
    await sleep(ms)
    await client.query('commit')
    await client.end()
  }

  /** Eight writers at once, one of them a transaction that is open all the while. */
  async function write(): Promise<void> {
    const untilMs = Date.now() + WRITING_MS
    const repeat = async (change: (round: number) => Promise<unknown>) => {
      for (let round = 1; round <= LEAST_ROUNDS || Date.now() < untilMs; round++) await change(round)
    }
    // Who joins while others write; the one that is held open has a device and a trip for itself.
    const anyDevice = (round: number) => (round % (DEVICES + 3)) % (DEVICES - 1)
    await Promise.all([
      repeat(round => measure(anyDevice(round), round)),
      repeat(round => measure(round % 20 === 0 ? DEVICES + round / 20 : anyDevice(round + 5), round + 1)),
      repeat(round => changeSettings(anyDevice(round), { numberPlate: `KA ${round}` })),
      repeat(round => changeSettings(anyDevice(round + 3), settingsOf(round))),
      repeat(round => changeSlowly(anyDevice(round * 2), (round * 37) % 200)),
      repeat(round => changeSlowly(anyDevice(round * 3), round % 3)),
      repeat(round => changeTrip((round % 19) + 1)),
      holdOpen(WRITING_MS - 500),
    ])
  }

  /** A new VIN at times; else what is set and taken back. */
  function settingsOf(round: number): object {
    if (round % 10 === 0) return { vin: `WVWZZZ1JZ${String(fleets).padStart(2, '0')}${String(round).padStart(6, '0')}` }
    if (round % 2 === 0) return { deleteTimestamp: round % 4 === 0 ? null : '2025-01-01T00:00:00Z' }
    return { alarmSystem: round % 3 === 0 }
  }

  /** Syncs a list until nothing more comes after the writing is done. */
  async function sync(name: string, maxResults: number, writing: Promise<void>): Promise<Items> {
    const isDone = isOver(writing)
    const known = new Map<string, Item>()
    let filter: string | undefined
    for (;;) {
      const wasDone = isDone()
      const query = filter === undefined ? '' : `&filterTimestamp=${filter}`
      const reply = await list(name, `maxResults=${maxResults}${query}`)
      for (const item of reply.items) known.set(String(item.id), item)
      expect(reply.modifyTimestamp >= (filter ?? ''), 'the top-level value went back').toBe(true)
      expect(reply.items.length).toBeLessThanOrEqual(maxResults)
      filter = reply.modifyTimestamp
      if (reply.items.length > 0) continue
      if (wasDone) return known
      await sleep(REST_MS)
    }
  }

  /** Everything there is, with what is marked as deleted. */
  async function everything(name: string): Promise<Items> {
    const { items } = await list(name, 'maxResults=10000&filterTimestamp=1970-01-01')
    return new Map(items.map(item => [String(item.id), item]))
  }

  it.each(['the clock', 'a clock that was set back'])(
    'ends with the state of the server, whatever eight writers do meanwhile, while revisions follow %s',
    async clock => {
      if (clock !== 'the clock')
        await database.writers.query(
          "select setval('revisions', (extract(epoch from clock_timestamp()) * 1000000)::bigint + 3600000000)",
        )
      // What follows from out-of-order samples is worked out afterwards.
      const writing = write().then(() => settled(database))
      const clients = await Promise.all(
        LISTS.flatMap(name =>
          [1, 3, 500].map(async maxResults => ({ name, maxResults, known: await sync(name, maxResults, writing) })),
        ),
      )
      await writing
      for (const { name, maxResults, known } of clients) {
        const all = sorted(await everything(name))
        expect(all.length).toBeGreaterThanOrEqual(name === 'trips' ? 10 : DEVICES)
        expect(sorted(known), `${name}, ${maxResults} at a time`).toEqual(all)
      }
    },
  )

  it('misses no event either, late ones included, when it follows the pages', async () => {
    const writing = write().then(() => settled(database))
    const isDone = isOver(writing)
    const known = new Map<string, object>()
    for (let filter = '1970-01-01'; ; ) {
      const wasDone = isDone()
      let count = 0
      let next: string | undefined = `/cc/v2.0/events?filterTimestamp=${filter}&maxResults=7`
      while (next) {
        const reply = await get(next)
        for (const event of (await reply.json()) as { [name: string]: unknown }[]) {
          known.set(`${String(event.device_id)} ${String(event.recorded_timestamp)} ${String(event.event_type)}`, event)
          count++
        }
        filter = reply.headers.get('x-modify-timestamp') ?? ''
        next = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
      }
      if (count > 0) continue
      if (wasDone) break
      await sleep(REST_MS)
    }
    await writing
    const all = (await (await get('/cc/v2.0/events?maxResults=10000')).json()) as object[]
    expect(known.size).toBe(all.length)
    expect([...known.values()].map(event => JSON.stringify(event)).sort()).toEqual(
      all.map(event => JSON.stringify(event)).sort(),
    )
  })
})

function sorted(items: Items): Item[] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
}

function isOver(work: Promise<void>): () => boolean {
  const done = new AbortController()
  // Its failure is reported by whoever waits for it.
  void work.catch(() => undefined).finally(() => done.abort())
  return () => done.signal.aborted
}
