import { type EventTypeId, type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import type { Database } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { encodedStep, fixedDegrees } from '../../src/derive/trips/route.ts'
import { inLanes } from '../../src/lib/in-lanes.ts'
import { type DeviceId, type EventValue, type Position, type Sample, sampleOf } from '../../src/model/sample.ts'
import { insertSamples, Partitions, sealDay } from '../../src/store/index.ts'
import { registerWithReach } from './made-samples.ts'
import { type BenchResult, elapsedInTurn, limited, median } from './result.ts'
import { accountWithKey, type RunningService } from './running-service.ts'

const VEHICLES = 100
const DAYS = 90
const DAY_MS = 86_400_000
const RUNS = 5
const RADIUS_M = 150
const CUSTOMER = 3
const TARGET_MS = 2000

/** The visits of a place by 100 cars in 90 days: a customer, and the depot where half of all trips begin or end. */
export async function benchVisits({ url, database }: RunningService): Promise<BenchResult[]> {
  const { accountId, key } = await accountWithKey(database, 'Visits')
  const startMs = firstDayMs()
  const samples = await fillVisitedFleet(database, { accountId, startMs, firstDeviceId: 7_000_000_001 })
  const period = periodOf(startMs)
  const client = { url: `${url}/cc/v2.0`, key }
  const askDrawing = (at: Position) => () => ask(client, '/visits', { ...drawingAt(at), ...period })
  const customer = customerAt(CUSTOMER)
  const { id } = await ask(client, '/areas', { name: 'Customer', ...drawingAt(customer) })
  const results: BenchResult[] = []
  for (const [name, question] of [
    ['POST /visits, a customer', askDrawing(customer)],
    [
      'GET /areas/{id}/visits, a customer',
      () => ask(client, `/areas/${id}/visits?${new URLSearchParams(period).toString()}`),
    ],
    ['POST /visits, the depot of all cars', askDrawing(DEPOT)],
  ] as const) {
    let visits = 0
    const [ms] = await elapsedInTurn({ warmUp: 0, runs: RUNS }, [
      async () => (visits = (await question()).visits?.length ?? 0),
    ] as const)
    const measured = `${median(ms).toFixed(0)} ms (first ${ms[0]?.toFixed(0)} ms) for ${visits} visits`
    results.push(
      limited(`${name}, ${fleetText(samples)}`, median(ms), TARGET_MS, { measured, against: `${TARGET_MS} ms` }),
    )
  }
  return results
}

const fleetText = (samples: number) => `${VEHICLES} cars, ${DAYS} days, ${(samples / 1e6).toFixed(1)} million samples`

function firstDayMs(): number {
  return Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS
}

function periodOf(startMs: number) {
  return {
    fromTimestamp: new Date(startMs).toISOString(),
    toTimestamp: new Date(startMs + DAYS * DAY_MS).toISOString(),
  }
}

function drawingAt({ lon, lat }: Position) {
  return { geometry: { type: 'Point', coordinates: [lon, lat] }, radiusM: RADIUS_M }
}

interface Client {
  readonly url: string
  readonly key: string
}

interface Answer {
  readonly id?: string
  readonly visits?: readonly unknown[]
}

async function ask(client: Client, path: string, body?: object): Promise<Answer> {
  return JSON.parse(await askText(client, path, body)) as Answer
}

async function askText({ url, key }: Client, path: string, body?: object): Promise<string> {
  const reply = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`)
  return text
}

const HOUR_MS = 3_600_000
const STEP_MS = 15_000
const STEPS_OF_TRIP = 80
/** A drive every two hours: from the depot to three customers and back. */
const TRIPS_OF_DAY = 4
const STANDING_SAMPLE_MS = HOUR_MS / 2
const VEHICLES_AT_ONCE = 5
const DEPOT: Position = { lon: 8.4, lat: 49 }
const CUSTOMERS = 200

/** Vehicles that leave one depot each morning, call at three customers, and stand at the depot at night. */
interface VisitedFleet {
  readonly accountId: number
  readonly firstDeviceId: number
  readonly startMs: number
}

function customerAt(customer: number): Position {
  return { lon: DEPOT.lon + Math.sin(customer * 7.3) * 0.1, lat: DEPOT.lat + Math.cos(customer * 5.1) * 0.07 }
}

/** Trips with their routes as rows, and samples by COPY: deriving them would take minutes. @returns how many samples */
async function fillVisitedFleet(database: Database, fleet: VisitedFleet): Promise<number> {
  const { accountId, firstDeviceId, startMs: fromMs } = fleet
  await registerWithReach(database, {
    accountId,
    firstDeviceId,
    count: VEHICLES,
    fromMs,
    toMs: fromMs + DAYS * DAY_MS - 1,
  })
  await new Partitions(database).ensure(Array.from({ length: DAYS + 1 }, (_, day) => fromMs + day * DAY_MS))
  let samples = 0
  for (let first = 0; first < VEHICLES; first += VEHICLES_AT_ONCE) {
    const driven = Array.from({ length: VEHICLES_AT_ONCE }, (_, index) => drivenBy(fleet, first + index))
    for (const car of driven) samples += car.samples.length
    await store(database, accountId, driven)
  }
  for (const statement of ['vacuum analyze samples', 'vacuum analyze trips', 'checkpoint'])
    await database.writers.query(statement)
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

function drivenBy({ firstDeviceId, startMs }: VisitedFleet, vehicle: number): DrivenCar {
  const deviceId = (firstDeviceId + vehicle) as DeviceId
  const samples: Sample[] = []
  const trips: DrivenTrip[] = []
  let timeMs = startMs
  let at = DEPOT
  const standUntil = (untilMs: number) => {
    for (; timeMs < untilMs; timeMs += STANDING_SAMPLE_MS) samples.push(standing(deviceId, timeMs, at))
  }
  for (let day = 0; day < DAYS; day++) {
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
  return sampleOf(
    deviceId,
    timeMs,
    new Map<EventTypeId, EventValue>([
      [POSITION, fix],
      [SPEED, 40 + (step % 20)],
      [RPM, 1500 + ((step * 37) % 900)],
      [MILEAGE, 50_000 + step * 0.125],
    ]),
  )
}

function standing(deviceId: DeviceId, timeMs: number, fix: Position): Sample {
  return sampleOf(
    deviceId,
    timeMs,
    new Map<EventTypeId, EventValue>([
      [POSITION, fix],
      [IGNITION, false],
      [BATTERY, 12.6],
    ]),
  )
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

const PREVIEW_RUNS = 3
const FIRST_PREVIEWED_ID = 7_100_000_001
/** A service seals what is older by default. */
const HOT_DAYS = 7
const SEALING_LANES = 2
const MOST_PREVIEW_S = 10

/** Rules that find nothing or little read little, and those that look at each drive read all. */
const TRIED = [
  { named: 'speeding that is rare', kind: 'SPEEDING', parameters: { limitKmh: 100 } },
  { named: 'speeding in each drive', kind: 'SPEEDING', parameters: { limitKmh: 45 } },
  { named: 'visits of a customer', kind: 'AREA_ENTERED', parameters: {} },
  { named: 'a number', kind: 'VALUE_ABOVE', parameters: { eventType: 'ENGINE_RPM_AVERAGE', limit: 3000 } },
  { named: 'trouble codes', kind: 'TROUBLE_CODE', parameters: {} },
  { named: 'towing', kind: 'TOWED', parameters: {} },
] as const

export async function benchPreview({ url, database }: RunningService): Promise<BenchResult[]> {
  const { accountId, key } = await accountWithKey(database, 'A rule on the past')
  const client = { url: `${url}/cc/v2.0`, key }
  await ask(client, '/areas', { name: 'A customer', ...drawingAt(customerAt(7)) })
  const startMs = firstDayMs()
  const stored = await fillVisitedFleet(database, { accountId, startMs, firstDeviceId: FIRST_PREVIEWED_ID })
  const inRows = await tryAll(client, startMs, stored, 'in rows')
  await sealAll(database, startMs)
  return [...inRows, ...(await tryAll(client, startMs, stored, 'of which all but a week are sealed'))]
}

async function tryAll(client: Client, startMs: number, stored: number, state: string): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const { named, kind, parameters } of TRIED) {
    let found: Previewed = { samples: 0, count: 0, progress: 0 }
    const [ms] = await elapsedInTurn({ warmUp: 0, runs: PREVIEW_RUNS }, [
      async () => (found = await preview(client, { kind, parameters, ...periodOf(startMs) })),
    ] as const)
    if (found.samples !== stored) throw new Error(`the preview judged ${found.samples} of ${stored} samples`)
    const tookS = median(ms) / 1000
    results.push(
      limited(`POST /rules/preview of ${named}, ${fleetText(stored)} ${state}`, tookS, MOST_PREVIEW_S, {
        measured: `${tookS.toFixed(1)} s, ${((tookS * 1e6) / stored).toFixed(2)} µs a sample, ${found.count} incidents, ${found.progress} times progress`,
        against: `${MOST_PREVIEW_S} s`,
      }),
    )
  }
  return results
}

/** As a service does in the night after a day, but for the last week. */
async function sealAll(database: Database, startMs: number): Promise<void> {
  const cars = Array.from({ length: VEHICLES }, (_, vehicle) => (FIRST_PREVIEWED_ID + vehicle) as DeviceId)
  for await (const _ of inLanes(cars, SEALING_LANES, async function* (deviceId) {
    for (let day = 0; day < DAYS - HOT_DAYS; day++) {
      const fromMs = startMs + day * DAY_MS
      yield await sealDay(database, deviceId, { fromMs, toMs: fromMs + DAY_MS })
    }
  }));
  await database.writers.query('vacuum analyze samples')
  await database.writers.query('vacuum analyze sealed_days')
}

interface Previewed {
  readonly samples: number
  readonly count: number
  readonly progress: number
}

async function preview(client: Client, body: object): Promise<Previewed> {
  const text = await askText(client, '/rules/preview', body)
  const [, result] = /event: result\ndata: (.*)\n/.exec(text) ?? []
  if (result === undefined) throw new Error(text.slice(-500))
  const progress = text.split('event: progress').length - 1
  return { ...(JSON.parse(result) as Omit<Previewed, 'progress'>), progress }
}
