import pino from 'pino'
import { afterAll, expect, it } from 'vitest'
import { ensureAccount } from '../src/access/accounts.ts'
import { createKey } from '../src/access/keys.ts'
import { startIntakeRole } from '../src/app.ts'
import { ALL_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { WEEK_MS } from '../src/model/time-range.ts'
import { apiServerOn, BASE } from './api.ts'
import { createTestDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { ingestClient } from './ingest-client.ts'

const OWN_DEVICE = 356307042441013
const DEVICE_OF_OTHERS = 356307042441021
const WEEKS = 26
const YEARS = 20

const testDatabase = await createTestDatabase()
afterAll(() => testDatabase.drop())

/** How often each table of samples was read since the beginning. What a connection read is counted when it has ended. */
async function readsOfTables(): Promise<ReadonlyMap<string, number>> {
  const database = openDatabase({ url: testDatabase.url })
  await eventually(async () => {
    const others = await database.checks.rows(sql`
      select 1 from pg_stat_activity where datname = current_database() and application_name like 'tacho %' and pid <> pg_backend_pid()`)
    expect(others).toEqual([])
  })
  const rows = await database.checks.rows<{ name: string; reads: number }>(sql`
    select relname as name, (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::integer as reads
    from pg_stat_user_tables where relname ~ '^samples_'`)
  await database.close()
  return new Map(rows.map(({ name, reads }) => [name, reads]))
}

it('lists of an account open no table of samples in which it has nothing', async () => {
  const config = {
    ...readConfig({ TELTONIKA_PORT: 'off', INTAKE_PORT: '0', UNKNOWN_DEVICES: 'accept', RATE_LIMIT: '1000000' }),
    databaseUrl: testDatabase.url,
  }
  const database = openDatabase({ url: testDatabase.url })
  const keyOf = (account: string) =>
    writeTransaction(database, async transaction => {
      const { id: accountId } = await ensureAccount(transaction, account)
      return (
        await createKey(transaction, { accountId, name: 'test', permissions: ALL_PERMISSIONS, expires: undefined })
      ).secret
    })
  const [own, others] = [await keyOf('Own'), await keyOf('Others')]
  const intake = await startIntakeRole({ config, log: pino({ level: 'silent' }) })
  const nowMs = Date.now()
  const speedAt = (deviceId: number, timeMs: number) => ({
    deviceId,
    recordedTimestamp: new Date(timeMs).toISOString(),
    eventType: 'GPS_SPEED',
    value: 48,
  })
  const longAgo = [
    ...Array.from({ length: WEEKS }, (_, i) => nowMs - (i + 2) * WEEK_MS),
    ...Array.from({ length: YEARS }, (_, i) => nowMs - (i + 3) * 52 * WEEK_MS),
  ]
  const url = `http://127.0.0.1:${intake.port}`
  await ingestClient(url, others).store(longAgo.map(timeMs => speedAt(DEVICE_OF_OTHERS, timeMs)))
  await ingestClient(url, own).store([speedAt(OWN_DEVICE, nowMs - 60_000)])
  await intake.stop()
  await database.close()

  const before = await readsOfTables()
  expect(before.size).toBeGreaterThanOrEqual(WEEKS + YEARS)
  const fresh = openDatabase({ url: testDatabase.url })
  const api = await apiServerOn(fresh, config)
  const since = 'filterTimestamp=2000-01-01'
  const lists = ['devices', 'vehicles', 'trips', 'dtcs'].flatMap(name => [`/${name}`, `/${name}?${since}`])
  const events = [
    '/events',
    `/events?${since}`,
    '/events?fromTimestamp=2000-01-01',
    '/events?toTimestamp=2100-01-01',
    `/events?deviceId=${OWN_DEVICE}`,
    `/events?deviceId=${OWN_DEVICE}&fromTimestamp=2000-01-01`,
    `/events?vehicleId=IMEI_${OWN_DEVICE}&${since}`,
    `/events?deviceId=${OWN_DEVICE}&eventType=GPS_SPEED&maxPoints=10&fromTimestamp=2000-01-01&toTimestamp=2100-01-01`,
  ]
  const ask = (path: string) => api.inject({ url: BASE + path, headers: { authorization: `Bearer ${own}` } })
  for (const path of [...lists, '/aggregations?bin=VEHICLE'])
    expect([path, (await ask(path)).statusCode]).toEqual([path, 200])
  for (const path of events)
    expect([path, (await ask(path)).json()]).toEqual([path, [expect.objectContaining({ value: 48 })]])
  await api.close()
  await fresh.close()
  const after = await readsOfTables()
  const visited = [...after].filter(([name, reads]) => reads > (before.get(name) ?? 0)).map(([name]) => name)
  // The table of its own sample; the week may have ended between that and now.
  expect(visited.length).toBeGreaterThan(0)
  expect(visited.length).toBeLessThanOrEqual(2)
})
