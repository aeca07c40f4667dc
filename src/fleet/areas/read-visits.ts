import type { AccountReads } from '../../db/account-reads.ts'
import { allOf, sql } from '../../db/sql.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import { inLanes } from '../../lib/in-lanes.ts'
import type { PresenceSettings } from '../../model/areas/presence.ts'
import type { DeviceId } from '../../model/sample.ts'
import { clippedTo, type TimeRange } from '../../model/time-range.ts'
import { type Interval, readFixesOfIntervals, readFixesWithin, withRawConnection } from '../../store/index.ts'
import { vehicleIdStatement } from '../vehicles.ts'
import {
  type Candidates,
  candidatesOf,
  type DecidingRange,
  type DrivenTrip,
  decidingRanges,
  type TimedVicinity,
} from './deciding-ranges.ts'
import { vicinityOf } from './route-near.ts'
import { type AreaVisit, type Drawing, type DrawnVersion, drawingOf, VisitTracker } from './visit-tracker.ts'

/** A visit of a car. `vehicleId` is the public id. */
export interface VehicleVisit extends AreaVisit {
  readonly vehicleId: string
  readonly deviceId: DeviceId
}

interface VisitQuestion {
  readonly accountId: number
  readonly versions: readonly DrawnVersion[]
  /** Finite. Only what lies in it counts. */
  readonly range: TimeRange
  /** Public ids, or those before the VIN was known; undefined for all cars. */
  readonly vehicleId: string | undefined
  readonly settings: PresenceSettings
  /** Waits until it is this account's turn to compute. */
  readonly nextTurn: () => Promise<void>
}

interface VisitAnswer {
  /** By car, then by time. */
  readonly visits: readonly VehicleVisit[]
  readonly trips: number
  /** How many of them had samples read: all, or those of the ends. */
  readonly tripsRead: number
}

/** Routes are within 5 m of the fixes, and what was driven between two fixes is not known. */
const ROUTE_MARGIN_M = 50
/** While one batch of cars is looked at, the database works on another. */
const LANES = 2
/** So much of the trips of a year fits in memory, in each lane. */
const PERIODS_AT_ONCE = 5
const TURN_MS = 8

interface Wanted extends DecidingRange, Interval {
  readonly period: CarPeriod
  /** Of the period among those of its batch. */
  readonly index: number
}

interface CarPeriod extends TimeRange {
  readonly deviceId: DeviceId
  readonly vehicleId: string
}

/** Every visit of every car of an account to an area. Routes of trips give the candidates, and their samples decide.
 * Each statement of a batch of cars takes its own turn at the database. */
export async function readVisits(reads: AccountReads, question: VisitQuestion): Promise<VisitAnswer> {
  const { versions, settings } = question
  const periods = await readPeriods(reads, question)
  const drawing = drawingOf(versions)
  const withinM = settings.hysteresisM + ROUTE_MARGIN_M
  const vicinities = drawing.map(
    ({ shape, ...range }): TimedVicinity => ({ ...range, vicinity: vicinityOf(shape, withinM) }),
  )
  const batches = Array.from({ length: Math.ceil(periods.length / PERIODS_AT_ONCE) }, (_, batch) =>
    periods.slice(batch * PERIODS_AT_ONCE, (batch + 1) * PERIODS_AT_ONCE),
  )
  const answered = async function* ([batch, some]: readonly [number, readonly CarPeriod[]]) {
    yield { batch, answer: await visitsOfPeriods(reads, { question, drawing, vicinities }, some) }
  }
  const answers = new Map<number, VisitAnswer>()
  for await (const { batch, answer } of inLanes(batches.entries(), LANES, answered)) answers.set(batch, answer)
  const inOrder = batches.flatMap((_, batch) => answers.get(batch) ?? [])
  return {
    visits: oneCarAtATime(inOrder.flatMap(({ visits }) => visits)),
    trips: inOrder.reduce((sum, { trips }) => sum + trips, 0),
    tripsRead: inOrder.reduce((sum, { tripsRead }) => sum + tripsRead, 0),
  }
}

async function visitsOfPeriods(
  reads: AccountReads,
  {
    question: { accountId, settings, nextTurn },
    drawing,
    vicinities,
  }: {
    readonly question: VisitQuestion
    readonly drawing: Drawing
    readonly vicinities: readonly TimedVicinity[]
  },
  periods: readonly CarPeriod[],
): Promise<VisitAnswer> {
  const driven = await readDriven(reads, accountId, periods)
  const candidates: Candidates[] = []
  let trips = 0
  let tripsRead = 0
  let begunMs = performance.now()
  for (const [index, period] of periods.entries()) {
    const itsTrips = driven[index] ?? []
    trips += itsTrips.length
    const looked = candidatesOf(period, itsTrips, vicinities)
    tripsRead += looked.tripsRead
    candidates.push(looked)
    if (performance.now() - begunMs < TURN_MS) continue
    await nextTurn()
    begunMs = performance.now()
  }
  const ranges = await decidingRanges(candidates, (ofTrips, which) => {
    const intervals = ofTrips.flatMap(({ trip: { fromMs, toMs }, index }) => {
      const { deviceId } = periods[index] ?? {}
      return deviceId === undefined ? [] : { deviceId, fromMs, toMs }
    })
    return withRawConnection(reads, source => readFixesWithin(source, intervals, which))
  })
  const wanted = periods.flatMap((period, index) =>
    (ranges[index] ?? []).map((range): Wanted => ({ ...range, deviceId: period.deviceId, period, index })),
  )
  const newTracker = (index: number) => new VisitTracker(drawing, settings, driven[index] ?? [])
  const visits = await followFixes(reads, wanted, newTracker, nextTurn)
  return { visits, trips, tripsRead }
}

