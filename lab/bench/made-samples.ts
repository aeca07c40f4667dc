import {
  type EventTypeId,
  type EventTypeName,
  eventTypeById,
  requiredEventType,
} from '../../src/catalogue/event-types.ts'
import type { Database } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { DERIVATION_VERSION } from '../../src/derive/due.ts'
import { registerDevices } from '../../src/fleet/devices.ts'
import {
  type DeviceId,
  type EventValue,
  eventsOf,
  type Sample,
  SampleLayout,
  sampleOf,
} from '../../src/model/sample.ts'
import type { TimeRange } from '../../src/model/time-range.ts'
import { insertSamples, type StoredSample } from '../../src/store/index.ts'
import { kindNamed } from '../simulation/kinds-of-dongles.ts'
import { randomRecording } from '../simulation/random-recording.ts'
import { samplesOf } from '../simulation/recording.ts'
import { carIdentity } from '../ved/recording.ts'

/*
 * Samples of the shape of a week of real cars, generated, for benchmarks that must run anywhere. What was measured on
 * ved_load_fullweek.csv.gz (Vehicle Energy Dataset), as `tacho replay ved` sends it, and is imitated here:
 * 133 cars, 460 trips, 322,263 samples (2,423 a car, 700 a trip, from 101 to 3,657), 1,557,445 events = 4.83 a sample, of which
 * one POSITION (two numbers), hence 5.83 numbers a sample; a VIN in the first sample of a trip and no other text. 744 ms from
 * sample to sample of a trip on average, most often 100 ms. A sample repeats most values of the one before: see `VALUES`.
 */

const HIGH_VOLTAGE = ['HV_BATTERY_SOC', 'HV_BATTERY_VOLTAGE', 'HV_BATTERY_CHARGING_CURRENT'] as const

const [SPEED, RPM, AIR] = ['VEHICLE_SPEED_AVERAGE', 'ENGINE_RPM_AVERAGE', 'AMBIENT_AIR_TEMPERATURE'] as const
const KINDS: readonly { readonly share: number; readonly types: readonly EventTypeName[] }[] = [
  { share: 0.6, types: [SPEED, RPM, 'ENGINE_LOAD_AVERAGE', AIR] },
  { share: 0.215, types: [SPEED, RPM, 'ENGINE_LOAD_AVERAGE'] },
  { share: 0.087, types: [SPEED, RPM] },
  { share: 0.047, types: [SPEED, RPM, AIR, ...HIGH_VOLTAGE] },
  { share: 0.037, types: [SPEED, RPM, AIR, 'FUEL_RATE_AVERAGE', ...HIGH_VOLTAGE] },
  { share: 0.014, types: [SPEED, AIR, ...HIGH_VOLTAGE] },
]

/** In how many of 100 samples a value differs from the one before, its grain, its widest step, its range. */
interface Moves {
  readonly changePercent: number
  readonly grain: number
  readonly widestGrains: number
  readonly least: number
  readonly most: number
}

const VALUES: Readonly<Record<string, Moves>> = {
  VEHICLE_SPEED_AVERAGE: { changePercent: 38, grain: 1, widestGrains: 3, least: 0, most: 110 },
  ENGINE_RPM_AVERAGE: { changePercent: 26, grain: 1, widestGrains: 300, least: 0, most: 4000 },
  // A byte of the car, as most loads and states of charge are.
  ENGINE_LOAD_AVERAGE: { changePercent: 11, grain: 100 / 255, widestGrains: 60, least: 0, most: 160 },
  AMBIENT_AIR_TEMPERATURE: { changePercent: 0.6, grain: 0.5, widestGrains: 2, least: 2, most: 44 },
  FUEL_RATE_AVERAGE: { changePercent: 4, grain: 0.05, widestGrains: 100, least: 0, most: 23 },
  HV_BATTERY_SOC: { changePercent: 1, grain: 100 / 255, widestGrains: 1, least: 0, most: 100 },
  HV_BATTERY_VOLTAGE: { changePercent: 12, grain: 0.5, widestGrains: 4, least: 192.5, most: 395 },
  HV_BATTERY_CHARGING_CURRENT: { changePercent: 58, grain: 0.15, widestGrains: 150, least: -331, most: 167 },
}

