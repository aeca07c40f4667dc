import { afterAll, expect, test } from 'vitest'
import { startAdministration } from '../../../test/administration.ts'
import { query } from '../../../test/embedded-folder.ts'
import { type RejectedFrame, writeRejectedFrames } from '../../db/rejected-frames.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { Operation } from './operation.ts'

const OWN = 356307042441013
const THEIRS = 356307042441021
const NOBODYS = 356307042441039

const world = await startAdministration()
await world.addAdministrator('operator@example.com', 'Fleet')
await world.addAdministrator('customer@example.com', 'Customer')
const operator = (await world.logIn('operator@example.com')).accessToken
const customer = (await world.logIn('customer@example.com')).accessToken
for (const [account, deviceId] of [
  ['Fleet', OWN],
  ['Customer', THEIRS],
] as const)
  await query(
    world.service.config.databaseUrl,
    `insert into devices (id, modified) values (${deviceId}, now());
     insert into vehicles (account_id, first_device_id, modified)
       select id, ${deviceId}, now() from accounts where name = '${account}';
     insert into assignments (device_id, account_id, vehicle_id)
       select first_device_id, account_id, id from vehicles where first_device_id = ${deviceId}`,
  )
const frame = (deviceId: number | undefined, more: Partial<RejectedFrame> = {}): RejectedFrame => ({
  gateway: 'teltonika',
  deviceId: deviceId as DeviceId | undefined,
  sender: '192.0.2.7',
  why: 'The checksum is wrong.',
  bytes: Buffer.from('x'),
  byteCount: 1,
  ...more,
})
await writeTransaction(world.service.database, transaction =>
  writeRejectedFrames(transaction, [
    frame(OWN),
    frame(OWN),
    frame(THEIRS, { reason: 'network', why: 'It may not report from there.' }),
    frame(undefined, { sender: '198.51.100.1' }),
    frame(NOBODYS, { reason: 'unknown device', why: 'It is unknown.' }),
  ]),
)
afterAll(() => world.stop())

const operationAs = async (token: string) =>
  (await world.ask(token, 'GET', '/admin/operation')).body as unknown as Operation

test('the operator sees machine, database and nodes', async () => {
  const { parts, machine, pendingSamples } = await operationAs(operator)
  expect(parts).toEqual(
    ['database', 'intake', 'storing'].map(name => ({ name, status: 'ready', reason: null, sinceTimestamp: null })),
  )
  expect(pendingSamples).toBe(0)
  expect(machine?.underivedSeconds).toBe(0)
  expect(machine?.databaseBytes).toBeGreaterThan(1_000_000)
  expect(machine?.disk?.freeBytes).toBeGreaterThan(0)
  expect(machine?.processes.map(({ process }) => process)).toEqual(expect.arrayContaining(['api', 'intake']))
  expect(machine?.backup).toBeNull()
  expect(machine?.failingJobs).toEqual([])
})

test('an administrator of another account sees nothing of the machine, and of its own dongles only', async () => {
  const { machine, parts, refused } = await operationAs(customer)
  expect(machine).toBeNull()
  expect(parts.map(({ name }) => name)).toEqual(['database', 'intake', 'storing'])
  expect(refused.map(({ deviceId }) => deviceId)).toEqual([THEIRS])
})

test('who was refused is told once, with how often, why, and whether it is known by now', async () => {
  const { refused } = await operationAs(operator)
  const told = refused.map(({ deviceId, times, reason, isKnown, sender }) => [deviceId, times, reason, isKnown, sender])
  expect(told).toHaveLength(4)
  expect(told).toEqual(
    expect.arrayContaining([
      [OWN, 2, 'unreadable', true, '192.0.2.7'],
      [THEIRS, 1, 'network', true, '192.0.2.7'],
      [null, 1, 'unreadable', false, '198.51.100.1'],
      [NOBODYS, 1, 'unknown device', false, '192.0.2.7'],
    ]),
  )
})

test('a job that fails is told until it succeeds', async () => {
  const { config, clock } = world.service
  const failing = async () => (await operationAs(operator)).machine?.failingJobs.map(({ name }) => name)
  await query(config.databaseUrl, 'alter table sweeps rename column last_run to last_ran')
  clock.hurry()
  await expect.poll(failing).toContain('online sweep')
  await query(config.databaseUrl, 'alter table sweeps rename column last_ran to last_run')
  clock.hurry()
  await expect.poll(failing).toEqual([])
})
