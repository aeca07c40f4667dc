import { ensureFirstAccount } from '../../src/access/accounts.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards/locked-devices.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { deriveDevice, deriveTogether } from '../../src/derive/derive.ts'
import { storeBatch } from '../../src/ingest/store-batch.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { insertSamples, Partitions } from '../../src/store/index.ts'
import { elapsedMs } from './elapsed.ts'
import { batchOf, DRIVE_SAMPLES, drivingSample, SAMPLE_EVERY_MS, standingSample } from './half-hour-drives.ts'
import { registerWithReach } from './registered-devices.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { benchWithoutRules } from './without-rules.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const START_MS = Date.UTC(2025, 0, 6)

interface BatchShape {
  readonly name: string
  readonly devices: number
  readonly samplesEach: number
  readonly batches: number
  /** The first ones register the devices, and code is compiled, which is not what an intake does most of the time. */
  readonly warmUp: number
}

const CATCHING_UP: BatchShape = {
  name: 'a backlog of few dongles',
  devices: 100,
  samplesEach: 50,
  batches: 200,
  warmUp: 100,
}
const LIVE: BatchShape = { name: 'the newest sample of many', devices: 1000, samplesEach: 1, batches: 120, warmUp: 60 }

/** A packet of late data, and how many of them make the burst. */
const LATE_PACKETS = 100
const PACKET_SAMPLES = 10

/** Where samples are stored, by this process. */
export interface Store {
  readonly database: Database
  readonly accountId: number
}

/** What storing alone costs, with what follows from samples, and from late ones. Derivation is what is on top. */
export async function benchDerivation({ databaseUrl }: RunningService): Promise<BenchResult[]> {
  const database = openDatabase({ url: databaseUrl })
  try {
    const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
    const store = { database, accountId }
    const catchingUp = await derivationCost(store, CATCHING_UP, 1_000_000)
    const live = await derivationCost(store, LIVE, 2_000_000)
    // No batch to share the rows of a device with: that is what its samples cost one by one (docs/adr/0010).
    console.log(`       ${live.name}: ${live.ratio.toPrecision(3)}, ${live.measured}; against ${live.against}`)
    return [catchingUp, await benchWithoutRules(), await lateCost(store)]
  } finally {
    await database.close()
  }
}

async function derivationCost(
  store: Store,
  { name, devices, samplesEach, batches, warmUp }: BatchShape,
  firstDevice: number,
): Promise<BenchResult> {
  const { database, accountId } = store
  // Up to now, so that trips are in progress as with a fleet that drives.
  const startMs = Date.now() - batches * samplesEach * SAMPLE_EVERY_MS
  const firstAlone = firstDevice + 500_000
  const reach = { fromMs: startMs, toMs: startMs }
  await registerWithReach(database, { accountId, firstDeviceId: firstAlone, count: devices, ...reach })
  const storingMs: number[] = []
  const derivingMs: number[] = []
  for (let batch = 0; batch < batches; batch++) {
    const alone = batchOf(firstAlone, { devices, samplesEach, startMs, batch })
    const derived = batchOf(firstDevice, { devices, samplesEach, startMs, batch })
    await new Partitions(database).ensure(derived.map(sample => sample.timeMs))
    const storing = await elapsedMs(() => storeAlone(database, alone))
    const derive = await elapsedMs(() => storeAndDerive(store, derived))
    if (batch < warmUp) continue
    storingMs.push(storing)
    derivingMs.push(derive)
  }
  const storing = median(storingMs)
  const both = median(derivingMs)
  const perSample = (ms: number) => `${((ms * 1000) / (devices * samplesEach)).toFixed(1)} µs`
  return {
    name: `derivation, ${name}`,
    measured: `${perSample(both - storing)} a sample for all that follows from it, ${devices} dongles with ${samplesEach} a batch`,
    against: `storing it alone ${perSample(storing)}`,
    ratio: (both - storing) / storing,
    target: { atMost: 1.5 },
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

export async function storeAndDerive({ database, accountId }: Store, samples: readonly Sample[]): Promise<void> {
  const options = { unknownDevices: 'accept', firstAccountId: accountId } as const
  const { devices } = await writeTransaction(database, transaction =>
    storeBatch(transaction, [{ samples, accountId }], options),
  )
  const stored = new Map(devices.map(device => [device.deviceId, device]))
  await deriveTogether(database, [...stored.keys()], deviceId => stored.get(deviceId))
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
