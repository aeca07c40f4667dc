import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createKey } from '../src/access/keys.ts'
import { ALL_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { readConfig } from '../src/config.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { apiServerOn, BASE } from './api.ts'
import { sampleWith } from './sample-with.ts'
import { deriveWaiting } from './settled.ts'
import { UpgradeWorld } from './upgrade-world.ts'

const CARS = 300
/** Every car is found, joined to what is known of it, sorted and returned; a list that compared all cars with all would read 300 times as many rows. */
const MOST_ROWS_A_CAR = 20
const TABLES = ['vehicles', 'latest_values', 'assignments', 'devices', 'device_states']

/** A part of a plan, as `EXPLAIN (ANALYZE, FORMAT JSON)` tells it. */
interface PlanPart {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: readonly PlanPart[]
}

interface Headers {
  /** To the rest of a cut list. */
  readonly link?: string
}

/** A fleet in the first minute of a service: PostgreSQL has not counted anything yet. */
describe('lists of a fleet of which PostgreSQL has no statistics', () => {
  let world: UpgradeWorld
  let get: (path: string) => Promise<{ readonly headers: Headers }>
  let close: () => Promise<unknown>

  beforeAll(async () => {
    world = await UpgradeWorld.make()
    for (const table of TABLES)
      await world.database.writers.query(`alter table ${table} set (autovacuum_enabled = false)`)
    const first = 356_307_042_000_000 + world.newDevices(CARS)
    const nowMs = Date.now()
    await world.store(
      Array.from({ length: CARS }, (_, car) => sampleWith(first + car, nowMs - car, { VEHICLE_SPEED_AVERAGE: 30 })),
    )
    await deriveWaiting(world.database)
    const server = await apiServerOn(world.database, readConfig({ RATE_LIMIT: '1000000' }))
    close = () => server.close()
    const { secret } = await writeTransaction(world.database, transaction =>
      createKey(transaction, {
        accountId: world.accountId,
        name: 'list',
        permissions: ALL_PERMISSIONS,
        expires: undefined,
      }),
    )
    get = async path => {
      const reply = await server.inject({ url: BASE + path, headers: { authorization: `Bearer ${secret}` } })
      if (reply.statusCode !== 200) throw new Error(`${path} was answered ${reply.statusCode}`)
      const { link } = reply.headers
      return { headers: typeof link === 'string' ? { link } : {} }
    }
  })
  afterAll(async () => {
    await close()
    await world[Symbol.asyncDispose]()
  })

  test.each([
    '/vehicles?maxResults=100',
    '/vehicles?maxResults=100&fromTimestamp=2020-01-01',
    '/vehicles?filterTimestamp=2020-01-01',
    '/vehicles?filterTimestamp=2020-01-01&maxResults=100',
    '/devices?maxResults=100',
    '/devices?filterTimestamp=2020-01-01&maxResults=100',
  ])('%s reads each car a few times', async path => {
    const analyzed = await world.database.rows(
      sql`select relname from pg_class where relname = any(${TABLES}::text[]) and reltuples >= 0`,
    )
    expect(analyzed).toEqual([])
    const pages = [path, nextOf((await get(path)).headers)].filter(page => page !== undefined)
    for (const page of pages) {
      const rows = await rowsReadBy(() => get(page))
      expect(rows).toBeGreaterThan(0)
      expect([page, rows, rows < CARS * MOST_ROWS_A_CAR]).toEqual([page, rows, true])
    }
  })

  /** How many rows all parts of the plans of what is sent meanwhile gave or looked at. */
  async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
    const listening = vi.spyOn(pg.Client.prototype, 'query')
    let calls: readonly unknown[][] = []
    try {
      await work()
      calls = [...listening.mock.calls] as unknown[][]
    } finally {
      listening.mockRestore()
    }
    let rows = 0
    for (const call of calls) {
      const [text, values = []] = sentBy(call)
      if (!/from \(|join/.test(text)) continue
      const explained = await world.database.readers.query<{ 'QUERY PLAN': [{ Plan: PlanPart }] }>(
        `explain (analyze, format json) ${text}`,
        [...values],
      )
      for (const row of explained.rows) rows += rowsOf(row['QUERY PLAN'][0].Plan)
    }
    return rows
  }
})

function rowsOf(part: PlanPart): number {
  const each = part['Actual Rows'] + (part['Rows Removed by Filter'] ?? 0) + (part['Rows Removed by Join Filter'] ?? 0)
  return each * part['Actual Loops'] + (part.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), 0)
}

function nextOf({ link = '' }: Headers): string | undefined {
  const [, address] = /<([^>]+)>; *rel="?next/.exec(link) ?? []
  if (address === undefined) return undefined
  const { pathname, search } = new URL(address, 'http://localhost')
  return pathname.slice(BASE.length) + search
}

/** A statement and its values, as they are given to the driver: in one object where it is prepared. */
function sentBy([asked, values]: readonly unknown[]): readonly [text: string, values: readonly unknown[] | undefined] {
  if (typeof asked === 'string') return [asked, values as readonly unknown[] | undefined]
  const prepared = asked as { readonly text?: string; readonly values?: readonly unknown[] }
  return [prepared.text ?? '', prepared.values]
}
