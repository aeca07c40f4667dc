import { setTimeout as sleep } from 'node:timers/promises'
import { moved } from '../../lab/simulation/ground.ts'
import { imeiOf } from '../../lab/simulation/imei.ts'
import type { EventValue, Position } from '../../src/model/sample.ts'
import { ingestClient, type SentEvent } from '../ingest-client.ts'
import type { TestService } from '../service.ts'
import { settled } from '../settled.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** East of Greenwich. */
const ZONE_HOURS = 12 - new Date().getUTCHours()

/**
 * Where the people of the tests are: where the tests begin at noon, so that yesterday is the same day to the last of them, and is over
 * for as long every time. East is negative in these names.
 */
export const TIME_ZONE = `Etc/GMT${ZONE_HOURS > 0 ? '-' : '+'}${Math.abs(ZONE_HOURS)}`

/** What their clocks show, as if it were UTC. */
const shownMs = (timeMs: number) => timeMs + ZONE_HOURS * HOUR_MS

/** An instant as their addresses have it, `YYYY-MM-DDTHH:mm`. */
export const minuteOf = (timeMs: number) => new Date(shownMs(timeMs)).toISOString().slice(0, 16)

/** A car of the tests, as it is registered. */
interface MadeCar {
  readonly deviceId: number
  readonly vin: string
  readonly licensePlate: string
  readonly make: string
  readonly model: string
  readonly home: Position
  /** What its odometer showed at first. */
  readonly firstKm: number
}

export const madeCar = (serial: number, car: Omit<MadeCar, 'deviceId' | 'vin'>): MadeCar => ({
  deviceId: imeiOf('35630704', serial),
  vin: `WVWZZZ1KZAW${String(serial).padStart(6, '0')}`,
  ...car,
})

/** Drove twice yesterday; the second time, its engine began to misfire. */
export const AILING = madeCar(101, {
  licensePlate: 'M-TC 101',
  make: 'Volkswagen',
  model: 'Golf',
  home: { lon: 11.575, lat: 48.137 },
  firstKm: 48_200,
})

/** Drove once yesterday. */
export const SOUND = madeCar(202, {
  licensePlate: 'HH-TC 202',
  make: 'Opel',
  model: 'Corsa',
  home: { lon: 9.99, lat: 53.55 },
  firstKm: 12_345,
})

/** Has only stood so far; tests drive it. */
export const RESTING = madeCar(303, {
  licensePlate: 'B-TC 303',
  make: 'Škoda',
  model: 'Octavia',
  home: { lon: 13.4, lat: 52.52 },
  firstKm: 77_000,
})

/** The fault of `AILING` (ISO 15031-6). */
const FAULT_CODE = 'P0301'

/** A drive of ten minutes: half of it at 36 km/h, half at 72 km/h, so 9 km. */
export const DRIVE = { lengthS: 600, slowKmh: 36, fastKmh: 72, distanceKm: 9 } as const
const STEP_S = 10

/** When the drives began. */
export interface Beginnings {
  readonly ailingMs: readonly [first: number, second: number]
  readonly soundMs: number
}

/** Morning, noon and afternoon of yesterday by `TIME_ZONE`. */
function beginnings(nowMs = Date.now()): Beginnings {
  const yesterdayMs = nowMs - (shownMs(nowMs) % DAY_MS) - DAY_MS
  const at = (hour: number) => yesterdayMs + hour * HOUR_MS
  return { ailingMs: [at(7), at(16)], soundMs: at(12) }
}

/** What a dongle tells in a drive; `more` goes with its middle. */
export function driveEvents(
  { deviceId, home, firstKm }: Pick<MadeCar, 'deviceId' | 'home' | 'firstKm'>,
  beginMs: number,
  more: Readonly<Record<string, EventValue>> = {},
  drivenKm = 0,
  lengthS: number = DRIVE.lengthS,
): SentEvent[] {
  const events: SentEvent[] = []
  let place = home
  let km = firstKm + drivenKm
  for (let second = 0; second <= lengthS; second += STEP_S) {
    const isFast = second >= lengthS / 2
    const speedKmh = isFast ? DRIVE.fastKmh : DRIVE.slowKmh
    const courseDeg = 90 + 60 * Math.sin(second / 80)
    const isLast = second === lengthS
    const values = {
      IS_IGNITION_ON: !isLast,
      POSITION: pointOf(place),
      GPS_SPEED: isLast ? 0 : speedKmh,
      GPS_COURSE: Math.round(courseDeg),
      MILEAGE: Number(km.toFixed(1)),
      BATTERY_VOLTAGE: 14.2,
      ENGINE_COOLANT_TEMPERATURE: 90,
      ...(second === lengthS / 2 ? more : {}),
    }
    events.push(...eventsAt(deviceId, beginMs + second * 1000, values))
    const metres = (speedKmh / 3.6) * STEP_S
    const radians = (courseDeg * Math.PI) / 180
    place = moved(place, { eastM: metres * Math.sin(radians), northM: metres * Math.cos(radians) })
    km += metres / 1000
  }
  return events
}

