import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { randomRecording } from '../../../lab/simulation/random-recording.ts'
import { samplesOf } from '../../../lab/simulation/recording.ts'
import { shuffled } from '../../../lab/simulation/uploads/disorder.ts'
import { type Packet, packetsOf } from '../../../lab/simulation/uploads/packets.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { DONGLES } from '../../../test/simulated-drives.ts'
import { ensureFirstAccount } from '../../access/accounts.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type Database, openDatabase } from '../../db/database.ts'
import { SHARD_COUNT, shardsOf } from '../../db/shards/shards.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { storeBatch } from '../../ingest/batch.ts'
import { Intake } from '../../ingest/intake.ts'
import { type Clock, SYSTEM_CLOCK } from '../../lib/clock.ts'
import { type DeviceId, type Sample, sampleOf } from '../../model/sample.ts'
import { Partitions } from '../../store/index.ts'
import { type DerivedSoFar, readDeviceRecords } from '../device-records/device-records.ts'
import { packed } from '../device-records/packed-derived.ts'
import { Failing } from '../out-of-order/failing.ts'
import { rebuildDevice } from '../out-of-order/rebuild.ts'
import { reconcileOutOfOrder } from '../out-of-order/reconcile.ts'
import { serialiseState } from '../trips/derive/state.ts'
import type { Backlog } from './backlog.ts'
import { deriveShards } from './derive-shards.ts'
import { deriveOrphaned } from './orphaned.ts'
import { lockUpToDate } from './take-shards.ts'

const log = pino({ level: 'silent' })
const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE').id
const START_MS = Date.UTC(2026, 2, 2, 6)

interface Node {
  readonly database: Database
  readonly intake: Intake
  /** The process is gone, with everything that it remembered. */
  kill(): Promise<void>
}

let testDatabase: TestDatabase
let nodes: Node[]

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  nodes = []
})
afterEach(async () => {
  for (const node of nodes) await node.kill()
  await testDatabase.drop()
})

/** Batches are gathered in less. */
const LONGEST_GATHERING_MS = 100

/** By this clock only gathering takes time, so nothing waits long enough to be derived, however slow the machine is. */
function slowClock(): Clock {
  let passedMs = 0
  return {
    ...SYSTEM_CLOCK,
    monotonicMs: () => passedMs,
    after(ms, callback) {
      if (ms > LONGEST_GATHERING_MS) return SYSTEM_CLOCK.after(50 * ms, callback)
      return SYSTEM_CLOCK.after(ms, () => {
        passedMs += ms
        callback()
      })
    },
  }
}

async function startNode(clock = SYSTEM_CLOCK): Promise<Node> {
  const database = openDatabase({ url: testDatabase.url })
  const { id: firstAccountId } = await writeTransaction(database, ensureFirstAccount)
  const intake = new Intake({
    database,
    partitions: new Partitions(database),
    log,
    burstFrom: 1,
    clock,
    batchOptions: () => Promise.resolve({ unknownDevices: 'accept', firstAccountId }),
  })
  let isAlive = true
  const node: Node = {
    database,
    intake,
    async kill() {
      if (isAlive) await Promise.all([intake.backlog.close(), database.close()])
      isAlive = false
    },
  }
  nodes.push(node)
  return node
}

/** Packets of several dongles; each has its own. */
function recordedPackets(
  dongles: number,
  seed: number,
  apart = 7,
): { readonly ids: DeviceId[]; readonly packets: Packet[][] } {
  const ids = Array.from({ length: dongles }, (_, index) => (356307042440000 + seed * 64 + index * apart) as DeviceId)
  const kinds = Object.values(DONGLES)
  const packets = ids.map((deviceId, index) => {
    const kind = kinds[index % kinds.length]!
    const recording = randomRecording({
      deviceId,
      kind,
      fromMs: START_MS,
      drivesByCar: [1, 1],
      seed: seed + index,
      longestM: 2500,
    })
    return packetsOf(samplesOf(recording), 10).map(packet => [...packet])
  })
  return { ids, packets }
}

