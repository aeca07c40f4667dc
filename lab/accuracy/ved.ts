import { readFileSync } from 'node:fs'
import { type EventTypeId, requiredEventType } from '../../src/catalogue/event-types.ts'
import { fold } from '../../src/derive/trips/fold.ts'
import { OperatorError } from '../../src/model/errors.ts'
import { type DeviceId, type EventValue, type Position, type Sample, sampleOf } from '../../src/model/sample.ts'
import { compareDevice, type ExpectedTrip, metresOf } from '../score/trips.ts'
import { metresBetween } from '../simulation/ground.ts'
import { DISPLACEMENT_M, LONGEST_BRIDGE_MS, MOTION_KMH } from '../simulation/observable.ts'
import { carIdentity, MEASURED_COLUMNS, piecesOf, readRows } from '../ved/recording.ts'
import { type DrivesScore, drivesScoreOf } from './cell.ts'

interface Row {
  readonly timeMs: number
  readonly position: Position | undefined
  readonly speedKmh: number | undefined
}

interface RecordedTrip {
  readonly car: number
  readonly startMs: number
  readonly endMs: number
  readonly rows: readonly Row[]
}

export type VedTold = 'positions' | 'positions and speed'

const SPEED_COLUMN = MEASURED_COLUMNS.findIndex(({ eventType }) => eventType === 'VEHICLE_SPEED_AVERAGE')

/** Real trips: a VED recording, and the facts about its trips. @throws OperatorError when one cannot be read. */
export async function readVedTrips(recording: string, facts: string): Promise<readonly RecordedTrip[]> {
  const trips = factsOf(facts)
  const rows = new Map<string, Row[]>()
  for await (const { carNumber, tripNumber, timeMs, position, measured } of readRows(recording)) {
    const key = `${carNumber}/${tripNumber}`
    const speedKmh = measured[SPEED_COLUMN]
    const row = { timeMs, position, speedKmh: Number.isNaN(speedKmh) ? undefined : speedKmh }
    const known = rows.get(key)
    if (known) known.push(row)
    else rows.set(key, [row])
  }
  return trips.map(({ key, ...trip }) => ({
    ...trip,
    rows: (rows.get(key) ?? []).sort((a, b) => a.timeMs - b.timeMs),
  }))
}

interface Fact {
  readonly key: string
  readonly car: number
  readonly startMs: number
  readonly endMs: number
}

