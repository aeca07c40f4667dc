import { type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import type { Database } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards/locked-devices.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { encodedStep, fixedDegrees } from '../../src/derive/trips/derive/route.ts'
import { type DeviceId, type EventValue, type Position, type Sample, sampleOf } from '../../src/model/sample.ts'
import { insertSamples, Partitions } from '../../src/store/index.ts'
import { registerWithReach } from './registered-devices.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const STEP_MS = 15_000
/** Twenty minutes. */
const STEPS_OF_TRIP = 80
/** A drive every two hours: from the depot to three customers and back. */
const TRIPS_OF_DAY = 4
const STANDING_SAMPLE_MS = HOUR_MS / 2
const VEHICLES_AT_ONCE = 5
export const DEPOT: Position = { lon: 8.4, lat: 49 }
const CUSTOMERS = 200

/** Vehicles that leave one depot each morning, call at three customers, and stand at the depot at night. */
export interface VisitedFleet {
  readonly accountId: number
  readonly firstDeviceId: number
  readonly vehicles: number
  readonly startMs: number
  readonly days: number
}

export function customerAt(customer: number): Position {
  return { lon: DEPOT.lon + Math.sin(customer * 7.3) * 0.1, lat: DEPOT.lat + Math.cos(customer * 5.1) * 0.07 }
}

/** Trips with their routes as rows, and samples by COPY: deriving them would take minutes. @returns how many samples */
export async function fillVisitedFleet(database: Database, fleet: VisitedFleet): Promise<number> {
  const { accountId, firstDeviceId, vehicles: count, startMs: fromMs, days } = fleet
  await registerWithReach(database, { accountId, firstDeviceId, count, fromMs, toMs: fromMs + days * DAY_MS - 1 })
  const partitions = new Partitions(database)
  await partitions.ensure(Array.from({ length: fleet.days + 1 }, (_, day) => fleet.startMs + day * DAY_MS))
  let samples = 0
  for (let first = 0; first < fleet.vehicles; first += VEHICLES_AT_ONCE) {
    const driven = Array.from({ length: Math.min(VEHICLES_AT_ONCE, fleet.vehicles - first) }, (_, index) =>
      drivenBy(fleet, first + index),
    )
    for (const car of driven) samples += car.samples.length
    await store(database, fleet.accountId, driven)
  }
  await database.writers.query('vacuum analyze samples')
  await database.writers.query('vacuum analyze trips')
  await database.writers.query('checkpoint')
  return samples
}

interface DrivenTrip {
  readonly deviceId: DeviceId
  readonly startMs: number
  readonly polyline: string
}

interface DrivenCar {
  readonly samples: readonly Sample[]
  readonly trips: readonly DrivenTrip[]
}

function drivenBy({ firstDeviceId, startMs, days }: VisitedFleet, vehicle: number): DrivenCar {
  const deviceId = (firstDeviceId + vehicle) as DeviceId
  const samples: Sample[] = []
  const trips: DrivenTrip[] = []
  let timeMs = startMs
  let at = DEPOT
  const standUntil = (untilMs: number) => {
    for (; timeMs < untilMs; timeMs += STANDING_SAMPLE_MS) samples.push(standing(deviceId, timeMs, at))
  }
  for (let day = 0; day < days; day++) {
    for (let trip = 0; trip < TRIPS_OF_DAY; trip++) {
      const tripMs = startMs + day * DAY_MS + (7 + 2 * trip) * HOUR_MS + vehicle * 1000
      standUntil(tripMs)
      const to = trip === TRIPS_OF_DAY - 1 ? DEPOT : customerAt((vehicle * 31 + day * 17 + trip * 7) % CUSTOMERS)
      const way = wayBetween(at, to, vehicle + day)
      for (const [step, fix] of way.entries()) samples.push(driving(deviceId, tripMs + step * STEP_MS, fix, step))
      trips.push({ deviceId, startMs: tripMs, polyline: polylineOf(way) })
      timeMs = tripMs + STEPS_OF_TRIP * STEP_MS + STANDING_SAMPLE_MS
      at = to
    }
    standUntil(startMs + (day + 1) * DAY_MS)
  }
  return { samples, trips }
}

/** Not straight, as streets are not: each fix is a point of the route. */
function wayBetween(from: Position, to: Position, bend: number): Position[] {
  return Array.from({ length: STEPS_OF_TRIP + 1 }, (_, step) => {
    const share = step / STEPS_OF_TRIP
    const aside = Math.sin(share * Math.PI) * (0.01 * Math.sin(bend) + 0.002 * Math.sin(step))
    return {
      lon: from.lon + (to.lon - from.lon) * share + aside,
      lat: from.lat + (to.lat - from.lat) * share + aside,
    }
  })
}

function polylineOf(way: readonly Position[]): string {
  let [lat, lon] = [0, 0]
  let text = ''
  for (const point of way) {
    const [nextLat, nextLon] = [fixedDegrees(point.lat), fixedDegrees(point.lon)]
    text += encodedStep(nextLat - lat, nextLon - lon)
    ;[lat, lon] = [nextLat, nextLon]
  }
  return text
}

const type = (name: EventTypeName) => requiredEventType(name).id
const POSITION = type('POSITION')
const IGNITION = type('IS_IGNITION_ON')
const SPEED = type('VEHICLE_SPEED_AVERAGE')
const RPM = type('ENGINE_RPM_AVERAGE')
const MILEAGE = type('MILEAGE')
const BATTERY = type('BATTERY_VOLTAGE')

function driving(deviceId: DeviceId, timeMs: number, fix: Position, step: number): Sample {
  const values: [typeof POSITION, EventValue][] = [
    [POSITION, fix],
    [SPEED, 40 + (step % 20)],
    [RPM, 1500 + ((step * 37) % 900)],
    [MILEAGE, 50_000 + step * 0.125],
  ]
  return sampleOf(deviceId, timeMs, new Map(values))
}

function standing(deviceId: DeviceId, timeMs: number, fix: Position): Sample {
  const values: [typeof POSITION, EventValue][] = [
    [POSITION, fix],
    [IGNITION, false],
    [BATTERY, 12.6],
  ]
  return sampleOf(deviceId, timeMs, new Map(values))
}

function store(database: Database, accountId: number, cars: readonly DrivenCar[]): Promise<void> {
  const samples = cars.flatMap(car => car.samples)
  const trips = cars.flatMap(car => car.trips)
  return writeTransaction(database, async transaction => {
    const locked = await lockDevices(transaction, new Set(trips.map(({ deviceId }) => deviceId)))
    const revision = await transaction.takeRevisions(1)
    await insertSamples(locked, samples, revision)
    await transaction.rows(sql`
      insert into trips (device_id, account_id, vehicle_id, start_time, end_time, distance_m, duration_s, polyline, fix_count, modified)
      select t.device_id, ${accountId}, a.vehicle_id, epoch_ms(t.start_ms), epoch_ms(t.start_ms + ${STEPS_OF_TRIP * STEP_MS}), 10000,
        ${(STEPS_OF_TRIP * STEP_MS) / 1000}, t.polyline, ${STEPS_OF_TRIP + 1}, ${revision}
      from unnest(${trips.map(trip => trip.deviceId)}::bigint[], ${trips.map(trip => trip.startMs)}::bigint[],
        ${trips.map(trip => trip.polyline)}::text[]) as t (device_id, start_ms, polyline)
      join assignments a on a.device_id = t.device_id`)
  })
}