const send = (node: Node, samples: readonly Sample[]) => node.intake.submit({ samples, accountId: undefined })

/** Each dongle sends its packets one after the other, all dongles at once; to the nodes in turn. */
async function upload(packets: readonly (readonly Packet[])[], ...to: readonly Node[]): Promise<void> {
  await Promise.all(
    packets.map(async (ofDongle, dongle) => {
      for (const [index, packet] of ofDongle.entries()) {
        const outcome = await send(to[(dongle + index) % to.length]!, packet)
        expect(outcome.kind).toBe('stored')
      }
    }),
  )
}

/** How what is stored differs from what was sent, and what is derived from what would be computed again. */
async function differences(node: Node, ids: readonly DeviceId[], packets: readonly (readonly Packet[])[]) {
  await settleAll(node)
  const found: unknown[] = []
  for (const [index, deviceId] of ids.entries()) {
    found.push(...(await rebuildDevice(node.database, deviceId, { isCheck: true })))
    const times = new Set(packets[index]!.flat().map(({ timeMs }) => timeMs))
    const [stored] = await node.database.rows<{ count: number; trips: number; last: string }>(sql`
      select (select count(*)::integer from samples where device_id = ${deviceId}) as count,
        (select count(*)::integer from trips where device_id = ${deviceId} and deleted is null) as trips,
        (select last_time from device_states where device_id = ${deviceId}) as last`)
    if (stored!.count !== times.size) found.push(`${stored!.count} samples of ${times.size}`)
    if (Date.parse(stored!.last) !== Math.max(...times)) found.push(`derived until ${stored!.last} only`)
    if (stored!.trips < 2) found.push(`${stored!.trips} trips`)
  }
  return found
}

async function settleAll({ database, intake: { backlog } }: Node): Promise<void> {
  const failing = new Failing()
  const isDue = () =>
    database.rows(sql`select from device_states where dirty_from is not null or assignments_due limit 1`)
  while ((await isDue()).length > 0) {
    await reconcileOutOfOrder({ database, backlog, failing, log })
    await sleep(50)
  }
}

const keeping = ({ database, intake: { backlog } }: Node) => ({ database, backlog, log })
const backlogShards = (node: Node) => node.database.rows(sql`select shard from shards where backlog_since is not null`)

test('what came in a burst is derived as soon as the burst is over', async () => {
  const node = await startNode()
  const { ids, packets } = recordedPackets(6, 1)
  await upload(packets, node)
  while (node.intake.backlog.count > 0) await sleep(10)
  expect(node.intake.backlog.count).toBe(0)
  expect(await differences(node, ids, packets)).toEqual([])
})

test('during a burst samples are stored and acknowledged before anything is derived, and can be read', async () => {
  const node = await startNode()
  const { ids, packets } = recordedPackets(1, 2)
  const [first, second] = packets[0]!
  await send(node, first!)
  await send(node, second!)
  const read = () =>
    node.database.rows<{ samples: number; told: string }>(sql`
      select (select count(*)::integer from samples) as samples, last_time as told from device_states`)
  const [during] = await read()
  expect(during!.samples).toBe(20)
  expect(node.intake.waiting.samples).toBe(10)
  expect(node.intake.waiting.seconds).toBeGreaterThan(0)
  expect(Date.parse(during!.told)).toBe(first!.at(-1)!.timeMs)
  expect(await backlogShards(node)).toEqual([{ shard: ids[0]! % SHARD_COUNT }])
  // Who needs the records gets them up to date.
  await writeTransaction(node.database, transaction => lockUpToDate(transaction, ids, node.intake.backlog))
  const [after] = await read()
  expect(Date.parse(after!.told)).toBe(second!.at(-1)!.timeMs)
})

