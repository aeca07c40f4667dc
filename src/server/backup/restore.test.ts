import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { query } from '../../../test/embedded-folder.ts'
import { markRestored } from './restore.ts'

const HOUR_MS = 3_600_000

const database = await createTestDatabase()
afterAll(() => database.drop())

const select = (sql: string) => query(database.url, sql)

const REVISIONS = `select id, modified::text as modified from (
  select id, modified from devices union all select device_id, modified from latest_values
  union all select device_id, trip_modified from device_states union all select id, modified from trips
  union all select id, modified from vehicles) as all_of_them order by modified`

test('every object gets a newer revision of its own in the former order, and lost ids are not given out again', async () => {
  await select(`
    with account as (insert into accounts (name) values ('A') returning id),
      device as (insert into devices (id, modified) select 5 - n, take_revisions(1) from generate_series(1, 3) as n returning id),
      vehicle as (
        insert into vehicles (account_id, first_device_id, modified) select account.id, 4, take_revisions(1) from account
      )
    select from device`)
  await select(`insert into device_states (device_id, first_time, last_time, last_received, trip_modified)
    select 4, now(), now(), now(), take_revisions(1)`)
  await select(`insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s, modified)
    select 4, accounts.id, vehicles.id, now(), now(), 1, 1, take_revisions(1)
    from accounts, vehicles, generate_series(1, 3)`)
  const before = await select(REVISIONS)
  const [last] = await select('select max(id)::integer as trip, (select max(id) from accounts) as account from trips')
  const [seen] = await select(`select take_revisions(1000)::text as newest`)

  const untilMs = Date.now() + HOUR_MS
  const restored = await markRestored(database.url, { restoredMs: Date.now() - HOUR_MS, untilMs })

  const after = await select(REVISIONS)
  const idsOf = (rows: typeof after) => rows.map(({ id }) => String(id)).sort()
  expect(idsOf(after)).toEqual(idsOf(before))
  expect(new Set(after.map(({ modified }) => modified)).size).toBe(after.length)
  const ofDevices = 'select id from devices order by modified'
  expect(await select(ofDevices)).toEqual([{ id: 4 }, { id: 3 }, { id: 2 }].map(({ id }) => ({ id: String(id) })))
  const [check] = await select(`select
    min(modified) > '${restored}' as newer, '${restored}' > '${String(seen?.newest)}' as unseen,
    '${restored}' > timestamptz 'epoch' + ${untilMs} * interval '1 millisecond' as later,
    (select take_revisions(1) > max(modified) from trips) as "goes on" from trips`)
  expect(check).toEqual({ newer: true, unseen: true, later: true, 'goes on': true })
  expect(await select('select restored::text from restores')).toEqual([{ restored }])

  await select(`insert into accounts (name) values ('B')`)
  await select(`insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s, modified)
    select 4, account_id, id, now(), now(), 1, 1, take_revisions(1) from vehicles`)
  const [next] = await select('select max(id)::integer as trip, (select max(id) from accounts) as account from trips')
  expect(Number(next?.trip)).toBeGreaterThan(Number(last?.trip) + 3600 * 1000)
  expect(Number(next?.account)).toBeGreaterThan(Number(last?.account) + 3600)
})
