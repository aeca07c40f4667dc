import { ensureFirstAccount } from '../../src/access/accounts.ts'
import { type EventTypeId, type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import type { Database } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../src/model/sample.ts'
import {
  insertSamples,
  Partitions,
  type StoredSample,
  samplesOfBody,
  sealDay,
  sealedBodyOf,
} from '../../src/store/index.ts'
import { storeAndDerive } from './derivation.ts'
import { generateVedShape, registerWithReach } from './made-samples.ts'
import { type BenchResult } from './result.ts'
import { processCost, withDatabase } from './running-service.ts'

const CARS = 20
const DAYS = 4
const START_MS = Date.UTC(2022, 0, 3)
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DRIVES = [7, 16].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.46) * HOUR_MS }))
/** What comes together in a transaction while a fleet drives. */
const BATCH_MS = 60_000
const DEVICES = Array.from({ length: CARS }, (_, car) => (356_307_042_990_000 + car * 10) as DeviceId)

/** What sealing costs on a processor, rollups included, against storing and deriving the same samples live. All processes together. */
export async function benchSealingCost(): Promise<BenchResult[]> {
  return withDatabase(async database => {
    const batches = driveByBatch()
    const samples = batches.reduce((sum, batch) => sum + batch.length, 0)
    // Until the code is compiled.
    const warm = Math.floor(batches.length / DAYS)
    await ingest(database, batches.slice(0, warm))
    const live = await microsecondsASample(() => ingest(database, batches.slice(warm)))
    await seal(database, 0)
    const sealing = await microsecondsASample(async () => {
      let sealed = 0
      for (let day = 1; day < DAYS; day++) sealed += await seal(database, day)
      return sealed
    })
    return [
      {
        name: 'Sealing, against storing and deriving live',
        measured: `${sealing.toFixed(0)} µs of CPU a sample of 20 values`,
        against: `${live.toFixed(0)} µs, ${samples} samples of ${CARS} cars`,
        ratio: sealing / live,
        target: { atMost: 1 },
      },
    ]
  })
}

/** Samples of all cars in the order of time, as many as come in a minute. */
function driveByBatch(): Sample[][] {
  const batches = new Map<number, Sample[]>()
  for (const [car, deviceId] of DEVICES.entries())
    for (let day = 0; day < DAYS; day++) {
      const dayMs = START_MS + day * DAY_MS
      const samples = recordedDay({
        deviceId,
        dayMs,
        drivingMs: 5000,
        parkedMs: 600_000,
        drives: DRIVES,
        packet: 1,
        seed: day * CARS + car,
      })
      for (const sample of samples.map(plain)) {
        const key = Math.floor(sample.timeMs / BATCH_MS)
        batches.set(key, [...(batches.get(key) ?? []), sample])
      }
    }
  return [...batches].sort(([a], [b]) => a - b).map(([, batch]) => batch)
}

async function ingest(database: Database, batches: readonly (readonly Sample[])[]): Promise<number> {
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  await new Partitions(database).ensure(batches.flat().map(({ timeMs }) => timeMs))
  for (const samples of batches) await storeAndDerive({ database, accountId }, samples)
  return batches.reduce((sum, batch) => sum + batch.length, 0)
}

/** @returns how many samples */
async function seal(database: Database, day: number): Promise<number> {
  let samples = 0
  const fromMs = START_MS + day * DAY_MS
  for (const deviceId of DEVICES) {
    const done = await sealDay(database, deviceId, { fromMs, toMs: fromMs + DAY_MS })
    if (typeof done !== 'object') throw new Error(`a day that was not sealed: ${done}`)
    samples += done.samples.length
  }
  return samples
}

async function microsecondsASample(work: () => Promise<number>): Promise<number> {
  const before = await processCost(process.pid)
  const samples = await work()
  return ((await processCost(process.pid)).cpuSeconds - before.cpuSeconds) * (1e6 / samples)
}

const MONDAY_MS = Date.UTC(2026, 0, 12)

/** Bytes a value takes in sealed days of three kinds of recordings, without row and index. */
export async function benchSealedBodies(): Promise<BenchResult[]> {
  return [
    await measured('like recordings of real cars', vedShapedDays(), 2),
    await measured(
      'records of 20 values, 5 s on a drive',
      Array.from({ length: 10 }, (_, index) =>
        recordedDay({
          deviceId: (index + 1) as DeviceId,
          dayMs: MONDAY_MS,
          drivingMs: 5000,
          parkedMs: 600_000,
          drives: [{ fromMs: 6 * HOUR_MS, toMs: 14 * HOUR_MS }],
          packet: 1,
          seed: index,
        }),
      ),
      1.5,
    ),
    await measured(
      '20 values each second, parked and driven',
      Array.from({ length: 5 }, (_, index) =>
        recordedDay({
          deviceId: 1 as DeviceId,
          dayMs: MONDAY_MS + index * DAY_MS,
          drivingMs: 1000,
          parkedMs: 1000,
          drives: [7, 12, 17].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.8) * HOUR_MS })),
          packet: 10,
          seed: index,
        }),
      ),
      1,
    ),
  ]
}