test.each([
  ['nobody', 2000],
  ['somebody', 300],
] as const)('while %s waits for each change, what a dongle sent is derived within %i ms', async (who, ms) => {
  let passedMs = 0
  const rests: number[] = []
  const node = await startNode({
    ...SYSTEM_CLOCK,
    monotonicMs: () => passedMs,
    after: (restMs, callback) =>
      SYSTEM_CLOCK.after(1, () => {
        rests.push(restMs)
        passedMs += restMs
        callback()
      }),
  })
  const listener = who === 'somebody' ? node.database.listen(() => undefined) : undefined
  await expect.poll(() => node.database.changes.isHurried).toBe(listener !== undefined)
  const [first, second] = recordedPackets(1, 12).packets[0]!
  await send(node, first!)
  rests.length = 0
  await send(node, second!)
  await expect.poll(() => node.intake.backlog.count).toBe(0)
  expect(Math.max(...rests)).toBe(ms)
  await listener?.close()
})

test('a client with a key finds what it sent at once', async () => {
  const node = await startNode()
  const { packets } = recordedPackets(1, 3)
  const [first, second] = packets[0]!
  await send(node, first!)
  await node.intake.submit({ samples: second!, accountId: 1 })
  const [state] = await node.database.rows<{ told: string }>(sql`select last_time as told from device_states`)
  expect(Date.parse(state!.told)).toBe(second!.at(-1)!.timeMs)
})

test('late, repeated and new packets in one burst', async () => {
  const node = await startNode()
  const { ids, packets } = recordedPackets(5, 4)
  const disordered = packets.map((ofDongle, index) => {
    const half = Math.floor(ofDongle.length / 2)
    return [...ofDongle.slice(half), ...shuffled(ofDongle.slice(0, half + 5), index)]
  })
  await upload(disordered, node)
  await node.intake.stop()
  expect(await differences(node, ids, packets)).toEqual([])
})

describe('when the process that remembers what waits is gone', () => {
  test('the next one that gets samples of the shard derives it first', async () => {
    const { ids, packets } = recordedPackets(4, 5)
    const node = await startNode(slowClock())
    const cut = packets.map(ofDongle => Math.floor(ofDongle.length * 0.6))
    await upload(
      packets.map((ofDongle, index) => ofDongle.slice(0, cut[index])),
      node,
    )
    expect(node.intake.backlog.count).toBeGreaterThan(0)
    await node.kill()
    const next = await startNode()
    await upload(
      packets.map((ofDongle, index) => ofDongle.slice(cut[index])),
      next,
    )
    await next.intake.stop()
    expect(await differences(next, ids, packets)).toEqual([])
  })

  test('another one derives it although nothing more comes', async () => {
    const { ids, packets } = recordedPackets(4, 6)
    const node = await startNode(slowClock())
    const next = await startNode()
    await upload(packets, node)
    expect(node.intake.backlog.count).toBeGreaterThan(0)
    expect(await deriveOrphaned(keeping(next))).toBe(0)
    await node.kill()
    expect(await deriveOrphaned(keeping(next))).toBeGreaterThan(0)
    expect(await backlogShards(next)).toEqual([])
    expect(await differences(next, ids, packets)).toEqual([])
  })

  test('one that can not know how its commit ended starts again', async () => {
    const { ids, packets } = recordedPackets(3, 7)
    const node = await startNode()
    const half = packets.map(ofDongle => Math.floor(ofDongle.length / 2))
    await upload(
      packets.map((ofDongle, index) => ofDongle.slice(0, half[index])),
      node,
    )
    node.intake.backlog.forgetAll()
    await upload(
      packets.map((ofDongle, index) => ofDongle.slice(half[index])),
      node,
    )
    await node.intake.stop()
    expect(await differences(node, ids, packets)).toEqual([])
  })
})