/** When which dongle was in which car, clipped to a range and to the time of its samples. */
async function readPeriods(reads: AccountReads, { accountId, vehicleId, range }: VisitQuestion): Promise<CarPeriod[]> {
  const conditions = [
    sql`a.account_id = ${accountId}`,
    sql`a.from_time < ${instantOfMs(range.toMs)}`,
    sql`a.to_time > ${instantOfMs(range.fromMs)}`,
  ]
  if (vehicleId !== undefined) conditions.push(sql`a.vehicle_id = ${vehicleIdStatement(accountId, vehicleId)}`)
  const rows = await reads.rows<PeriodRow>(sql`
    select a.device_id, v.public_id, greatest(a.from_time, s.first_time) as first, least(a.to_time, s.last_time) as last
    from assignments a join vehicles v on v.id = a.vehicle_id join device_states s on s.device_id = a.device_id
    where ${allOf(conditions)} order by v.public_id, a.device_id, a.from_time`)
  return rows.flatMap(row => {
    const period = {
      deviceId: row.device_id,
      vehicleId: row.public_id,
      fromMs: instantMs(row.first),
      toMs: instantMs(row.last) + 1,
    }
    return clippedTo(range, period) ?? []
  })
}

interface PeriodRow {
  readonly device_id: DeviceId
  readonly public_id: string
  readonly first: string
  readonly last: string
}

/** The trips of each period, also those that count for another dongle in the car. */
async function readDriven(
  reads: AccountReads,
  accountId: number,
  periods: readonly CarPeriod[],
): Promise<DrivenTrip[][]> {
  const rows = await reads.rows<DrivenRow>(sql`
    select span.place::integer as place, round(1000 * date_part('epoch', t.start_time)) as start,
      round(1000 * date_part('epoch', t.end_time)) as end, t.is_open as "isOpen", t.polyline
    from unnest(${periods.map(({ deviceId }) => deviceId)}::bigint[],
      ${periods.map(({ fromMs }) => instantOfMs(fromMs))}::timestamptz[],
      ${periods.map(({ toMs }) => instantOfMs(toMs))}::timestamptz[]) with ordinality as span (device_id, from_time, to_time, place)
    join trips t on t.device_id = span.device_id and t.start_time < span.to_time and t.end_time >= span.from_time
    where t.account_id = ${accountId} and (t.deleted is null or t.superseded_by is not null)
    order by span.place, t.start_time`)
  const driven: DrivenTrip[][] = periods.map(() => [])
  for (const { place, start, end, isOpen, polyline } of rows) {
    driven[place - 1]?.push({ fromMs: start, toMs: end + 1, isOpen, polyline })
  }
  return driven
}

interface DrivenRow {
  readonly place: number
  /** Milliseconds since 1970: of many trips, texts would take longer to parse than all else. */
  readonly start: number
  readonly end: number
  readonly isOpen: boolean
  readonly polyline: string
}

async function followFixes(
  reads: AccountReads,
  wanted: readonly Wanted[],
  newTracker: (index: number) => VisitTracker,
  nextTurn: () => Promise<void>,
): Promise<VehicleVisit[]> {
  const found: VehicleVisit[] = []
  let place = 0
  let tracker = newTracker(wanted[0]?.index ?? 0)
  const finishPeriod = () => {
    const period = wanted[place]?.period
    if (period) {
      const { deviceId, vehicleId } = period
      found.push(...tracker.ended().map(visit => ({ ...visit, deviceId, vehicleId })))
    }
    tracker = newTracker(wanted[place + 1]?.index ?? 0)
  }
  /** Goes on to the interval in which a fix lies; fixes come in the order of the intervals. */
  const goTo = (deviceId: number, timeMs: number) => {
    for (;;) {
      const here = wanted[place]
      if (!here || (here.deviceId === deviceId && timeMs >= here.fromMs && timeMs < here.toMs)) return
      const next = wanted[place + 1]
      if (next?.period !== here.period) finishPeriod()
      else if (!next.isAfterStandingInside) tracker.pause()
      place++
    }
  }
  let begunMs = performance.now()
  for await (const { count, deviceIds, timesMs, longitudes, latitudes } of readFixesOfIntervals(reads, wanted)) {
    for (let index = 0; index < count; index++) {
      const [timeMs = 0, lon = 0, lat = 0] = [timesMs[index], longitudes[index], latitudes[index]]
      if (Number.isNaN(lon)) continue
      goTo(deviceIds[index] ?? 0, timeMs)
      tracker.add(timeMs, { lon, lat })
      if (index % 256 > 0 || performance.now() - begunMs < TURN_MS) continue
      await nextTurn()
      begunMs = performance.now()
    }
  }
  finishPeriod()
  return found
}

/** Two dongles in one car are on the same visit: it is listed once. */
function oneCarAtATime(visits: readonly VehicleVisit[]): VehicleVisit[] {
  const ordered = visits.toSorted((a, b) =>
    a.vehicleId === b.vehicleId ? a.enteredMs - b.enteredMs : a.vehicleId < b.vehicleId ? -1 : 1,
  )
  const listed: VehicleVisit[] = []
  for (const visit of ordered) {
    const last = listed.at(-1)
    if (last?.vehicleId !== visit.vehicleId || visit.enteredMs > last.leftMs) {
      listed.push(visit)
      continue
    }
    listed[listed.length - 1] = {
      ...last,
      leftMs: Math.max(last.leftMs, visit.leftMs),
      isOver: last.leftMs > visit.leftMs ? last.isOver : visit.isOver,
      insideM: Math.max(last.insideM, visit.insideM),
    }
  }
  return listed
}
