import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { randomRecording } from '../../lab/simulation/random-recording.ts'
import { samplesOf } from '../../lab/simulation/recording.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type Packet, packetsOf, shuffled } from '../../test/order/uploads.ts'
import { settleDevices } from '../../test/settled.ts'
import { DONGLES } from '../../test/simulated-drives.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { SHARD_COUNT } from '../db/shards.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { Intake } from '../ingest/intake.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { Partitions } from '../store/index.ts'
import { Engine } from './engine.ts'
import { rebuildDevice } from './rebuild.ts'

const log = pino({ level: 'silent' })
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

/** More than send in a test: no burst. */
const MANY_SENDERS = 50

async function startNode(clock = SYSTEM_CLOCK, burstFrom = 1): Promise<Node> {
  const database = openDatabase({ url: testDatabase.url })
  const { id: firstAccountId } = await writeTransaction(database, ensureFirstAccount)
  const intake = new Intake({
    database,
    partitions: new Partitions(database),
    log,
    burstFrom,
    clock,
    batchOptions: () => Promise.resolve({ unknownDevices: 'accept', firstAccountId }),
  })
  let isAlive = true
  const node: Node = {
    database,
    intake,
    async kill() {
      if (!isAlive) return
      isAlive = false
      await database.close()
      await intake.engine.stop()
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
  samplesEach = 10,
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
    return packetsOf(samplesOf(recording), samplesEach).map(packet => [...packet])
  })
  return { ids, packets }
}

const send = (node: Node, samples: readonly Sample[]) =>
  node.intake.submit({ samples, accountId: undefined, cannotWait: true })

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
async function differences({ database }: Node, ids: readonly DeviceId[], packets: readonly (readonly Packet[])[]) {
  await settleDevices(database)
  const found: unknown[] = []
  for (const [index, deviceId] of ids.entries()) {
    found.push(...(await rebuildDevice(database, deviceId, { isCheck: true })))
    const times = new Set(packets[index]!.flat().map(({ timeMs }) => timeMs))
    const [stored] = await database.rows<{ count: number; trips: number; last: string }>(sql`
      select (select count(*)::integer from samples where device_id = ${deviceId}) as count,
        (select count(*)::integer from trips where device_id = ${deviceId} and deleted is null) as trips,
        (select last_time from device_states where device_id = ${deviceId}) as last`)
    if (stored!.count !== times.size) found.push(`${stored!.count} samples of ${times.size}`)
    if (Date.parse(stored!.last) !== Math.max(...times)) found.push(`derived until ${stored!.last} only`)
    if (stored!.trips < 2) found.push(`${stored!.trips} trips`)
  }
  return found
}

/** Devices with samples of which nothing is derived yet. */
const dueIn = ({ database }: Node) =>
  database.rows<{ device_id: DeviceId }>(sql`select device_id from due where last_time is not null`)
/** As if what is due had been left by a process that ended. */
const grownOld = ({ database }: Node) =>
  database.writers.query(
    `update due set since = since - interval '1 minute', received = received - interval '1 minute'`,
  )
const deriveReady = ({ database }: Node) => new Engine({ database, log }).deriveReady(new AbortController().signal)

/** In which car a dongle was is worked out by whoever has time, and what it sent meanwhile with it. */
const untilDerived = (node: Node) =>
  expect
    .poll(
      async () => {
        await deriveReady(node)
        return (await dueIn(node)).length
      },
      { timeout: 20_000 },
    )
    .toBe(0)

test('what came in a burst is derived as soon as the burst is over', async () => {
  const node = await startNode()
  const { ids, packets } = recordedPackets(6, 1)
  await upload(packets, node)
  await untilDerived(node)
  expect(node.intake.engine.waiting.samples).toBe(0)
  expect(await differences(node, ids, packets)).toEqual([])
})

test('samples are stored and acknowledged before anything is derived, and can be read', async () => {
  const node = await startNode(slowClock())
  const [first, second] = recordedPackets(1, 2).packets[0]!
  await send(node, first!)
  await send(node, second!)
  const [row] = await node.database.rows<{ samples: number; states: number }>(sql`
    select (select count(*)::integer from samples) as samples, (select count(*)::integer from device_states) as states`)
  expect(row).toEqual({ samples: 20, states: 0 })
  expect(node.intake.engine.waiting.samples).toBe(20)
  expect(await dueIn(node)).toHaveLength(1)
})

test('a packet of a backlog waits for the next one, and what few dongles send is derived together', async () => {
  const node = await startNode(slowClock(), MANY_SENDERS)
  const { ids, packets } = recordedPackets(16, 4)
  const sample = packets[0]![0]![0]!
  const backlogOf = (deviceId: DeviceId) =>
    Array.from({ length: 256 }, (_, second) => ({ ...sample, deviceId, timeMs: sample.timeMs + second * 1000 }))
  const [last, ...others] = ids
  for (const deviceId of others) await send(node, backlogOf(deviceId))
  expect(node.intake.engine.waiting.samples).toBe(15 * 256)
  await send(node, backlogOf(last!))
  await expect.poll(() => node.intake.engine.waiting.samples).toBe(256)
})