const POSITION_CHANGE_PERCENT = 19
/** A thousandth of an arc second: about 3 cm, the grain of the recorded fixes. */
const POSITION_GRAIN_DEG = 1 / 3_600_000

/** Milliseconds to the next sample of a trip, and in how many of 1000 cases; the last row stands for all longer gaps. */
const GAPS_MS: readonly (readonly [gapMs: number, perMille: number])[] = [
  [100, 157],
  [200, 108],
  [300, 78],
  [400, 69],
  [500, 66],
  [600, 64],
  [700, 50],
  [800, 67],
  [900, 44],
  [1000, 91],
  [1100, 61],
  [1200, 19],
  [1300, 17],
  [1400, 16],
  [1500, 10],
  [1600, 10],
  [1800, 17],
  [2000, 37],
  [2400, 12],
  [10_000, 6],
]

const DAY_MS = 86_400_000

interface VedShape {
  readonly vehicles: number
  readonly samples: number
  readonly seed: number
  readonly startMs?: number
}

/** The next sample of each vehicle in turn. The same options give the same samples; 322,263 of 133 are a week. */
export function* generateVedShape({
  vehicles,
  samples,
  seed,
  startMs = Date.UTC(2024, 0, 1),
}: VedShape): Generator<Sample> {
  const cars = Array.from({ length: vehicles }, (_, i) =>
    samplesOfCar(i + 1, kindOf((i + 0.5) / vehicles), seed, startMs),
  )
  for (let i = 0; i < samples; i++) {
    const next = cars[i % vehicles]?.next()
    if (next && !next.done) yield next.value
  }
}

function kindOf(rank: number): readonly EventTypeName[] {
  let upTo = 0
  const kind = KINDS.find(({ share }) => rank < (upTo += share))
  return (kind ?? KINDS[0])?.types ?? []
}

function* samplesOfCar(
  carNumber: number,
  types: readonly EventTypeName[],
  seed: number,
  startMs: number,
): Generator<Sample, never> {
  const random = randomNumbers(seed * 1_000_003 + carNumber)
  const { deviceId, vin } = carIdentity(carNumber)
  const positionId = requiredEventType('POSITION').id
  const vinId = requiredEventType('VIN').id
  const measured = types.map(name => {
    const moves = VALUES[name]
    if (!moves) throw new Error(`no shape for ${name}`)
    return {
      id: requiredEventType(name).id,
      moves,
      value: snapped(moves, moves.least + random() * (moves.most - moves.least)),
    }
  })
  const place = { lon: -83.74 + (random() - 0.5) * 0.1, lat: 42.27 + (random() - 0.5) * 0.08 }
  let timeMs = startMs + Math.floor(random() * 0.5 * DAY_MS)
  for (;;) {
    const tripSamples = 100 - Math.floor(Math.log(1 - random()) * 600)
    for (let i = 0; i < tripSamples; i++) {
      const events = new Map<EventTypeId, EventValue>()
      if (random() * 100 < POSITION_CHANGE_PERCENT) {
        place.lon += (random() - 0.45) * 0.0008
        place.lat += (random() - 0.5) * 0.0006
      }
      events.set(positionId, { lon: recordedDegrees(place.lon), lat: recordedDegrees(place.lat) })
      for (const one of measured) {
        if (random() * 100 < one.moves.changePercent) one.value = moved(one.moves, one.value, random())
        events.set(one.id, one.value)
      }
      if (i === 0) events.set(vinId, vin)
      yield sampleOf(deviceId, timeMs, events)
      timeMs += gapMs(random())
    }
    timeMs += Math.floor((0.05 + random() * 1.9) * DAY_MS)
  }
}

function moved(moves: Moves, value: number, chance: number): number {
  const grains = Math.ceil(Math.abs(chance * 2 - 1) * moves.widestGrains)
  return snapped(moves, value + (chance < 0.5 ? -grains : grains) * moves.grain)
}

/** Recordings print ten significant digits of what a byte or a few bits told. */
function snapped({ grain, least, most }: Moves, value: number): number {
  const whole = Math.round(Math.min(most, Math.max(least, value)) / grain)
  return Number((whole * grain).toPrecision(12))
}

function recordedDegrees(degrees: number): number {
  return Number((Math.round(degrees / POSITION_GRAIN_DEG) * POSITION_GRAIN_DEG).toFixed(10))
}

