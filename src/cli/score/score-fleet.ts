import type { ApiReader } from './api-reader.ts'
import { type DriveScore, scoreDrives, type ToldTrip } from './drives.ts'
import { type FaultScore, type FoundCode, scoreFaults } from './fault-codes.ts'
import type { DongleTruth, KnownTruth } from './known-truth.ts'
import { type FoundEvent, type RecordScore, scoreRecords } from './records.ts'

export interface DongleScore {
  readonly deviceId: number
  readonly records: RecordScore
}

/** What a fleet's truth and the API have in common. */
export interface FleetScore {
  readonly drives: DriveScore
  readonly faults: FaultScore
  readonly dongles: readonly DongleScore[]
  readonly misdated: number
  /** Cars of the truth, and how many of them the API lists by their VIN. */
  readonly cars: number
  readonly carsListed: number
}

export interface ScoreLimits {
  /** How far both ends of a trip may be off. */
  readonly toleranceMs: number
  /** How long it may take until a dongle looks for fault codes again. */
  readonly faultPatienceMs: number
}

/** Lists of one device at a time; the limit of the API is what takes the time. */
export async function scoreFleet(
  { dongles }: KnownTruth,
  api: ApiReader,
  limits: ScoreLimits,
  onDongle: (done: number) => void,
): Promise<FleetScore> {
  const drives: { truth: DongleTruth; told: ToldTrip[] }[] = []
  const faults: FaultScore[] = []
  const scores: DongleScore[] = []
  for (const truth of dongles) {
    drives.push({ truth, told: await collected(tripsOf(api, truth)) })
    faults.push(scoreFaults(truth.faults, await collected(codesOf(api, truth)), limits.faultPatienceMs))
    const records = await scoreRecords(truth.acknowledgedMs, eventsOf(api, truth))
    scores.push({ deviceId: truth.deviceId, records })
    onDongle(scores.length)
  }
  const vins = new Set(dongles.flatMap(({ trips }) => trips.map(({ vin }) => vin)))
  const vehicleIds = new Set(await collected(vehicleIdsOf(api)))
  return {
    drives: scoreDrives(drives, limits.toleranceMs),
    faults: sumOf(faults),
    dongles: scores,
    misdated: dongles.reduce((sum, { misdated }) => sum + misdated, 0),
    cars: vins.size,
    carsListed: [...vins].filter(vin => vehicleIds.has(`VIN${vin}`)).length,
  }
}

function sumOf(scores: readonly FaultScore[]): FaultScore {
  const sum = (of: (score: FaultScore) => number) => scores.reduce((total, score) => total + of(score), 0)
  return {
    stored: sum(score => score.stored),
    found: sum(score => score.found),
    labelled: sum(score => score.labelled),
    rightlyEnded: sum(score => score.rightlyEnded),
    unexpected: sum(score => score.unexpected),
    delaysMs: scores.flatMap(score => score.delaysMs),
    missed: scores.flatMap(score => score.missed),
  }
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** So that lists are walked from their begin and not from their end. */
const FROM_THE_BEGIN = { fromTimestamp: '1970-01-01T00:00:00Z' }

interface TripItem {
  readonly vehicleId: string
  readonly tripStartTimestamp: string
  readonly tripEndTimestamp: string
  /** In km. */
  readonly distance: number
}

async function* tripsOf(api: ApiReader, { deviceId }: DongleTruth): AsyncGenerator<ToldTrip> {
  const query = { ...FROM_THE_BEGIN, deviceId: String(deviceId) }
  for await (const item of api.list('/trips', query, page => (page as { trips: TripItem[] }).trips))
    yield {
      vehicleId: item.vehicleId,
      startMs: Date.parse(item.tripStartTimestamp),
      endMs: Date.parse(item.tripEndTimestamp),
      distanceM: item.distance * 1000,
    }
}

interface CodeItem {
  readonly code: string
  readonly vehicleId: string
  readonly label: string
  readonly recordedTimestamp: string
  readonly deleteTimestamp: string | null
}

async function* codesOf(api: ApiReader, { deviceId }: DongleTruth): AsyncGenerator<FoundCode> {
  const query = { ...FROM_THE_BEGIN, deviceId: String(deviceId), includeDeleted: 'true' }
  for await (const item of api.list('/dtcs', query, page => (page as { dtcs: CodeItem[] }).dtcs))
    yield {
      code: item.code,
      vehicleId: item.vehicleId,
      label: item.label,
      recordedMs: Date.parse(item.recordedTimestamp),
      deletedMs: item.deleteTimestamp === null ? undefined : Date.parse(item.deleteTimestamp),
    }
}

async function* eventsOf(api: ApiReader, { deviceId }: DongleTruth): AsyncGenerator<FoundEvent> {
  const query = { ...FROM_THE_BEGIN, deviceId: String(deviceId) }
  const events = api.list('/events', query, page => page as { recorded_timestamp: string; event_type: string }[])
  for await (const item of events) yield { timeMs: Date.parse(item.recorded_timestamp), eventType: item.event_type }
}

async function* vehicleIdsOf(api: ApiReader): AsyncGenerator<string> {
  for await (const { id } of api.list('/vehicles', {}, page => (page as { vehicles: { id: string }[] }).vehicles))
    yield id
}