test('a sample that comes alone is derived at once', async () => {
  const node = await startNode(slowClock(), MANY_SENDERS)
  const [packet] = recordedPackets(1, 5).packets[0]!
  await send(node, packet!.slice(0, 1))
  await expect.poll(() => node.intake.engine.waiting.samples).toBe(0)
})

test.each([
  ['nobody', 700],
  ['somebody', 300],
] as const)('while %s waits for each change, what a dongle sent last is derived after %i ms', async (who, ms) => {
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
  await send(node, recordedPackets(1, 12).packets[0]![0]!)
  await expect.poll(() => node.intake.engine.waiting.samples).toBe(0)
  expect(Math.max(...rests)).toBe(ms)
  await listener?.close()
})

test('a client with a key finds what it sent at once, and what is late, too', async () => {
  const node = await startNode(slowClock())
  const { ids, packets } = recordedPackets(1, 3)
  const [first, second, third] = packets[0]!
  for (const packet of [first, third, second]) await node.intake.submit({ samples: packet!, accountId: 1 })
  const [state] = await node.database.rows<{ told: string }>(sql`select last_time as told from device_states`)
  expect(Date.parse(state!.told)).toBe(third!.at(-1)!.timeMs)
  expect(await rebuildDevice(node.database, ids[0]!, { isCheck: true })).toEqual([])
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

describe('when a process ends between storing and deriving', () => {
  test('another one derives what it left, although nothing more comes', async () => {
    const { ids, packets } = recordedPackets(4, 6)
    const node = await startNode(slowClock())
    const next = await startNode()
    await upload(packets, node)
    expect(node.intake.engine.waiting.samples).toBeGreaterThan(0)
    // It may still be about to.
    expect(await deriveReady(next)).toBe(0)
    await node.kill()
    await grownOld(next)
    // Four dongles, and the cars of the three that read a VIN.
    expect(await deriveReady(next)).toBe(4 + 3)
    expect(await dueIn(next)).toEqual([])
    expect(await differences(next, ids, packets)).toEqual([])
  })

  test('another one that gets the next samples of the dongles derives all of them', async () => {
    const { ids, packets } = recordedPackets(4, 5)
    const node = await startNode(slowClock())
    const cut = packets.map(ofDongle => Math.floor(ofDongle.length * 0.6))
    await upload(
      packets.map((ofDongle, index) => ofDongle.slice(0, cut[index])),
      node,
    )
    await node.kill()
    const next = await startNode()
    await upload(
      packets.map((ofDongle, index) => ofDongle.slice(cut[index])),
      next,
    )
    await next.intake.stop()
    expect(await dueIn(next)).toEqual([])
    expect(await differences(next, ids, packets)).toEqual([])
  })

  test('it stops without a database, and what is due is derived later', async () => {
    const node = await startNode(slowClock())
    const { ids, packets } = recordedPackets(1, 13)
    await upload(packets, node)
    await node.kill()
    await node.intake.stop()
    const next = await startNode()
    await grownOld(next)
    // A dongle, and its car.
    expect(await deriveReady(next)).toBe(1 + 1)
    expect(await differences(next, ids, packets)).toEqual([])
  })
})

test.each([10, 2])(
  'what a process has in memory does not count once another one has derived it and stored more, %i samples a packet',
  async samplesEach => {
    const { ids, packets } = recordedPackets(5, 8, 7, samplesEach)
    const both = [await startNode(slowClock()), await startNode()]
    await upload(packets, ...both)
    for (const node of both) await node.intake.stop()
    expect(await differences(both[0]!, ids, packets)).toEqual([])
  },
)

test('a dongle of which nothing can be derived keeps no other one of its shard waiting', async () => {
  const node = await startNode()
  const { ids, packets } = recordedPackets(2, 14, SHARD_COUNT)
  await upload(
    packets.map(ofDongle => ofDongle.slice(0, 2)),
    node,
  )
  await untilDerived(node)
  const [stored] = await node.database.rows<{ fold: string }>(sql`
    select fold from device_states where device_id = ${ids[0]}`)
  const writeFold = (fold: string) =>
    node.database.writers.query('update device_states set fold = $1 where device_id = $2', [fold, ids[0]])
  await writeFold('a defect')
  await upload(
    packets.map(ofDongle => ofDongle.slice(2)),
    node,
  )
  await node.intake.stop()
  await grownOld(node)
  await deriveReady(node)
  expect(await dueIn(node)).toEqual([{ device_id: ids[0] }])
  // Once it is mended, nothing is missing.
  await writeFold(stored!.fold)
  expect(await differences(node, ids, packets)).toEqual([])
})

test('late samples are folded while new ones come', async () => {
  const node = await startNode()
  const { ids, packets } = recordedPackets(3, 9)
  const sent = new AbortController()
  const folding = (async () => {
    while (!sent.signal.aborted) {
      await node.intake.engine.deriveReady(sent.signal)
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
