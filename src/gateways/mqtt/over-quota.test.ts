import { afterAll, expect, it } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { MOSQUITTO } from '../../../test/mosquitto-file.ts'
import { connectDevice, startAedes, startMosquitto, untilTestEnds } from '../../../test/mqtt-broker.ts'
import { startMqttNode } from '../../../test/mqtt-node.ts'
import { startService } from '../../../test/service.ts'
import { ensureAccount, ensureFirstAccount } from '../../access/accounts.ts'
import { setQuota } from '../../db/account-quotas.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { admitDevices } from '../../fleet/with-consequences.ts'
import type { DeviceId } from '../../model/sample.ts'

const EVENTS_PER_MINUTE = 60
/** Takes half an hour to run off. */
const MUCH = 1800

let tenants = 0
const service = await startService()
afterAll(() => service.stop())

/** An account with a dongle; each test has its own. */
async function newTenant(): Promise<{ readonly accountId: number; readonly deviceId: DeviceId }> {
  const deviceId = (356307042450000 + ++tenants) as DeviceId
  return writeTransaction(service.database, async transaction => {
    const { id: firstAccountId } = await ensureFirstAccount(transaction)
    const { id: accountId } = await ensureAccount(transaction, `Tenant ${tenants}`)
    const entered = await admitDevices(transaction, [{ deviceId, accountId }], { firstAccountId })
    expect(entered.kind).toBe('entered')
    return { accountId, deviceId }
  })
}

const bound = (accountId: number, eventsPerMinute: number | 'none') =>
  writeTransaction(service.database, transaction =>
    setQuota(transaction, accountId, { eventsPerMinute, volumeMb: undefined }),
  )

const speeds = (count: number, beginMs: number) =>
  JSON.stringify(
    Array.from({ length: count }, (_, index) => ({
      recordedTimestamp: new Date(beginMs + index * 1000).toISOString(),
      eventType: 'GPS_SPEED',
      value: 50,
    })),
  )
const DAY_MS = 24 * 3_600_000
const dayMs = (day: number) => Date.UTC(2026, 0, 1) + day * DAY_MS

async function storedOf(deviceId: DeviceId): Promise<number> {
  const [row] = await service.database.rows<{ count: number }>(
    sql`select count(*)::integer as count from samples where device_id = ${deviceId}`,
  )
  return row?.count ?? 0
}

it.runIf(MOSQUITTO)(
  'a broker of MQTT 5 is told that an account is over its quota, and what others publish is stored',
  async () => {
    const broker = await untilTestEnds(startMosquitto())
    const [greedy, modest] = [await newTenant(), await newTenant()]
    await bound(greedy.accountId, EVENTS_PER_MINUTE)
    const node = await startMqttNode(service.config.databaseUrl, { MQTT_URL: broker.url, MQTT_CONNECTIONS: '1' })
    await node.untilReceiving(1)
    const device = await connectDevice(broker.url)
    const publish = ({ deviceId }: { readonly deviceId: DeviceId }, body: string, qos: 0 | 1 = 1) =>
      device.publishAsync(`tacho/${deviceId}/events`, body, { qos })
    await publish(greedy, speeds(MUCH, dayMs(0)))
    await eventually(async () => expect(await node.messages()).toEqual({ stored: 1 }))
    for (let day = 1; day <= 20; day++) {
      await publish(greedy, speeds(MUCH, dayMs(day)), day % 2 === 0 ? 0 : 1)
      await publish(modest, speeds(1, dayMs(day)))
    }
    await eventually(async () => expect(await storedOf(modest.deviceId)).toBe(20))
    expect(await node.messages()).toEqual({ stored: 21, 'over quota': 20 })
    expect(await storedOf(greedy.deviceId)).toBe(MUCH)
    expect(node.log.join('')).toContain(`may send ${EVENTS_PER_MINUTE} events a minute`)
    // Nothing of that waits at the broker, and who is below the quota again is heard again.
    await bound(greedy.accountId, 'none')
    await eventually(async () => {
      await publish(greedy, speeds(1, dayMs(30)))
      expect(await storedOf(greedy.deviceId)).toBe(MUCH + 1)
    })
  },
)

it('with a broker of MQTT 3.1.1, which cannot be told, what has QoS 1 is stored and what has QoS 0 is not', async () => {
  const broker = await untilTestEnds(startAedes())
  const [greedy, modest] = [await newTenant(), await newTenant()]
  await bound(greedy.accountId, EVENTS_PER_MINUTE)
  const node = await startMqttNode(service.config.databaseUrl, { MQTT_URL: broker.url })
  await node.untilReceiving(1)
  const device = await connectDevice(broker.url)
  const publish = ({ deviceId }: { readonly deviceId: DeviceId }, body: string, qos: 0 | 1) =>
    device.publishAsync(`tacho/${deviceId}/events`, body, { qos })
  await publish(greedy, speeds(MUCH, dayMs(0)), 1)
  await eventually(async () => expect(await node.messages()).toEqual({ stored: 1 }))
  await publish(greedy, speeds(1, dayMs(1)), 0)
  await publish(greedy, speeds(1, dayMs(2)), 1)
  await publish(modest, speeds(1, dayMs(1)), 0)
  await eventually(async () => expect(await node.messages()).toEqual({ stored: 3, 'over quota': 1 }))
  expect(await storedOf(greedy.deviceId)).toBe(MUCH + 1)
  expect(await storedOf(modest.deviceId)).toBe(1)
})
