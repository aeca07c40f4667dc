import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../../test/embedded-folder.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { logInTeltonika } from '../../../test/teltonika-client.ts'
import { ensureAccount, ensureFirstAccount } from '../../access/accounts.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { setQuota } from '../../db/account-quotas.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { type DeviceId, sampleOf } from '../../model/sample.ts'
import { admitDevices } from '../../pipeline/admit-devices.ts'
import { writeTcpFrame } from './codec/write-frame.ts'

const POSITION = requiredEventType('POSITION').id
const START_MS = Date.UTC(2026, 0, 10)
const [GREEDY, MODEST] = [356307042460001 as DeviceId, 356307042460002 as DeviceId]

let service: TestService
let greedyAccountId = 0
beforeAll(async () => {
  // One frame of the greedy dongle uses up minutes, one of the modest one hardly anything.
  service = await startService({ ACCOUNT_EVENTS_PER_MINUTE: '100' })
  greedyAccountId = await writeTransaction(service.database, async transaction => {
    const { id: firstAccountId } = await ensureFirstAccount(transaction)
    const { id: greedyId } = await ensureAccount(transaction, 'Greedy')
    const { id: modestId } = await ensureAccount(transaction, 'Modest')
    const devices = [
      { deviceId: GREEDY, accountId: greedyId },
      { deviceId: MODEST, accountId: modestId },
    ]
    await admitDevices(transaction, devices, { firstAccountId })
    return greedyId
  })
})
afterAll(() => service.stop())

const frameOf = (deviceId: DeviceId, records: number, fromSecond: number) =>
  writeTcpFrame(
    Array.from({ length: records }, (_, index) =>
      sampleOf(deviceId, START_MS + (fromSecond + index) * 1000, new Map([[POSITION, { lon: 13.4, lat: 52.5 }]])),
    ),
  )

const logIn = (deviceId: DeviceId) => logInTeltonika(service.teltonikaPort, String(deviceId))

async function storedOf(deviceId: DeviceId): Promise<number> {
  const [row] = await service.database.rows<{ count: number }>(
    sql`select count(*)::integer as count from samples where device_id = ${deviceId}`,
  )
  return row?.count ?? 0
}

it('a dongle whose account is over its quota keeps its records, and that of another account is acknowledged', async () => {
  const greedy = await logIn(GREEDY)
  greedy.write(frameOf(GREEDY, 200, 0))
  expect(await greedy.acknowledgement()).toBe(200)
  const kept = frameOf(GREEDY, 3, 1000)
  greedy.write(kept)
  await greedy.ended
  expect(greedy.unread).toBe(0)
  await greedy.close()
  // It comes back with what was not acknowledged, again and again.
  for (let second = 0; second < 5; second++) {
    const again = await logIn(GREEDY)
    const modest = await logIn(MODEST)
    again.write(kept)
    modest.write(frameOf(MODEST, 1, second))
    expect(await modest.acknowledgement()).toBe(1)
    await again.ended
    expect(again.unread).toBe(0)
    for (const dongle of [again, modest]) await dongle.close()
  }
  expect(await storedOf(GREEDY)).toBe(200)
  expect(await storedOf(MODEST)).toBe(5)
  await writeTransaction(service.database, transaction =>
    setQuota(transaction, greedyAccountId, { eventsPerMinute: 'none', volumeMb: undefined }),
  )
  await eventually(async () => {
    const last = await logIn(GREEDY)
    try {
      last.write(kept)
      expect(await last.acknowledgement()).toBe(3)
    } finally {
      await last.close()
    }
  })
  expect(await storedOf(GREEDY)).toBe(203)
})
