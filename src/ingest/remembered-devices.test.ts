import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { query } from '../../test/embedded-folder.ts'
import { fleetRows } from '../../test/fleet-rows.ts'
import { TestClock } from '../../test/test-clock.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { writeTransaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'
import { DeviceAdmission, DeviceOwners } from './remembered-devices.ts'

const testDatabase = await createTestDatabase()
const database = openDatabase({ url: testDatabase.url })
await query(
  testDatabase.url,
  `insert into devices (id, hardware_type, modified) values (1, 'FMC003', now()), (2, '', now())`,
)
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const idsOf = (...ids: number[]) => ids as DeviceId[]
const admissionWhere = (unknownDevices: 'accept' | 'reject', firstAccountId?: number) => {
  const admission = new DeviceAdmission({ database, joining: async () => ({ unknownDevices, firstAccountId }) })
  return (ids: readonly DeviceId[]) => Promise.all(ids.map(id => admission.admit(id, '192.0.2.1')))
}

test('known devices are admitted with their model, unknown ones where they may join an account', async () => {
  const known = [
    { kind: 'admitted', hardwareType: 'FMC003' },
    { kind: 'admitted', hardwareType: '' },
  ]
  const refused = { kind: 'refused', reason: 'unknown device', why: 'The device 3 is unknown and may not join.' }
  const asked = idsOf(1, 2, 3)
  expect(await admissionWhere('reject', 1)(asked)).toEqual([...known, refused])
  expect(await admissionWhere('accept')(asked)).toEqual([...known, refused])
  expect(await admissionWhere('accept', 1)(asked)).toEqual([...known, { kind: 'admitted', hardwareType: '' }])
})

test('a dongle may report from its own networks, else from those of its account, else from anywhere', async () => {
  await query(
    testDatabase.url,
    `insert into accounts (name, networks) values ('Fleet', '{10.64.0.0/10,2001:db8::/32}');
     insert into devices (id, networks, modified) values (11, '{192.0.2.7}', now()), (12, '{}', now());
     insert into vehicles (account_id, first_device_id, modified)
       select a.id, d.id, now() from accounts a, devices d where d.id in (11, 12);
     insert into assignments (device_id, account_id, vehicle_id)
       select first_device_id, account_id, id from vehicles`,
  )
  const joining = async () => ({ unknownDevices: 'reject', firstAccountId: undefined }) as const
  const admission = new DeviceAdmission({ database, joining })
  const [own, ofAccount, anywhere] = idsOf(11, 12, 1) as [DeviceId, DeviceId, DeviceId]
  const from = async (deviceId: DeviceId, address: string) => (await admission.admit(deviceId, address)).kind
  for (const address of ['192.0.2.7', '10.65.1.1', '2001:db8::1', '198.51.100.1'])
    expect([address, await from(own, address), await from(ofAccount, address), await from(anywhere, address)]).toEqual([
      address,
      address === '192.0.2.7' ? 'admitted' : 'refused',
      address === '10.65.1.1' || address === '2001:db8::1' ? 'admitted' : 'refused',
      'admitted',
    ])
  expect(admission.remembered(own, '10.65.1.1')).toEqual({
    kind: 'refused',
    reason: 'network',
    why: 'The device 11 may not report from 10.65.1.1.',
  })
})

test('what an account claimed with its key only is not for that account when it comes from the dongle', async () => {
  await query(testDatabase.url, `insert into devices (id, is_claimed, modified) values (21, true, now())`)
  const [admission] = await admissionWhere('accept', 1)(idsOf(21))
  expect(admission).toEqual({
    kind: 'refused',
    reason: 'claimed device',
    why: expect.stringContaining('not handed out'),
  })
})