function factsOf(file: string): Fact[] {
  const [header = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n')
  const names = header.trim().split(',')
  if (!names.includes('start_utc_inferred')) throw new OperatorError(`${file} has no facts about trips of VED.`)
  return lines.map(line => {
    const fields = line.split(',')
    const field = (name: string) => fields[names.indexOf(name)] ?? ''
    const instant = (name: string) => Date.parse(`${field(name)}Z`)
    const car = Number(field('VehId'))
    return {
      key: `${car}/${Number(field('Trip'))}`,
      car,
      startMs: instant('start_utc_inferred'),
      endMs: instant('end_utc_inferred'),
    }
  })
}

const TOLERANCE_MS = 60_000

/** Folds what a dongle would have sent that reports every `cadenceS` seconds from the start of each trip. */
export function measureVed(trips: readonly RecordedTrip[], cadenceS: number, told: VedTold): DrivesScore {
  const cars = new Map<number, RecordedTrip[]>()
  for (const trip of trips) cars.set(trip.car, [...(cars.get(trip.car) ?? []), trip])
  const toleranceMs = Math.max(TOLERANCE_MS, cadenceS * 1000)
  const devices = [...cars].map(([car, driven]) => {
    const thinned = driven.map(trip => thinnedRows(trip, cadenceS * 1000))
    const samples = thinned.flatMap(rows => rows.map(row => vedSample(carIdentity(car).deviceId, row, told)))
    const { trips: found } = fold(undefined, ascending(samples))
    const expected = driven.flatMap((trip, i) => expectedPieces(trip, thinned[i] ?? [], told)).sort(byStart)
    return { ...compareDevice(expected, found, toleranceMs), metres: metresOf(expected, found) }
  })
  return drivesScoreOf(devices)
}

const byStart = (a: ExpectedTrip, b: ExpectedTrip) => a.startMs - b.startMs

function ascending(samples: readonly Sample[]): Sample[] {
  const byTime = new Map(samples.filter(({ types }) => types.length > 0).map(sample => [sample.timeMs, sample]))
  return [...byTime.values()].sort((a, b) => a.timeMs - b.timeMs)
}

/** The first row and then one in each interval, with the last known position and the mean of the speeds in between. */
function thinnedRows({ rows }: RecordedTrip, everyMs: number): Row[] {
  const thinned: Row[] = []
  let speeds: number[] = []
  let position: Position | undefined
  for (const row of rows) {
    position = row.position ?? position
    if (row.speedKmh !== undefined) speeds.push(row.speedKmh)
    const sinceMs = row.timeMs - (thinned.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY)
    if (sinceMs < everyMs || (position === undefined && speeds.length === 0)) continue
    const meanKmh = speeds.length > 0 ? speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length : undefined
    thinned.push({ timeMs: row.timeMs, position, speedKmh: meanKmh })
    speeds = []
  }
  return thinned
}

const POSITION = requiredEventType('POSITION').id
const SPEED = requiredEventType('VEHICLE_SPEED_AVERAGE').id

function vedSample(deviceId: DeviceId, { timeMs, position, speedKmh }: Row, told: VedTold): Sample {
  const events = new Map<EventTypeId, EventValue>()
  if (position) events.set(POSITION, position)
  if (speedKmh !== undefined && told === 'positions and speed') events.set(SPEED, speedKmh)
  return sampleOf(deviceId, timeMs, events)
}

const SHORTEST_M = 150

/** In pieces between pauses of five minutes and more, which may be stops; a length is known between records only. */
function expectedPieces(
  { startMs, endMs, rows }: RecordedTrip,
  thinned: readonly Row[],
  told: VedTold,
): ExpectedTrip[] {
  const moving = rows.filter(({ speedKmh }) => (speedKmh ?? 0) > MOTION_KMH).map(({ timeMs }) => timeMs)
  return piecesOf({ startMs, endMs }, moving).map(({ startMs: beginMs, endMs: finishMs }) => {
    const within = <T extends { readonly timeMs: number }>(items: readonly T[]) =>
      items.filter(({ timeMs }) => beginMs <= timeMs && timeMs <= finishMs + 1)
    const records = within(thinned)
    const motionMs = moving.filter(timeMs => beginMs <= timeMs && timeMs <= finishMs)
    const drivenM = integralM(rows, beginMs, finishMs)
    // Positions show neither that the driver sits in the standing car, nor that it creeps across a car park.
    const leaves = told === 'positions' ? farAtMs(records) : undefined
    const seesFromMs = Math.max(motionMs[0] ?? beginMs, leaves?.firstMs ?? beginMs)
    const seesUntilMs = Math.min(motionMs.at(-1) ?? finishMs, leaves?.lastMs ?? finishMs)
    return {
      earliestStartMs: beginMs,
      startMs: Math.max(beginMs, seesFromMs),
      endMs: Math.min(finishMs, seesUntilMs),
      latestEndMs: finishMs,
      distanceM: integralM(rows, records[0]?.timeMs ?? beginMs, records.at(-1)?.timeMs ?? beginMs),
      mostM: drivenM,
      isWitnessed: isWitnessed(records, drivenM),
      joinsNextBelowMs: LONGEST_BRIDGE_MS,
    }
  })
}

/** Up to which record the positions are those of the start, and from which on those of the end. */
function farAtMs(records: readonly Row[]): { firstMs: number; lastMs: number } | undefined {
  const fixes = records.flatMap(({ timeMs, position }) => (position ? [{ timeMs, position }] : []))
  const [begin, end] = [fixes[0], fixes.at(-1)]
  if (!begin || !end) return undefined
  const isFar = (from: Position, to: Position) => metresBetween(from, to) >= DISPLACEMENT_M
  const leaving = fixes.findIndex(({ position }) => isFar(begin.position, position))
  const coming = fixes.findLast(({ position }) => isFar(end.position, position))
  return { firstMs: fixes[leaving - 1]?.timeMs ?? begin.timeMs, lastMs: coming?.timeMs ?? end.timeMs }
}

function isWitnessed(records: readonly Row[], drivenM: number): boolean {
  if (drivenM < SHORTEST_M) return false
  return records.some(({ timeMs, position }, i) => {
    const from = records.slice(Math.max(0, i - COMPARED_RECORDS), i).find(record => record.position)
    if (!from?.position || !position) return false
    const metres = metresBetween(from.position, position)
    return metres >= SHORTEST_M && (metres / (timeMs - from.timeMs)) * 3600 > MOTION_KMH
  })
}

const COMPARED_RECORDS = 60

/** The integral of the speed from one instant to another, by trapezoids. */
function integralM(rows: readonly Row[], fromMs: number, toMs: number): number {
  let metres = 0
  let before: { timeMs: number; speedKmh: number } | undefined
  for (const { timeMs, speedKmh } of rows) {
    if (speedKmh === undefined || timeMs < fromMs || timeMs > toMs) continue
    if (before) metres += (((before.speedKmh + speedKmh) / 2) * (timeMs - before.timeMs)) / 3600
    before = { timeMs, speedKmh }
  }
  return metres
}
