import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { ensureAccount } from '../src/access/accounts.ts'
import { createKey } from '../src/access/keys.ts'
import { startApiRole, startIntakeRole } from '../src/app.ts'
import { ALL_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/database.ts'
import { MOST_LAG_MS, type ReplicaFault } from '../src/db/replica.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { eventually } from './eventually.ts'
import { ingestClient } from './ingest-client.ts'
import { startReplicated } from './standby.ts'
import { AdvancingClock, TestClock } from './test-clock.ts'

const log = pino({ level: 'silent' })
const [ONE, OTHER] = [356307042441013, 356307042441021]

/** A service whose api has a replica; two accounts with a car each. */
async function world() {
  const replicated = await startReplicated()
  const { primaryUrl, replicaUrl } = replicated
  const clock = new AdvancingClock()
  const config = {
    ...readConfig({ PORT: '0', TELTONIKA_PORT: '0', UNKNOWN_DEVICES: 'accept', RATE_LIMIT: '1000000' }),
    databaseUrl: primaryUrl,
    databaseReadUrl: replicaUrl,
  }
  const intake = await startIntakeRole({ config, log, clock })
  const intakeUrl = `http://127.0.0.1:${intake.port}`
  const api = await startApiRole({ config, log, clock, intakeUrl: () => intakeUrl })
  const database = openDatabase({ url: primaryUrl })
  onTestFinished(async () => {
    await api.stop()
    await intake.stop()
    await database.close()
  })
  const keyOf = (account: string) =>
    writeTransaction(database, async transaction => {
      const { id } = await ensureAccount(transaction, account)
      return (
        await createKey(transaction, { accountId: id, name: 'test', permissions: ALL_PERMISSIONS, expires: undefined })
      ).secret
    })
  const url = `http://127.0.0.1:${api.port}`
  const get = async (key: string, path: string) => {
    const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
    return reply
  }
  const speedAt = (deviceId: number, second: number) => ({
    deviceId,
    recordedTimestamp: new Date(Date.UTC(2026, 0, 12, 10, 0, second)).toISOString(),
    eventType: 'VEHICLE_SPEED_AVERAGE',
    value: 50 + second,
  })
  const [key, otherKey] = [await keyOf('one'), await keyOf('other')]
  // At the intake's own address, as a dongle does: the api does not know of it.
  const asDongle = { one: ingestClient(intakeUrl, key), other: ingestClient(intakeUrl, otherKey) }
  return {
    ...replicated,
    clock,
    key,
    otherKey,
    get,
    speedAt,
    asDongle,
    asClient: ingestClient(url, key),
    speeds: async (ofKey: string, deviceId: number) => {
      const events = (await (await get(ofKey, `/cc/v2.0/events?deviceId=${deviceId}`)).json()) as unknown[]
      return events.length
    },
    lag: async () => {
      const metrics = await (await get(key, '/metrics')).text()
      const value = /^tacho_replica_lag_seconds\{.*\} (\S+)$/m.exec(metrics)?.[1]
      return value === undefined ? undefined : Number(value)
    },
  }
}

it('long reads come from the replica, but nobody misses what he wrote himself, nor anything for longer than promised', async () => {
  const { key, otherKey, get, speeds, speedAt, asDongle, asClient, lag, clock, pauseReplay, resumeReplay } =
    await world()
  await asDongle.one.store([speedAt(ONE, 0)])
  await asDongle.other.store([speedAt(OTHER, 0)])
  await eventually(async () => expect(await lag()).toBeLessThan(MOST_LAG_MS / 1000))
  await eventually(async () => expect([await speeds(key, ONE), await speeds(otherKey, OTHER)]).toEqual([1, 1]))

  await pauseReplay()
  await asDongle.one.store([speedAt(ONE, 1)])
  await asDongle.other.store([speedAt(OTHER, 1)])
  // The replica answers: it has not got them.
  expect([await speeds(key, ONE), await speeds(otherKey, OTHER)]).toEqual([1, 1])
  // A sync must not stand at a revision that its list does not show.
  const synced = (await (await get(key, `/cc/v2.0/events?filterTimestamp=2000-01-01T00:00:00Z`)).json()) as unknown[]
  expect(synced).toHaveLength(2)

  await asClient.store([speedAt(ONE, 2)])
  expect([await speeds(key, ONE), await speeds(otherKey, OTHER)]).toEqual([3, 1])

  clock.advance(MOST_LAG_MS + 1_000)
  expect(await speeds(otherKey, OTHER)).toBe(2)

  await resumeReplay()
  await eventually(async () => expect(await lag()).toBeLessThan(MOST_LAG_MS / 1000))
  expect([await speeds(key, ONE), await speeds(otherKey, OTHER)]).toEqual([3, 2])
})

it('without its replica, the service answers as before', async () => {
  const { key, speeds, speedAt, asDongle, lag, stopReplica } = await world()
  await asDongle.one.store([speedAt(ONE, 0)])
  await eventually(async () => expect(await lag()).toBeDefined())
  await stopReplica()
  await asDongle.one.store([speedAt(ONE, 1)])
  await eventually(async () => expect(await lag()).toBeUndefined())
  expect(await speeds(key, ONE)).toBe(2)
})

it('what is no replica of this very database is never read from', async () => {
  const { primaryUrl, replicaUrl } = await startReplicated()
  const other = new URL(replicaUrl)
  other.pathname = '/template1'
  const faultOf = async (address: string) => {
    const faults: (ReplicaFault | undefined)[] = []
    const database = openDatabase({
      url: primaryUrl,
      replicaUrl: address,
      clock: new TestClock(),
      onReplicaFault: fault => void faults.push(fault),
    })
    await eventually(async () => expect(faults).toHaveLength(1))
    expect(database.replica?.has(1)).toBe(false)
    await database.close()
    return faults[0]
  }
  expect(await faultOf(primaryUrl)).toBe('no replica')
  expect(await faultOf(other.href)).toBe('of another database')
  expect(await faultOf('postgres://127.0.0.1:1/tacho')).toBe('unreachable')
})