function vedShapedDays(): StoredSample[][] {
  const days = new Map<string, StoredSample[]>()
  for (const sample of generateVedShape({ vehicles: 133, samples: 322_263, seed: 1 })) {
    const key = `${sample.deviceId} ${Math.floor(sample.timeMs / DAY_MS)}`
    const day = days.get(key) ?? []
    days.set(key, day)
    // A replay stores a thousand samples at a time.
    const storedUs = (MONDAY_MS + Math.floor(day.length / 8) * 14) * 1000
    day.push({ ...sample, storedUs, layoutId: sample.types.length })
  }
  return [...days.values()]
}

async function measured(name: string, days: readonly (readonly StoredSample[])[], limit: number): Promise<BenchResult> {
  const startedMs = performance.now()
  const bodies: Buffer[] = []
  for (const day of days) bodies.push(await sealedBodyOf(day))
  const encodedMs = performance.now()
  let samples = 0
  for (const [index, body] of bodies.entries())
    samples += samplesOfBody(days[index]?.[0]?.deviceId ?? (1 as DeviceId), body).length
  const decodedMs = performance.now()
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0)
  const values = days.flat().reduce((sum, { types }) => sum + types.length, 0)
  const [encodeUs, decodeUs] = [encodedMs - startedMs, decodedMs - encodedMs].map(ms => (ms * 1000) / samples)
  return {
    name: `Sealed, ${name}`,
    measured: `${(bytes / values).toFixed(2)} B a value, ${values} values of ${samples} samples; ${encodeUs?.toFixed(1)} µs to encode a sample, ${decodeUs?.toFixed(1)} to decode`,
    against: `${limit} B a value`,
    ratio: bytes / values / limit,
    target: { atMost: 1 },
  }
}

const SAMPLES_AT_ONCE = 20_000

interface Recordings {
  readonly name: string
  readonly samples: readonly Sample[]
  readonly hotLimit: number
  readonly sealedLimit: number
}

/** Bytes that a value takes on disk as a row and sealed, tables and indexes, for three kinds of recordings. */
export async function benchStoredBytes(): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const make of [vedShaped, teltonikaLike, eachSecond])
    results.push(...(await withDatabase(database => measuredStoredBytes(database, make()))))
  return results
}

function vedShaped(): Recordings {
  const samples = [...generateVedShape({ vehicles: 133, samples: 322_263, seed: 1 })]
  return { name: 'VED-like', samples, hotLimit: 31, sealedLimit: 2 }
}

function teltonikaLike(): Recordings {
  const samples = Array.from({ length: 20 }, (_, car) =>
    recordedDay({
      deviceId: (356_307_042_700_000 + car) as DeviceId,
      dayMs: MONDAY_MS,
      drivingMs: 5000,
      parkedMs: 600_000,
      drives: [{ fromMs: 6 * HOUR_MS, toMs: 14 * HOUR_MS }],
      packet: 1,
      seed: car,
    }).map(plain),
  ).flat()
  return { name: 'records of 20 values', samples, hotLimit: 20, sealedLimit: 1.5 }
}

function eachSecond(): Recordings {
  const samples = [0, 1].flatMap(day =>
    recordedDay({
      deviceId: 356_307_042_700_100 as DeviceId,
      dayMs: MONDAY_MS + day * DAY_MS,
      drivingMs: 1000,
      parkedMs: 1000,
      drives: [7, 12, 17].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.8) * HOUR_MS })),
      packet: 10,
      seed: day,
    }).map(plain),
  )
  return { name: '20 values each second', samples, hotLimit: 20, sealedLimit: 1 }
}