export function eventsAt(
  deviceId: number,
  timeMs: number,
  values: Readonly<Record<string, EventValue>>,
): readonly SentEvent[] {
  const recordedTimestamp = new Date(timeMs).toISOString()
  return Object.entries(values).map(([eventType, value]) => ({ deviceId, recordedTimestamp, eventType, value }))
}

/** Before what tests tell of now. */
const SIGN_OF_LIFE_MS = 3 * MINUTE_MS

/** Registers the three cars and lets them tell of yesterday; everything that follows from it is there afterwards. */
export async function makeFleet(service: TestService, key: string): Promise<Beginnings> {
  const began = beginnings()
  const { ailingMs, soundMs } = began
  for (const { home: _home, firstKm: _firstKm, ...car } of [AILING, SOUND, RESTING]) await register(service, key, car)
  const dongles = ingestClient(service.url, key)
  await dongles.store(driveEvents(AILING, ailingMs[0]))
  const fault = {
    OBD_DTC_PERMANENT: FAULT_CODE,
    OBD_DTC_COUNT: 1,
    IS_MIL_ON: true,
    HARSH_BRAKING: 4.5,
    IS_DONGLE_PLUGGED_IN: true,
    FIRMWARE_VERSION: '03.28.07',
  }
  await dongles.store(driveEvents(AILING, ailingMs[1], fault, DRIVE.distanceKm))
  await dongles.store(driveEvents(SOUND, soundMs, { FUEL_LEVEL: 61 }))
  await dongles.store(eventsAt(RESTING.deviceId, soundMs, { POSITION: pointOf(RESTING.home) }))
  // Their memory is uploaded: what they do now is told by what they measured now.
  const nowMs = Date.now() - SIGN_OF_LIFE_MS
  const drivenKm = [[AILING, 2 * DRIVE.distanceKm] as const, [SOUND, DRIVE.distanceKm] as const, [RESTING, 0] as const]
  for (const [{ deviceId, firstKm }, km] of drivenKm)
    await dongles.store(eventsAt(deviceId, nowMs, { MILEAGE: firstKm + km }))
  await settled(service.database)
  return began
}

/** A dongle that was out of reach for three hours begins to upload: the car drove then. */
export async function uploadsLate(service: TestService, key: string): Promise<void> {
  const car = { deviceId: imeiOf('35630704', 404), home: { lon: 7.1, lat: 50.73 }, firstKm: 5000 }
  const events = driveEvents(car, Date.now() - 3 * HOUR_MS - (DRIVE.lengthS / 2) * 1000)
  const half = events.slice(0, events.length / 2)
  await ingestClient(service.url, key).store(half)
  await settled(service.database)
}

async function register(service: TestService, key: string, car: object): Promise<void> {
  const reply = await fetch(`${service.url}/admin/devices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(car),
  })
  if (reply.status !== 201) throw new Error(`${reply.status} ${await reply.text()}`)
}

/** A car that a test drives. What it tells is stored when a promise is kept. */
interface Driver {
  /** It has been driving for a minute already, so nobody doubts that it is a trip. */
  begin(): Promise<void>
  /** Drives that far east and tells it. @returns when the service had committed it, in milliseconds since 1970 */
  step(eastM: number, speedKmh: number): Promise<number>
}

export function driverOf({ deviceId, home }: MadeCar, service: TestService, key: string): Driver {
  const dongle = ingestClient(service.url, key)
  let place = home
  let toldMs = 0
  const tell = async (timeMs: number, eastM: number, speedKmh: number) => {
    place = moved(place, { eastM, northM: 0 })
    const values = { IS_IGNITION_ON: true, POSITION: pointOf(place), GPS_SPEED: speedKmh, GPS_COURSE: 90 }
    await dongle.store(eventsAt(deviceId, timeMs, values))
  }
  return {
    async begin() {
      const nowMs = Date.now()
      for (let second = -60; second <= 0; second += STEP_S) await tell(nowMs + second * 1000, 50, 18)
      toldMs = nowMs
    },
    async step(eastM, speedKmh) {
      // Samples of one instant are one sample.
      while (Date.now() <= toldMs) await sleep(1)
      toldMs = Date.now()
      await tell(toldMs, eastM, speedKmh)
      return Date.now()
    },
  }
}

function pointOf({ lon, lat }: Position): string {
  return `POINT(${lon.toFixed(6)} ${lat.toFixed(6)})`
}
