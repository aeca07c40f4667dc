import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureAccount, ensureFirstAccount } from '../../src/access/accounts.ts'
import { RULE_KINDS, type RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { deriveDevice, deriveTogether } from '../../src/derive/derive.ts'
import { KnownDevices } from '../../src/derive/known-devices.ts'
import type { WeeklyHours } from '../../src/derive/rules/weekly-hours.ts'
import { createAreas } from '../../src/fleet/areas/change-areas.ts'
import { createRule } from '../../src/fleet/rules/change-rules.ts'
import { storeBatch } from '../../src/ingest/store-batch.ts'
import { type AreaShape, DEFAULT_AREA_COLOR } from '../../src/model/areas/shape.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { insertSamples, Partitions } from '../../src/store/index.ts'
import {
  batchOf,
  DRIVE_SAMPLES,
  drivingSample,
  registerWithReach,
  SAMPLE_EVERY_MS,
  simulatedDrives,
  standingSample,
} from './made-samples.ts'
import { type BenchResult, elapsedMs, median } from './result.ts'
import type { RunningService } from './running-service.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const START_MS = Date.UTC(2025, 0, 6)

const BACKLOG = { devices: 100, samplesEach: 50 }
const BATCHES = 200
/** The first ones register the devices, and code is compiled, which is not what an intake does most of the time. */
const WARM_UP = 100

const LATE_PACKETS = 100
const PACKET_SAMPLES = 10

export interface Store {
  readonly database: Database
  readonly accountId: number
}

/** The cost of what follows from samples beside that of storing them alone, and of late samples beside those in order. */
export async function benchDerivation({ databaseUrl }: RunningService): Promise<BenchResult[]> {
  const database = openDatabase({ url: databaseUrl })
  try {
    const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
    const store = { database, accountId }
    return [await derivationCost(store, 1_000_000), await lateCost(store)]
  } finally {
    await database.close()
  }
}

async function derivationCost(store: Store, firstDevice: number): Promise<BenchResult> {
  const { database, accountId } = store
  const { devices, samplesEach } = BACKLOG
  // Up to now, so that trips are in progress as with a fleet that drives.
  const startMs = Date.now() - BATCHES * samplesEach * SAMPLE_EVERY_MS
  // Of other shards: what the intake remembers holds while nobody else locks its shards.
  const [firstAlone, apart] = [firstDevice + 500_001, 2]
  const reach = { fromMs: startMs, toMs: startMs }
  await registerWithReach(database, { accountId, firstDeviceId: firstAlone, count: devices, ...reach, apart })
  const storingMs: number[] = []
  const derivingMs: number[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const alone = batchOf(firstAlone, { ...BACKLOG, startMs, batch }, apart)
    const derived = batchOf(firstDevice, { ...BACKLOG, startMs, batch }, apart)
    await new Partitions(database).ensure(derived.map(sample => sample.timeMs))
    const storing = await elapsedMs(() => storeAlone(database, alone))
    const derive = await elapsedMs(() => storeAndDerive(store, derived))
    if (batch < WARM_UP) continue
    storingMs.push(storing)
    derivingMs.push(derive)
  }
  const storing = median(storingMs)
  const both = median(derivingMs)
  const perSample = (ms: number) => `${((ms * 1000) / (devices * samplesEach)).toFixed(1)} µs`
  return {
    name: 'derivation, a backlog of few dongles',
    measured: `${perSample(both - storing)} a sample for all that follows from it, ${devices} dongles with ${samplesEach} a batch`,
    against: `storing it alone ${perSample(storing)}`,
    ratio: (both - storing) / storing,
    target: { atMost: 1.8 },
  }
}

/** One burst of late packets for a dongle with a year behind it, against as many in order. */
async function lateCost(store: Store): Promise<BenchResult> {
  const { database } = store
  const deviceId = 9_000_001
  for (let day = 0; day < 365; day += 5) {
    const samples = [0, 1, 2, 3, 4].flatMap(offset => [
      ...drive(deviceId, START_MS + (day + offset) * DAY_MS + 7 * 60 * MINUTE_MS),
      ...drive(deviceId, START_MS + (day + offset) * DAY_MS + 17 * 60 * MINUTE_MS),
    ])
    await new Partitions(database).ensure(samples.map(sample => sample.timeMs))
    await storeAndDerive(store, samples)
  }
  const packets = (startMs: number) =>
    Array.from({ length: LATE_PACKETS }, (_, packet) => packetOf(deviceId, startMs, packet))
  const ordered = packets(START_MS + 366 * DAY_MS)
  const late = packets(START_MS + 180 * DAY_MS + 7 * 60 * MINUTE_MS + 500).toReversed()
  await new Partitions(database).ensure([...ordered, ...late].flat().map(sample => sample.timeMs))
  const orderedMs = await elapsedMs(async () => {
    for (const packet of ordered) await storeAndDerive(store, packet)
  })
  const storedMs = await elapsedMs(async () => {
    for (const packet of late) await storeAndDerive(store, packet)
  })
  const foldedMs = await elapsedMs(() => deriveDevice(database, deviceId as DeviceId))
  if (await deriveDevice(database, deviceId as DeviceId)) throw new Error('the burst cost more than one fold')
  const samples = LATE_PACKETS * PACKET_SAMPLES
  const perSample = (ms: number) => `${((ms * 1000) / samples).toFixed(0)} µs`
  return {
    name: 'a late sample',
    measured: `${perSample(storedMs + foldedMs)} a sample, ${LATE_PACKETS} packets of ${PACKET_SAMPLES} half a year late, folded once in ${foldedMs.toFixed(0)} ms`,
    against: `in order ${perSample(orderedMs)}`,
    ratio: (storedMs + foldedMs) / orderedMs,
    target: { atMost: 5 },
  }
}

/** The shards, the rows, and of each device how far its samples reach: what must be written in any case. */
function storeAlone(database: Database, samples: readonly Sample[]): Promise<void> {
  return writeTransaction(database, async transaction => {
    const reach = new Map<DeviceId, number>()
    for (const { deviceId, timeMs } of samples) reach.set(deviceId, timeMs)
    const locked = await lockDevices(transaction, reach.keys())
    await insertSamples(locked, samples, await transaction.takeRevisions(1))
    await transaction.rows(
      sql`
        update device_states s set last_time = epoch_ms(last_ms), last_received = clock_timestamp()
        from unnest(${[...reach.keys()]}::bigint[], ${[...reach.values()]}::bigint[]) as u (device_id, last_ms)
        where s.device_id = u.device_id`,
      { prepareAs: 'bench-store-alone' },
    )
  })
}

const knownDevices = new KnownDevices()

export async function storeAndDerive({ database, accountId }: Store, samples: readonly Sample[]): Promise<void> {
  const options = { unknownDevices: 'accept', firstAccountId: accountId } as const
  const { devices } = await writeTransaction(database, transaction =>
    storeBatch(transaction, [{ samples, accountId }], options, { knownDevices }),
  )
  const deviceIds = devices.map(({ deviceId }) => deviceId)
  await deriveTogether(database, deviceIds, knownDevices)
}

function packetOf(deviceId: number, startMs: number, packet: number): Sample[] {
  return Array.from({ length: PACKET_SAMPLES }, (_, index) =>
    drivingSample(deviceId, startMs + (packet * PACKET_SAMPLES + index) * 1000, packet),
  )
}

function drive(deviceId: number, startMs: number): Sample[] {
  const samples = Array.from({ length: DRIVE_SAMPLES }, (_, step) =>
    drivingSample(deviceId, startMs + step * SAMPLE_EVERY_MS, step),
  )
  return [...samples, standingSample(deviceId, startMs + DRIVE_SAMPLES * SAMPLE_EVERY_MS)]
}

const RULES = 20
const AREAS = 1000
const DEVICES = 100
const SAMPLES_EACH = 50
const RULED_BATCHES = 400
/** V8 compiles for half of them; all memory is collected once in a dozen batches, so few of them would vary by a tenth. */
const RULED_WARM_UP = 200
const TOWN_DRIVES = 160
const FIRST_RULED_DEVICE = 3_200_000
/** More than the cars drive: by default they would speed in each area, and a fleet that does so all day is none to judge by. */
const PARAMETERS: { readonly [Kind in RuleKindName]?: Readonly<Record<string, number>> } = {
  SPEEDING_IN_AREA: { limitKmh: 70 },
}
/** A rule about cars outside of all areas asks at given hours. */
const AT_NIGHT: WeeklyHours = {
  timeZone: 'UTC',
  days: Array.from({ length: 7 }, () => [
    { fromMinute: 0, toMinute: 6 * 60 },
    { fromMinute: 22 * 60, toMinute: 24 * 60 },
  ]),
}

/** Batches for an account with rules and areas, and for one with none, in turn, each with dongles of its own. */
export async function benchRules({ databaseUrl }: RunningService): Promise<BenchResult[]> {
  // Ahead of the clock: of dongles that report now, nobody asks what their silence means. A midnight, so that hours are the same in each run.
  const startMs = Math.ceil(Date.now() / DAY_MS) * DAY_MS
  const drives = simulatedDrives(startMs, TOWN_DRIVES)
  // One connection that writes: it stays, so that none of its time is lost with it, and nobody else's is counted.
  const database = openDatabase({ url: databaseUrl, writerCount: 1 })
  try {
    const writerPid = await writerPidOf(database)
    const without = await storeOf(database, 'Without rules')
    const withRules = await storeOf(database, 'With rules')
    await addRules(withRules, startMs)
    const fleets = [
      { store: without, firstDevice: FIRST_RULED_DEVICE, cpuUs: [] as number[] },
      { store: withRules, firstDevice: FIRST_RULED_DEVICE + DEVICES, cpuUs: [] as number[] },
    ]
    for (let batch = 0; batch < RULED_BATCHES; batch++) {
      const driven = drives.slice(batch * SAMPLES_EACH, (batch + 1) * SAMPLES_EACH)
      for (const { store, firstDevice, cpuUs } of batch % 2 === 0 ? fleets : fleets.toReversed()) {
        const samples = Array.from({ length: DEVICES }, (_, device) =>
          driven.map(sample => ({ ...sample, deviceId: (firstDevice + device) as DeviceId })),
        ).flat()
        await new Partitions(database).ensure(samples.map(sample => sample.timeMs))
        const begunUs = cpuUsOf(writerPid)
        await storeAndDerive(store, samples)
        if (batch >= RULED_WARM_UP) cpuUs.push(cpuUsOf(writerPid) - begunUs)
      }
    }
    const each = (us: number) => us / (DEVICES * SAMPLES_EACH)
    const [withoutUs, withUs] = fleets.map(({ cpuUs }) => each(mean(cpuUs))) as [number, number]
    const found = await incidentsOf(withRules)
    return [
      {
        name: `derivation with ${RULES} rules and ${AREAS} areas, simulated drives`,
        measured: `${withUs.toFixed(1)} µs of CPU a sample, ${found} incidents in ${DEVICES * SAMPLES_EACH * RULED_BATCHES} samples`,
        against: `without rules ${withoutUs.toFixed(1)} µs of CPU`,
        ratio: withUs / withoutUs,
        target: { atMost: 1.6 },
      },
    ]
  } finally {
    await database.close()
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The process of PostgreSQL in which this one writes: what a batch reads and writes is done there. */
async function writerPidOf(database: Database): Promise<number> {
  const [row] = await writeTransaction(database, transaction =>
    transaction.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`),
  )
  if (!row) throw new Error('the connection that writes has no process')
  return row.pid
}

/** The CPU of this process, garbage collector included, and of that one. To look at all processes with each batch would take minutes. */
function cpuUsOf(writerPid: number): number {
  const { user, system } = process.cpuUsage()
  const [writerNs] = readFileSync(`/proc/${writerPid}/schedstat`, 'utf8').split(' ', 1)
  return user + system + Number(writerNs) / 1000
}

async function storeOf(database: Database, name: string): Promise<Store> {
  const { id: accountId } = await writeTransaction(database, transaction => ensureAccount(transaction, name))
  return { database, accountId }
}

/** A rule of each of the first kinds, and areas all along the way, before there are dongles: nothing is folded again for them. */
async function addRules({ database, accountId }: Store, fromMs: number): Promise<void> {
  await writeTransaction(database, async transaction => {
    const areas = Array.from({ length: AREAS }, (_, area) => ({
      name: `Area ${area}`,
      kind: 'OTHER' as const,
      color: DEFAULT_AREA_COLOR,
      shape: squareInTown(area),
      validFrom: undefined,
    }))
    await createAreas(transaction, { accountId }, areas, AREAS)
    for (const { name, severity } of RULE_KINDS.slice(0, RULES)) {
      const hours = name === 'OUTSIDE_AREAS' ? AT_NIGHT : null
      const draft = { kind: name, parameters: PARAMETERS[name] ?? {}, severity, vehicleIds: null, hours }
      await createRule(transaction, { accountId, name, draft, fromMs, savedBy: 'bench' }, RULES)
    }
  })
  const isNoticed = async () => (await database.rows(sql`select from rule_changes`)).length === 0
  while (!(await isNoticed())) await sleep(100)
}

function squareInTown(area: number): AreaShape {
  const [west, south] = [8.2 + (area % 40) * 0.01, 48.9 + Math.floor(area / 40) * 0.01]
  const side = 250 / 111_195
  const ring = [
    [west, south],
    [west + side, south],
    [west + side, south + side],
    [west, south + side],
    [west, south],
  ] as const
  return { type: 'polygon', polygons: [[ring]] }
}

async function incidentsOf({ database, accountId }: Store): Promise<number> {
  const [row] = await database.rows<{ count: number }>(
    sql`select count(*) as count from incidents where account_id = ${accountId}`,
  )
  return row?.count ?? 0
}