async function measuredStoredBytes(
  database: Database,
  { name, samples, hotLimit, sealedLimit }: Recordings,
): Promise<BenchResult[]> {
  await store(database, samples)
  const values = samples.reduce((sum, { types }) => sum + types.length, 0)
  const hot =
    (await bytesOf(database, sql`(select inhrelid from pg_inherits where inhparent = 'samples'::regclass)`)) / values
  const empty = await bytesOf(database, sql`('sealed_days'::regclass)`)
  const days = new Set(samples.map(({ deviceId, timeMs }) => `${deviceId} ${Math.floor(timeMs / DAY_MS)}`))
  const startedMs = performance.now()
  for (const text of days) {
    const [deviceId = 0, day = 0] = text.split(' ').map(Number)
    const range = { fromMs: day * DAY_MS, toMs: (day + 1) * DAY_MS }
    const sealed = await sealDay(database, deviceId as DeviceId, range)
    if (typeof sealed !== 'object') throw new Error(`a day that was not sealed: ${sealed}`)
  }
  const sealUs = ((performance.now() - startedMs) * 1000) / samples.length
  await database.writers.query('vacuum sealed_days')
  const sealed = ((await bytesOf(database, sql`('sealed_days'::regclass)`)) - empty) / values
  const figures = { hotBytesAValue: hot, sealedBytesAValue: sealed, valuesEach: values / samples.length, sealUs }
  const result = (what: string, bytes: number, limit: number): BenchResult => ({
    name: `Bytes a value ${what}, ${name}`,
    measured: `${bytes.toFixed(2)} B, ${values} values of ${samples.length} samples, tables and indexes`,
    against: `${limit} B`,
    ratio: bytes / limit,
    target: { atMost: 1 },
    figures,
  })
  return [result('as rows', hot, hotLimit), result('sealed', sealed, sealedLimit)]
}

async function store(database: Database, samples: readonly Sample[]): Promise<void> {
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  const times = samples.map(({ timeMs }) => timeMs)
  const range = {
    fromMs: times.reduce((least, timeMs) => Math.min(least, timeMs)),
    // As if all of it were derived already.
    toMs: times.reduce((most, timeMs) => Math.max(most, timeMs)) + DAY_MS,
  }
  for (const deviceId of new Set(samples.map(each => each.deviceId)))
    await registerWithReach(database, { accountId, firstDeviceId: deviceId, count: 1, ...range })
  await new Partitions(database).ensure(times)
  for (let first = 0; first < samples.length; first += SAMPLES_AT_ONCE)
    await writeTransaction(database, async transaction => {
      const some = samples.slice(first, first + SAMPLES_AT_ONCE)
      const locked = await lockDevices(transaction, new Set(some.map(({ deviceId }) => deviceId)))
      await insertSamples(locked, some, await transaction.takeRevisions(1))
    })
}

async function bytesOf(database: Database, tables: ReturnType<typeof sql>): Promise<number> {
  const [row] = await database.rows<{ bytes: number }>(
    sql`select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where oid in ${tables}`,
  )
  return row?.bytes ?? 0
}

/*
 * Days as dongles record them, made up, with the noise that sensors have: for sizes of what is stored. A value moves by a random walk of
 * its grain in a share of the records; positions follow the speed in ten millionths of a degree, as Teltonika sends them.
 */

interface Walk {
  readonly type: EventTypeName
  readonly grain: number
  readonly least: number
  readonly most: number
  /** In how many of 100 records it changes while driving, and by how many grains at most. */
  readonly changePercent: number
  readonly widestGrains: number
  /** What it does while the car is parked; without it, it keeps its value. */
  readonly parkedPercent?: number
}

const WALKS: readonly Walk[] = [
  { type: 'GPS_ALTITUDE', grain: 1, least: 20, most: 900, changePercent: 40, widestGrains: 2 },
  { type: 'GPS_COURSE', grain: 1, least: 0, most: 359, changePercent: 60, widestGrains: 12 },
  {
    type: 'GPS_SATELLITES_IN_USE',
    grain: 1,
    least: 5,
    most: 19,
    changePercent: 15,
    widestGrains: 1,
    parkedPercent: 10,
  },
  { type: 'GPS_SPEED', grain: 1, least: 0, most: 140, changePercent: 75, widestGrains: 5 },
  { type: 'GPS_HDOP', grain: 0.1, least: 0.5, most: 2.5, changePercent: 12, widestGrains: 1, parkedPercent: 8 },
  {
    type: 'BATTERY_VOLTAGE',
    grain: 0.001,
    least: 11.8,
    most: 14.8,
    changePercent: 80,
    widestGrains: 25,
    parkedPercent: 30,
  },
  { type: 'OBD_DTC_COUNT', grain: 1, least: 0, most: 0, changePercent: 0, widestGrains: 1 },
  { type: 'ENGINE_LOAD_AVERAGE', grain: 1, least: 0, most: 100, changePercent: 85, widestGrains: 15 },
  { type: 'ENGINE_COOLANT_TEMPERATURE', grain: 1, least: 20, most: 96, changePercent: 6, widestGrains: 1 },
  { type: 'ENGINE_RPM_AVERAGE', grain: 1, least: 700, most: 4200, changePercent: 95, widestGrains: 200 },
  { type: 'VEHICLE_SPEED_AVERAGE', grain: 1, least: 0, most: 140, changePercent: 75, widestGrains: 5 },
  { type: 'THROTTLE_POSITION_AVERAGE', grain: 1, least: 0, most: 100, changePercent: 70, widestGrains: 10 },
  { type: 'FUEL_LEVEL_PERCENT', grain: 1, least: 5, most: 100, changePercent: 1, widestGrains: 1 },
  {
    type: 'AMBIENT_AIR_TEMPERATURE',
    grain: 1,
    least: -8,
    most: 32,
    changePercent: 1,
    widestGrains: 1,
    parkedPercent: 0.2,
  },
]

