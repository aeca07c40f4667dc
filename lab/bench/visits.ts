import { ensureAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import type { Database } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { encodedStep, fixedDegrees, pointsOf } from '../../src/derive/trips/route.ts'
import { createAreas } from '../../src/fleet/areas/change-areas.ts'
import { readVisits } from '../../src/fleet/areas/read-visits.ts'
import { inLanes } from '../../src/lib/in-lanes.ts'
import { USUAL_PRESENCE } from '../../src/model/areas/presence.ts'
import type { AreaShape } from '../../src/model/areas/shape.ts'
import { DEFAULT_AREA_COLOR } from '../../src/model/areas/shape.ts'
import { type DeviceId, type EventValue, type Position, type Sample, sampleOf } from '../../src/model/sample.ts'
import { insertSamples, Partitions, sealDay } from '../../src/store/index.ts'
import { registerWithReach } from './made-samples.ts'
import { type BenchResult, elapsedMs, median } from './result.ts'
import type { RunningService } from './running-service.ts'

const VEHICLES = 100
const DAYS = 90
const DAY_MS = 86_400_000
const RUNS = 5
const RADIUS_M = 150
const CUSTOMER = 3
const TARGET_MS = 2000

/**
 * Who was at a place in 90 days, of 100 cars. At a customer, as it is asked mostly: a drawing, and an area that is stored. At the depot, where
 * half of all trips begin or end and every night is spent.
 */
export async function benchVisits(service: RunningService): Promise<BenchResult[]> {
  const { accountId, key } = await account(service)
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS
  const fleet: VisitedFleet = { accountId, vehicles: VEHICLES, days: DAYS, startMs, firstDeviceId: 7_000_000_001 }
  const samples = await fillVisitedFleet(service.database, fleet)
  const period = {
    fromTimestamp: new Date(startMs).toISOString(),
    toTimestamp: new Date(startMs + DAYS * DAY_MS).toISOString(),
  }
  const client = { url: `${service.url}/cc/v2.0`, key }
  const askDrawing = (at: Position) => () => ask(client, '/visits', { ...drawingAt(at), ...period })
  const customer = customerAt(CUSTOMER)
  const { id } = await ask(client, '/areas', { name: 'Customer', ...drawingAt(customer) })
  const askArea = () => ask(client, `/areas/${id}/visits?${new URLSearchParams(period).toString()}`)
  const decode = () => decodeRoutes(service, accountId)

  const results: BenchResult[] = []
  for (const [name, place, question] of [
    ['POST /visits, a customer', customer, askDrawing(customer)],
    ['GET /areas/{id}/visits, a customer', customer, askArea],
    ['POST /visits, the depot of all cars', DEPOT, askDrawing(DEPOT)],
  ] as const) {
    const { ms, decodedMs, text } = await measured(question, decode)
    results.push({
      name: `${name}, ${VEHICLES} cars, ${DAYS} days, ${(samples / 1e6).toFixed(1)} million samples`,
      measured: `${text}, ${await tripsRead(service, fleet, place)}`,
      against: `${TARGET_MS} ms; all routes read and decoded, and nothing else: ${decodedMs.toFixed(0)} ms`,
      ratio: ms / TARGET_MS,
      target: { atMost: 1 },
    })
  }
  return results
}

/** Alternately, so that both run under the same load of a shared machine. */
async function measured(question: () => Promise<Answer>, decode: () => Promise<unknown>) {
  const askedMs: number[] = []
  const decodedMs: number[] = []
  let visits = 0
  for (let run = 0; run < RUNS; run++) {
    askedMs.push(await elapsedMs(async () => (visits = (await question()).visits?.length ?? 0)))
    decodedMs.push(await elapsedMs(decode))
  }
  const text = `${median(askedMs).toFixed(0)} ms (first ${askedMs[0]?.toFixed(0)} ms) for ${visits} visits`
  return { ms: median(askedMs), decodedMs: median(decodedMs), text }
}

function account({ database }: RunningService): Promise<{ accountId: number; key: string }> {
  return writeTransaction(database, async transaction => {
    const { id: accountId } = await ensureAccount(transaction, 'Who was here')
    const terms = { accountId, name: 'bench', permissions: ALL_PERMISSIONS, expires: undefined }
    return { accountId, key: (await createKey(transaction, terms)).secret }
  })
}

function drawingAt({ lon, lat }: Position) {
  return { geometry: { type: 'Point', coordinates: [lon, lat] }, radiusM: RADIUS_M }
}

/** The same question, asked of the function below the API, which tells more. */
async function tripsRead({ database }: RunningService, fleet: VisitedFleet, at: Position): Promise<string> {
  const { accountId, startMs, days } = fleet
  const range = { fromMs: startMs, toMs: startMs + days * DAY_MS }
  const shape: AreaShape = { type: 'circle', center: [at.lon, at.lat], radiusM: RADIUS_M }
  const { trips, tripsRead: read } = await readVisits(database.readsOf(accountId), {
    accountId,
    versions: [{ ...range, shape }],
    range,
    vehicleId: undefined,
    settings: USUAL_PRESENCE,
    nextTurn: async () => undefined,
  })
  return `${read} of ${trips} trips read (${((100 * read) / trips).toFixed(1)} %)`
}

async function decodeRoutes({ database }: RunningService, accountId: number): Promise<void> {
  const trips = await database.rows<{ polyline: string }>(
    sql`select polyline from trips where account_id = ${accountId}`,
  )
  for (const { polyline } of trips) pointsOf(polyline)
}

interface Answer {
  readonly id?: string
  readonly visits?: readonly unknown[]
}

async function ask(
  client: { readonly url: string; readonly key: string },
  path: string,
  body?: object,
): Promise<Answer> {
  const reply = await fetch(client.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${client.key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return (await reply.json()) as Answer
}

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

/** Not a part of them: a thread that begins to fold has its code compiled first, which many cars share. */
const PREVIEW_RUNS = 3
const FIRST_DEVICE_ID = 7_100_000_001
/** What a service seals by default is older. */
const HOT_DAYS = 7
const SEALING_LANES = 2

/** What is tried: rules that find nothing or little read little, and those that look at each drive read all. */
const TRIED = [
  { named: 'speeding that is rare', kind: 'SPEEDING', parameters: { limitKmh: 100 } },
  { named: 'speeding in each drive', kind: 'SPEEDING', parameters: { limitKmh: 45 } },
  { named: 'visits of a customer', kind: 'AREA_ENTERED', parameters: {} },
  { named: 'a number', kind: 'VALUE_ABOVE', parameters: { eventType: 'ENGINE_RPM_AVERAGE', limit: 3000 } },
  { named: 'trouble codes', kind: 'TROUBLE_CODE', parameters: {} },
  { named: 'towing', kind: 'TOWED', parameters: {} },
] as const

const MOST_PREVIEW_S = 10

/** Rules tried on 90 days of stored samples, against the ten seconds that somebody waits who sees the progress. */
export async function benchPreview(service: RunningService): Promise<BenchResult[]> {
  const { accountId, key } = await previewAccount(service)
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS
  const stored = await fillVisitedFleet(service.database, {
    accountId,
    vehicles: VEHICLES,
    days: DAYS,
    startMs,
    firstDeviceId: FIRST_DEVICE_ID,
  })
  const period = {
    fromTimestamp: new Date(startMs).toISOString(),
    toTimestamp: new Date(startMs + DAYS * DAY_MS).toISOString(),
  }
  const client = { url: `${service.url}/cc/v2.0`, key }
  const inRows = triesOf(period)
  for (let run = 0; run < PREVIEW_RUNS; run++) await tryAll(client, inRows)
  await sealAll(service.database, startMs)
  const sealed = triesOf(period)
  for (let run = 0; run < PREVIEW_RUNS; run++) await tryAll(client, sealed)
  const results = (state: string, tries: readonly Try[]) =>
    tries.map(({ named, previewsMs, tried }): BenchResult => {
      if (tried.samples !== stored) throw new Error(`the preview judged ${tried.samples} of ${stored} samples`)
      const tookS = median(previewsMs) / 1000
      return {
        name: `POST /rules/preview of ${named}, ${VEHICLES} cars, ${DAYS} days, ${(stored / 1e6).toFixed(1)} million samples ${state}`,
        measured: `${tookS.toFixed(1)} s, ${((tookS * 1e6) / stored).toFixed(2)} µs a sample, ${tried.count} incidents, ${tried.progress} times progress`,
        against: `${MOST_PREVIEW_S} s`,
        ratio: tookS / MOST_PREVIEW_S,
        target: { atMost: 1 },
      }
    })
  return [...results('in rows', inRows), ...results('of which all but a week are sealed', sealed)]
}

interface Try {
  readonly named: string
  readonly body: object
  readonly previewsMs: number[]
  tried: Tried
}

function triesOf(period: object): readonly Try[] {
  return TRIED.map(({ named, kind, parameters }) => ({
    named,
    body: { kind, parameters, ...period },
    previewsMs: [],
    tried: { samples: 0, count: 0, progress: 0 },
  }))
}

async function tryAll(client: Parameters<typeof preview>[0], tries: readonly Try[]): Promise<void> {
  for (const each of tries)
    each.previewsMs.push(
      await elapsedMs(async () => {
        each.tried = await preview(client, each.body)
      }),
    )
}

/** As a service does in the night after a day, but for the last week. */
async function sealAll(database: Database, startMs: number): Promise<void> {
  const cars = Array.from({ length: VEHICLES }, (_, vehicle) => (FIRST_DEVICE_ID + vehicle) as DeviceId)
  for await (const _ of inLanes(cars, SEALING_LANES, async function* (deviceId) {
    for (let day = 0; day < DAYS - HOT_DAYS; day++) {
      const fromMs = startMs + day * DAY_MS
      yield await sealDay(database, deviceId, { fromMs, toMs: fromMs + DAY_MS })
    }
  }));
  await database.writers.query('vacuum analyze samples')
  await database.writers.query('vacuum analyze sealed_days')
}

function previewAccount({ database }: RunningService): Promise<{ accountId: number; key: string }> {
  return writeTransaction(database, async transaction => {
    const { id: accountId } = await ensureAccount(transaction, 'A rule on the past')
    const terms = { accountId, name: 'bench', permissions: ALL_PERMISSIONS, expires: undefined }
    const customer = customerAt(7)
    const shape = { type: 'circle', center: [customer.lon, customer.lat], radiusM: 150 } as const
    const area = {
      name: 'A customer',
      kind: 'CUSTOMER',
      color: DEFAULT_AREA_COLOR,
      shape,
      validFrom: undefined,
    } as const
    await createAreas(transaction, { accountId }, [area], 1)
    return { accountId, key: (await createKey(transaction, terms)).secret }
  })
}

interface Tried {
  readonly samples: number
  readonly count: number
  /** How often it told how far it was. */
  readonly progress: number
}

async function preview(client: { readonly url: string; readonly key: string }, body: object): Promise<Tried> {
  const reply = await fetch(`${client.url}/rules/preview`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  const [, result] = /event: result\ndata: (.*)\n/.exec(text) ?? []
  if (!reply.ok || result === undefined) throw new Error(`${reply.status} ${text.slice(-500)}`)
  const progress = text.split('event: progress').length - 1
  return { ...(JSON.parse(result) as Omit<Tried, 'progress'>), progress }
}