test('a fleet that comes at once is looked up in few queries, and not again soon', async () => {
  let queries = 0
  const counting: Database = {
    ...database,
    rows: (...asked) => {
      queries++
      return database.rows(...asked)
    },
  }
  const joining = async () => ({ unknownDevices: 'accept', firstAccountId: 1 }) as const
  const admission = new DeviceAdmission({ database: counting, joining })
  const fleet = idsOf(...Array.from({ length: 5000 }, (_, index) => 1000 + index))
  for (let round = 0; round < 3; round++)
    expect(
      new Set((await Promise.all(fleet.map(id => admission.admit(id, '192.0.2.1')))).map(({ kind }) => kind)),
    ).toEqual(new Set(['admitted']))
  expect(queries).toBeLessThan(5)
})

test('who was refused is looked up again after some seconds, who was admitted after minutes', async () => {
  const clock = new TestClock()
  const joining = async () => ({ unknownDevices: 'reject', firstAccountId: 1 }) as const
  const admission = new DeviceAdmission({ database, joining, clock })
  const [known, added] = idsOf(1, 31) as [DeviceId, DeviceId]
  const kinds = () => Promise.all([known, added].map(async id => (await admission.admit(id, '192.0.2.1')).kind))
  expect(await kinds()).toEqual(['admitted', 'refused'])
  await query(testDatabase.url, `insert into devices (id, modified) values (31, now())`)
  clock.advance(9_999)
  expect(await kinds()).toEqual(['admitted', 'refused'])
  clock.advance(1)
  expect(await kinds()).toEqual(['admitted', 'admitted'])
  clock.advance(5 * 60_000 - 10_001)
  expect(admission.remembered(known, '192.0.2.1')).toBeDefined()
  clock.advance(1)
  expect(admission.remembered(known, '192.0.2.1')).toBeUndefined()
})

test('dongles that go on reporting are looked up again together, and none of them waits for it', async () => {
  const clock = new TestClock()
  const asked: unknown[] = []
  const counting: Database = {
    ...database,
    rows: (...question) => {
      asked.push(question[0].values)
      return database.rows(...question)
    },
  }
  const joining = async () => ({ unknownDevices: 'reject', firstAccountId: 1 }) as const
  const admission = new DeviceAdmission({ database: counting, joining, clock })
  const fleet = idsOf(1, 2)
  for (const deviceId of fleet) await admission.admit(deviceId, '192.0.2.1')
  expect(asked).toHaveLength(2)
  await query(testDatabase.url, `update devices set hardware_type = 'FMC130' where id = 2`)
  const report = () => fleet.map(deviceId => admission.remembered(deviceId, '192.0.2.1'))
  for (let seconds = 10; seconds < 300; seconds += 10) {
    clock.advance(10_000)
    expect(report()).not.toContain(undefined)
  }
  await expect.poll(() => (report()[1] as { readonly hardwareType: string }).hardwareType).toBe('FMC130')
  expect(asked.slice(2)).toEqual([[fleet]])
})

test('without the database nobody is refused: it is told that it cannot be told', async () => {
  const gone = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none' })
  const joining = async () => ({ unknownDevices: 'reject', firstAccountId: 1 }) as const
  const admission = new DeviceAdmission({ database: gone, joining })
  await expect(Promise.all(idsOf(1, 2).map(id => admission.admit(id, '192.0.2.1')))).rejects.toThrow('ECONNREFUSED')
  await gone.close()
})

test('the account of a dongle is known until it is looked up again, for all together that report meanwhile', async () => {
  const several = Array.from({ length: 20 }, (_, index) => (356307042441000 + index) as DeviceId)
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  for (const deviceId of several) await fleetRows(database).vehicle(accountId, { deviceId })
  let lookups = 0
  const counting: Database = {
    ...database,
    rows(statement, options) {
      lookups++
      return database.rows(statement, options)
    },
  }
  const clock = new TestClock()
  const owners = new DeviceOwners(counting, clock)
  await Promise.all(several.map(deviceId => owners.learn(deviceId)))
  const first = lookups
  clock.advance(60_000)
  // Each reports, half a second after the one before.
  for (const deviceId of several) {
    expect(owners.of(deviceId)).toBe(accountId)
    clock.advance(500)
  }
  expect(lookups).toBe(first)
  expect(owners.of(several[0]!)).toBe(accountId)
  await expect.poll(() => lookups).toBe(first + 1)
})