interface RecordedDay {
  readonly deviceId: DeviceId
  readonly dayMs: number
  /** Between two records while driving, and while parked. */
  readonly drivingMs: number
  readonly parkedMs: number
  /** Times of the day at which it drives. */
  readonly drives: readonly { readonly fromMs: number; readonly toMs: number }[]
  /** Records that a packet holds, which are stored together. */
  readonly packet: number
  readonly types?: readonly EventTypeName[]
  readonly seed: number
}

const SWITCHES = ['IS_IGNITION_ON', 'IS_MOVING', 'IS_GPS_SWITCH_ON', 'IS_DONGLE_IN_STANDBY'] as const

/** The records of a day, with revisions as a live service gives them: packet by packet, some tenths of a second after the last record. */
export function recordedDay({
  deviceId,
  dayMs,
  drivingMs,
  parkedMs,
  drives,
  packet,
  types,
  seed,
}: RecordedDay): StoredSample[] {
  const random = randomNumbers(seed)
  const walks = WALKS.filter(({ type }) => !types || types.includes(type)).map(walk => ({
    ...walk,
    id: requiredEventType(walk.type).id,
    grains: Math.round((walk.least + random() * (walk.most - walk.least)) / walk.grain),
  }))
  const has = (type: EventTypeName) => !types || types.includes(type)
  const place = { lon: 115_000_000, lat: 481_000_000 }
  let [heading, odometerM] = [random() * 6.28, 48_211_000]
  const times: StoredSample[] = []
  for (let timeMs = dayMs; timeMs < dayMs + DAY_MS; ) {
    const isDriving = drives.some(drive => timeMs >= dayMs + drive.fromMs && timeMs < dayMs + drive.toMs)
    const events = new Map<EventTypeId, EventValue>()
    for (const walk of walks) {
      const changes = random() * 100 < (isDriving ? walk.changePercent : (walk.parkedPercent ?? 0))
      if (changes) walk.grains = moved(walk, random())
      const isStill = !isDriving && /SPEED|RPM|LOAD|THROTTLE/.test(walk.type)
      events.set(walk.id, isStill ? 0 : Number((walk.grains * walk.grain).toPrecision(12)))
    }
    if (isDriving) {
      const metres = (drivingMs / 1000) * 14 * (0.5 + random())
      heading += (random() - 0.5) * 0.3
      place.lon += Math.round(metres * 134 * Math.cos(heading) + (random() - 0.5) * 40)
      place.lat += Math.round(metres * 90 * Math.sin(heading) + (random() - 0.5) * 40)
      odometerM += Math.round(metres)
    }
    if (has('POSITION')) events.set(requiredEventType('POSITION').id, { lon: place.lon / 1e7, lat: place.lat / 1e7 })
    if (has('MILEAGE')) events.set(requiredEventType('MILEAGE').id, odometerM / 1000)
    for (const [index, type] of SWITCHES.entries())
      if (has(type)) events.set(requiredEventType(type).id, index === 2 || (index < 2 && isDriving))
    times.push({ ...sampleOf(deviceId, timeMs, events), storedUs: 0, layoutId: 1 })
    timeMs += isDriving ? drivingMs : parkedMs
  }
  return times.map((sample, index) => {
    const last = times[Math.min(times.length - 1, index - (index % packet) + packet - 1)]
    const delayUs = 200_000 + Math.floor(randomNumbers(seed + Math.floor(index / packet))() * 900_000)
    return { ...sample, storedUs: (last?.timeMs ?? sample.timeMs) * 1000 + delayUs }
  })
}

function moved(
  { grains, grain, least, most, widestGrains }: Walk & { readonly grains: number },
  chance: number,
): number {
  const steps = Math.ceil(Math.abs(chance * 2 - 1) * widestGrains)
  const next = grains + (chance < 0.5 ? -steps : steps)
  return Math.min(Math.round(most / grain), Math.max(Math.round(least / grain), next))
}

/** Uniform numbers from 0 up to 1 (Mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Without what only rows have. */
export function plain({ deviceId, timeMs, types, numbers, texts }: Sample): Sample {
  return { deviceId, timeMs, types, numbers, texts }
}