test('a batch that holds a shard while the process starts again loses nothing that waits there', async () => {
  const node = await startNode(slowClock())
  const { ids, packets } = recordedPackets(1, 10)
  const [first, second, third, ...others] = packets[0]!
  await send(node, first!)
  await send(node, second!)
  expect(node.intake.backlog.count).toBeGreaterThan(0)
  const { backlog } = node.intake
  const options = { unknownDevices: 'accept', firstAccountId: 1, isBurst: true, backlog } as const
  await writeTransaction(node.database, async transaction => {
    await storeBatch({ ...transaction, takeRevisions: beginAnew }, [{ samples: third!, accountId: undefined }], options)

    function beginAnew(wanted: number): Promise<string> {
      node.intake.backlog.forgetAll()
      return transaction.takeRevisions(wanted)
    }
  })
  await upload([others], node)
  await node.intake.stop()
  expect(await differences(node, ids, packets)).toEqual([])
})

test('what a process left waiting under a former number is derived although it lives and nothing more comes', async () => {
  const node = await startNode(slowClock())
  const { ids, packets } = recordedPackets(2, 11)
  await upload(packets, node)
  expect(node.intake.backlog.count).toBeGreaterThan(0)
  node.intake.backlog.forgetAll()
  while ((await backlogShards(node)).length > 0) {
    await deriveOrphaned(keeping(node))
    await sleep(20)
  }
  expect(await differences(node, ids, packets)).toEqual([])
})

test('a shard tells that nothing waits soon after somebody else derived all of it', async () => {
  const node = await startNode()
  const { ids, packets } = recordedPackets(1, 12)
  await send(node, packets[0]![0]!)
  await send(node, packets[0]![1]!)
  await writeTransaction(node.database, transaction => lockUpToDate(transaction, ids, node.intake.backlog))
  expect(node.intake.backlog.count).toBe(0)
  while ((await backlogShards(node)).length > 0) await sleep(20)
})

test('without a database the intake stops nevertheless, and what waits is derived later', async () => {
  const node = await startNode(slowClock())
  const { ids, packets } = recordedPackets(1, 13)
  await upload(packets, node)
  expect(node.intake.backlog.count).toBeGreaterThan(0)
  await node.kill()
  // So that it tries, in vain, to derive what waits.
  await sleep(100)
  await node.intake.stop()
  const next = await startNode()
  expect(await deriveOrphaned(keeping(next))).toBeGreaterThan(0)
  expect(await differences(next, ids, packets)).toEqual([])
})

test('a dongle of which nothing can be derived keeps no other one of its shard waiting', async () => {
  const node = await startNode(slowClock())
  const { ids, packets } = recordedPackets(2, 14, SHARD_COUNT)
  const half = Math.floor(packets[1]!.length / 2)
  await upload([packets[0]!, packets[1]!.slice(0, half)], node)
  expect(node.intake.backlog.count).toBeGreaterThan(0)
  await node.kill()
  const next = await startNode()
  const [stored] = await next.database.rows<{ fold: string }>(sql`
    select fold from device_states where device_id = ${ids[0]}`)
  const writeFold = (fold: string) =>
    next.database.writers.query('update device_states set fold = $1 where device_id = $2', [fold, ids[0]])
  await writeFold('a defect')
  await upload([packets[1]!.slice(half)], next)
  await next.intake.stop()
  // Once it is mended, nothing is missing.
  await writeFold(stored!.fold)
  expect(await differences(next, ids, packets)).toEqual([])
})

test('two nodes that take the shards from one another', async () => {
  const { ids, packets } = recordedPackets(5, 8)
  const both = [await startNode(), await startNode()]
  await upload(packets, ...both)
  for (const node of both) await node.intake.stop()
  expect(await differences(both[0]!, ids, packets)).toEqual([])
})