const GAPS_PER_MILLE = GAPS_MS.reduce((sum, [, perMille]) => sum + perMille, 0)

function gapMs(chance: number): number {
  let left = chance * GAPS_PER_MILLE
  const gap = GAPS_MS.find(([, perMille]) => (left -= perMille) < 0)
  return gap?.[0] ?? 1000
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

export function ingestEventsOf(sample: Sample): object[] {
  const { deviceId } = sample
  const recordedTimestamp = new Date(sample.timeMs).toISOString()
  return [...eventsOf(sample)].map(([type, value]) => ({
    deviceId,
    recordedTimestamp,
    eventType: eventTypeById(type).name,
    value: typeof value === 'object' ? `POINT(${value.lon} ${value.lat})` : value,
  }))
}

export function ingestBodies(samples: Iterable<Sample>, eventsPerBody: number): { bodies: string[]; events: number } {
  const bodies: string[] = []
  let events = 0
  let body: object[] = []
  for (const sample of samples) {
    body.push(...ingestEventsOf(sample))
    events += sample.types.length
    if (body.length < eventsPerBody) continue
    bodies.push(JSON.stringify(body))
    body = []
  }
  if (body.length > 0) bodies.push(JSON.stringify(body))
  return { bodies, events }
}

export const SAMPLE_EVERY_MS = 10_000
export const DRIVE_SAMPLES = 180

const type = (name: EventTypeName) => requiredEventType(name).id
const IGNITION = type('IS_IGNITION_ON')
/** Speed, odometer and fixes say the same, as those of a car do: 125 m in ten seconds. */
const DRIVING: readonly (readonly [EventTypeId, (step: number) => EventValue])[] = [
  [type('VEHICLE_SPEED_AVERAGE'), step => 35.5 + (step % 20)],
  [type('ENGINE_RPM_AVERAGE'), step => 1500 + ((step * 37) % 900)],
  [type('MILEAGE'), step => 50_000 + step * 0.125],
  [type('POSITION'), step => ({ lon: 11.6 + Math.sin(step / 40) * 0.01, lat: 48.1 + step * 0.00111 })],
]

export function batchOf(
  firstDevice: number,
  { devices, samplesEach, startMs, batch }: Readonly<Record<'devices' | 'samplesEach' | 'startMs' | 'batch', number>>,
  apart = 1,
): Sample[] {
  return Array.from({ length: devices * samplesEach }, (_, index) => {
    const step = batch * samplesEach + (index % samplesEach)
    const deviceId = firstDevice + apart * Math.floor(index / samplesEach)
    const timeMs = startMs + step * SAMPLE_EVERY_MS
    const [rounds, ofRound] = [Math.floor(step / (2 * DRIVE_SAMPLES)), step % (2 * DRIVE_SAMPLES)]
    return ofRound < DRIVE_SAMPLES
      ? drivingSample(deviceId, timeMs, rounds * DRIVE_SAMPLES + ofRound)
      : standingSample(deviceId, timeMs)
  })
}

export function drivingSample(deviceId: number, timeMs: number, step: number): Sample {
  const values = DRIVING.map(([id, valueAt]) => [id, valueAt(step)] as const)
  return sampleOf(deviceId as DeviceId, timeMs, new Map<EventTypeId, EventValue>([[IGNITION, true], ...values]))
}

export function standingSample(deviceId: number, timeMs: number): Sample {
  return sampleOf(deviceId as DeviceId, timeMs, new Map([[IGNITION, false]]))
}

/** Some 170 samples of each drive of a simulated car, a record every five seconds. They hold no VIN, so several dongles can have them. */
export function simulatedDrives(fromMs: number, drives: number): readonly Sample[] {
  const recording = randomRecording({
    deviceId: 357302080000019 as DeviceId,
    kind: { ...kindNamed('everything').kind, readsVin: false, fixS: 5 },
    fromMs,
    drivesByCar: [drives],
    seed: 7,
  })
  // A gateway makes one list of types for all samples of a layout.
  return samplesOf(recording).map(sample => ({ ...sample, types: SampleLayout.of(sample.types).types }))
}

interface RegisteredDevices extends TimeRange {
  readonly accountId: number
  readonly firstDeviceId: number
  readonly count: number
  readonly apart?: number
}

export function registerWithReach(
  database: Database,
  { accountId, firstDeviceId, count, fromMs, toMs, apart = 1 }: RegisteredDevices,
): Promise<unknown> {
  const deviceIds = Array.from({ length: count }, (_, index) => (firstDeviceId + apart * index) as DeviceId)
  return writeTransaction(database, async transaction => {
    await registerDevices(
      await lockDevices(transaction, deviceIds),
      deviceIds.map(deviceId => ({ deviceId, accountId })),
    )
    await transaction.rows(sql`
      insert into device_states (device_id, first_time, last_time, last_received, folded_by)
      select device_id, epoch_ms(${fromMs}), epoch_ms(${toMs}), clock_timestamp(), ${DERIVATION_VERSION}::smallint
      from unnest(${deviceIds}::bigint[]) as u (device_id)`)
  })
}

/** Stores samples as rows, and derives nothing from them. There must be partitions for them. */
export async function insertRows(database: Database, samples: readonly Sample[]): Promise<void> {
  await writeTransaction(database, async transaction => {
    const locked = await lockDevices(transaction, new Set(samples.map(({ deviceId }) => deviceId)))
    await insertSamples(locked, samples, await transaction.takeRevisions(1))
  })
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
  /** The same while the car is parked. */
  readonly parkedPercent: number
}

function walkOf(
  eventType: EventTypeName,
  grain: number,
  [least, most]: readonly [number, number],
  [changePercent, widestGrains, parkedPercent = 0]: readonly [number, number, number?],
): Walk {
  return { type: eventType, grain, least, most, changePercent, widestGrains, parkedPercent }
}

const WALKS: readonly Walk[] = [
  walkOf('GPS_ALTITUDE', 1, [20, 900], [40, 2]),
  walkOf('GPS_COURSE', 1, [0, 359], [60, 12]),
  walkOf('GPS_SATELLITES_IN_USE', 1, [5, 19], [15, 1, 10]),
  walkOf('GPS_SPEED', 1, [0, 140], [75, 5]),
  walkOf('GPS_HDOP', 0.1, [0.5, 2.5], [12, 1, 8]),
  walkOf('BATTERY_VOLTAGE', 0.001, [11.8, 14.8], [80, 25, 30]),
  walkOf('OBD_DTC_COUNT', 1, [0, 0], [0, 1]),
  walkOf('ENGINE_LOAD_AVERAGE', 1, [0, 100], [85, 15]),
  walkOf('ENGINE_COOLANT_TEMPERATURE', 1, [20, 96], [6, 1]),
  walkOf('ENGINE_RPM_AVERAGE', 1, [700, 4200], [95, 200]),
  walkOf('VEHICLE_SPEED_AVERAGE', 1, [0, 140], [75, 5]),
  walkOf('THROTTLE_POSITION_AVERAGE', 1, [0, 100], [70, 10]),
  walkOf('FUEL_LEVEL_PERCENT', 1, [5, 100], [1, 1]),
  walkOf('AMBIENT_AIR_TEMPERATURE', 1, [-8, 32], [1, 1, 0.2]),
]

interface RecordedDay {
  readonly deviceId: DeviceId
  readonly dayMs: number
  readonly drivingMs: number
  readonly parkedMs: number
  readonly drives: readonly { readonly fromMs: number; readonly toMs: number }[]
  readonly packet: number
  readonly seed: number
}

const SWITCHES = ['IS_IGNITION_ON', 'IS_MOVING', 'IS_GPS_SWITCH_ON', 'IS_DONGLE_IN_STANDBY'] as const

/** The records of a day, with revisions as a live service gives them: packet by packet, some tenths of a second after the last record. */
export function recordedDay(day: RecordedDay): StoredSample[] {
  const { deviceId, dayMs, drivingMs, parkedMs, drives, packet, seed } = day
  const random = randomNumbers(seed)
  const walks = WALKS.map(walk => ({
    ...walk,
    id: type(walk.type),
    grains: Math.round((walk.least + random() * (walk.most - walk.least)) / walk.grain),
  }))
  const place = { lon: 115_000_000, lat: 481_000_000 }
  let [heading, odometerM] = [random() * 6.28, 48_211_000]
  const times: StoredSample[] = []
  for (let timeMs = dayMs; timeMs < dayMs + DAY_MS; ) {
    const isDriving = drives.some(drive => timeMs >= dayMs + drive.fromMs && timeMs < dayMs + drive.toMs)
    const events = new Map<EventTypeId, EventValue>()
    for (const walk of walks) {
      const changes = random() * 100 < (isDriving ? walk.changePercent : walk.parkedPercent)
      if (changes) walk.grains = walked(walk, random())
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
    events.set(type('POSITION'), { lon: place.lon / 1e7, lat: place.lat / 1e7 })
    events.set(type('MILEAGE'), odometerM / 1000)
    for (const [index, name] of SWITCHES.entries()) events.set(type(name), index === 2 || (index < 2 && isDriving))
    times.push({ ...sampleOf(deviceId, timeMs, events), storedUs: 0, layoutId: 1 })
    timeMs += isDriving ? drivingMs : parkedMs
  }
  return times.map((sample, index) => {
    const last = times[Math.min(times.length - 1, index - (index % packet) + packet - 1)]
    const delayUs = 200_000 + Math.floor(randomNumbers(seed + Math.floor(index / packet))() * 900_000)
    return { ...sample, storedUs: (last?.timeMs ?? sample.timeMs) * 1000 + delayUs }
  })
}

function walked(
  { grains, grain, least, most, widestGrains }: Walk & { readonly grains: number },
  chance: number,
): number {
  const steps = Math.ceil(Math.abs(chance * 2 - 1) * widestGrains)
  const next = grains + (chance < 0.5 ? -steps : steps)
  return Math.min(Math.round(most / grain), Math.max(Math.round(least / grain), next))
}

/** Without what only rows have. */
export function plain({ deviceId, timeMs, types, numbers, texts }: Sample): Sample {
  return { deviceId, timeMs, types, numbers, texts }
}

const RECORD: readonly (readonly [EventTypeId, valueAt: (step: number) => EventValue])[] = [
  [type('POSITION'), step => ({ lon: 11.5 + (step % 7919) / 1e5, lat: 48.1 + (step % 6311) / 1e5 })],
  [type('GPS_ALTITUDE'), step => 500 + (step % 40)],
  [type('GPS_COURSE'), step => step % 360],
  [type('GPS_SATELLITES_IN_USE'), step => 9 + (step % 6)],
  [type('GPS_SPEED'), step => 30 + (step % 90)],
  [type('GPS_HDOP'), step => (7 + (step % 6)) / 10],
  [type('IS_IGNITION_ON'), () => true],
  [type('IS_MOVING'), () => true],
  [type('IS_GPS_SWITCH_ON'), () => true],
  [type('IS_DONGLE_IN_STANDBY'), () => false],
  [type('MILEAGE'), step => 48_211 + step / 10],
  [type('BATTERY_VOLTAGE'), step => 13.9 + (step % 90) / 1000],
  [type('NETWORK_CELL_INFO'), step => `262;01;4711;${100 + Math.floor(step / 40)}`],
  [type('OBD_DTC_COUNT'), () => 0],
  [type('ENGINE_LOAD_AVERAGE'), step => step % 100],
  [type('ENGINE_COOLANT_TEMPERATURE'), step => 80 + (step % 12)],
  [type('ENGINE_RPM_AVERAGE'), step => 900 + (step % 2500)],
  [type('VEHICLE_SPEED_AVERAGE'), step => 30 + (step % 91)],
  [type('THROTTLE_POSITION_AVERAGE'), step => step % 90],
  [type('FUEL_LEVEL_PERCENT'), step => 100 - (step % 60)],
  [type('FUEL_RATE_AVERAGE'), step => (step % 1500) / 100],
  [type('AMBIENT_AIR_TEMPERATURE'), step => (step % 30) - 8],
]

export const VALUES_EACH = RECORD.length

export function dongleAt(index: number): DeviceId {
  return (356_307_042_441_000 + index) as DeviceId
}

export function fullRecord(deviceId: DeviceId, startMs: number, step: number): Sample {
  return sampleOf(deviceId, startMs + step * 1000, new Map(RECORD.map(([id, valueAt]) => [id, valueAt(step)])))
}
