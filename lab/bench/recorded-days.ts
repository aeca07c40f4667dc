import { type EventTypeId, type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../src/model/sample.ts'
import type { StoredSample } from '../../src/store/index.ts'

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

const DAY_MS = 86_400_000

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