test('out-of-order samples are folded while new ones wait', async () => {
  const node = await startNode()
  const { ids, packets } = recordedPackets(3, 9)
  const failing = new Failing()
  const sent = new AbortController()
  const folding = (async () => {
    while (!sent.signal.aborted) {
      await reconcileOutOfOrder({ ...keeping(node), failing })
      await sleep(20)
    }
  })()
  // One in four comes four packets late.
  const delayed = packets.map(ofDongle =>
    ofDongle
      .map((packet, index) => ({ packet, place: index % 4 === 0 ? index + 4.5 : index }))
      .sort((a, b) => a.place - b.place)
      .map(({ packet }) => packet),
  )
  await upload(delayed, node)
  sent.abort()
  await folding
  await node.intake.stop()
  expect(await differences(node, ids, packets)).toEqual([])
})

const packedAgain = (derived: ReadonlyMap<DeviceId, DerivedSoFar>) =>
  new Map([...derived].map(([id, ofDevice]) => [id, packed(ofDevice, ofDevice.fold && serialiseState(ofDevice.fold))]))

test('what a process remembers of a dongle is what reading its records gives', async () => {
  const node = await startNode()
  const { backlog } = node.intake
  const { ids, packets } = recordedPackets(Object.keys(DONGLES).length, 15)
  let compared = 0
  const most = Math.max(...packets.map(({ length }) => length))
  for (let round = 0; round < most; round += 2) {
    await upload(
      packets.map(ofDongle => ofDongle.slice(round, round + 2)),
      node,
    )
    await deriveShards(keeping(node), shardsOf(ids))
    const remembered = backlog.records.take(ids)
    const read = await readDeviceRecords(node.database, [...remembered.keys()])
    for (const [deviceId, { extent, fold, trip, latestByVehicle }] of remembered) {
      const record = read.get(deviceId)!
      expect({ extent, trip }).toEqual({ extent: record.extent, trip: record.trip })
      expect(fold && serialiseState(fold)).toBe(record.fold && serialiseState(record.fold))
      expect(new Map(latestByVehicle)).toEqual(record.latestByVehicle)
      compared++
    }
    backlog.records.put(packedAgain(remembered))
  }
  expect(compared).toBeGreaterThan(40)
  expect(await differences(node, ids, packets)).toEqual([])
})

test('what a process remembers of a dongle is forgotten when something else changes the dongle', async () => {
  const node = await startNode()
  const { records } = node.intake.backlog
  const { ids, packets } = recordedPackets(2, 16, SHARD_COUNT)
  const [changed, other] = ids as [DeviceId, DeviceId]
  await upload(
    packets.map(ofDongle => ofDongle.slice(0, 3)),
    node,
  )
  await deriveShards(keeping(node), shardsOf(ids))
  const forgottenBy = async (change: () => Promise<unknown>) => {
    await change()
    const left = records.take(ids)
    records.put(packedAgain(left))
    return ids.filter(id => !left.has(id))
  }
  expect(await forgottenBy(() => Promise.resolve())).toEqual([])
  const locked = (backlog?: Backlog) =>
    writeTransaction(node.database, transaction => lockUpToDate(transaction, [changed], backlog))
  expect(await forgottenBy(() => locked(node.intake.backlog))).toEqual([changed])
  // Somebody who does not know what this process remembers ends its lease of the whole shard.
  await locked()
  await deriveShards(keeping(node), shardsOf(ids))
  expect([...records.take([changed, other]).keys()]).toEqual([])
})

test('a device keeps its samples that wait however many others of its shard are remembered meanwhile', async () => {
  const { backlog } = (await startNode()).intake
  const device = 64 as DeviceId
  backlog.remember(device, 1000)
  expect(backlog.lastMsOf(device)).toBe(1000)
  // Of the same transaction, whose samples are added when it has ended.
  for (let number = 2; number <= 3000; number++) backlog.remember((number * SHARD_COUNT) as DeviceId, 1000)
  const sample = sampleOf(device, 2000, new Map([[SPEED, 36]]))
  backlog.add([sample])
  expect(backlog.of(device)).toEqual([sample])
  expect(backlog.count).toBe(1)
})
