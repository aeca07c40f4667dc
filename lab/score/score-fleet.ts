import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import type { ApiReader } from './api-reader.ts'
import { carsOf } from './cars.ts'
import { type FaultScore, type FoundCode, scoreFaults } from './fault-codes.ts'
import { findRules, type IncidentScore, scoreIncidents, type ToldIncident } from './incidents.ts'
import type { DongleTruth, KnownTruth } from './known-truth.ts'
import { type ListedVehicle, type PresentDongles, scorePresentDongles } from './present-dongles.ts'
import { type FoundEvent, type RecordScore, scoreRecords } from './records.ts'
import { type DriveScore, scoreDrives, type ReportedTrip } from './trips.ts'

export interface DongleScore {
  readonly deviceId: number
  readonly records: RecordScore
}

/** What a fleet's truth and the API have in common. */
export interface FleetScore {
  readonly drives: DriveScore
  readonly faults: FaultScore
  /** undefined when the truth does not tell of them. */
  readonly incidents: IncidentScore | undefined
  readonly dongles: readonly DongleScore[]
  readonly misdated: number
  /** Cars of the truth, and how many of them the API lists. */
  readonly cars: number
  readonly carsListed: number
  /** undefined when the truth does not say where dongles were. */
  readonly presentDongles: PresentDongles | undefined
  /** When the fleet began. */
  readonly fromMs: number
}

interface ScoreWishes {
  /** How far both ends of a trip may be off. */
  readonly toleranceMs: number
  /** Rules that ask for what the truth tells are created where they are missing. */
  readonly createsRules: boolean
  readonly onDongle: (done: number) => void
}

/** Lists of one device at a time; the limit of the API is what takes the time. */
export async function scoreFleet(
  { fleet, dongles, faults }: KnownTruth,
  api: ApiReader,
  { toleranceMs, createsRules, onDongle }: ScoreWishes,
): Promise<FleetScore> {
  const fromMs = fleet?.fromMs ?? Number.NEGATIVE_INFINITY
  const rules = fleet?.incidents && (await findRules(api, fleet.incidents, fleet.fromMs, createsRules))
  const drives: { truth: DongleTruth; told: ReportedTrip[] }[] = []
  const incidents: { truth: DongleTruth; told: ToldIncident[] }[] = []
  const codes: FoundCode[] = []
  const scores: DongleScore[] = []
  for (const truth of dongles) {
    drives.push({ truth, told: await collected(tripsOf(api, truth)) })
    if (rules) incidents.push({ truth, told: await collected(incidentsOf(api, truth)) })
    codes.push(...(await collected(codesOf(api, truth))))
    const records = await scoreRecords(truth.acknowledgedMs, eventsOf(api, truth))
    scores.push({ deviceId: truth.deviceId, records })
    onDongle(scores.length)
  }
  const cars = carsOf({ dongles, faults })
  const vehicles = await collected(vehiclesOf(api))
  return {
    drives: scoreDrives(drives, cars, { toleranceMs, fromMs }),
    faults: scoreFaults(faults, codes, cars),
    incidents: rules && scoreIncidents(incidents, rules, fromMs),
    dongles: scores,
    misdated: dongles.reduce((sum, { misdated }) => sum + misdated, 0),
    cars: cars.vins.size,
    carsListed: new Set(vehicles.flatMap(({ id }) => cars.vinOf(id) ?? [])).size,
    presentDongles: scorePresentDongles(dongles, vehicles),
    fromMs,
  }
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** So that lists are walked from their start and not from their end. */
const FROM_THE_BEGIN = { fromTimestamp: '1970-01-01T00:00:00Z' }

interface TripItem {
  readonly vehicleId: string
  readonly tripStartTimestamp: string
  readonly tripEndTimestamp: string
  /** In km. */
  readonly distance: number
}

async function* tripsOf(api: ApiReader, { deviceId }: DongleTruth): AsyncGenerator<ReportedTrip> {
  const query = { ...FROM_THE_BEGIN, deviceId: String(deviceId) }
  for await (const item of api.list('/trips', query, page => (page as { trips: TripItem[] }).trips))
    yield {
      vehicleId: item.vehicleId,
      startMs: Date.parse(item.tripStartTimestamp),
      endMs: Date.parse(item.tripEndTimestamp),
      distanceM: item.distance * 1000,
    }
}

interface IncidentItem {
  readonly ruleId: string
  readonly kind: RuleKindName
  readonly startTimestamp: string
  readonly endTimestamp: string | null
}

async function* incidentsOf(api: ApiReader, { deviceId }: DongleTruth): AsyncGenerator<ToldIncident> {
  const query = { ...FROM_THE_BEGIN, deviceId: String(deviceId) }
  for await (const item of api.list('/incidents', query, page => (page as { incidents: IncidentItem[] }).incidents))
    yield {
      ruleId: item.ruleId,
      kind: item.kind,
      startMs: Date.parse(item.startTimestamp),
      endMs: item.endTimestamp === null ? null : Date.parse(item.endTimestamp),
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
      deviceId,
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

async function* vehiclesOf(api: ApiReader): AsyncGenerator<ListedVehicle> {
  yield* api.list('/vehicles', {}, page => (page as { vehicles: ListedVehicle[] }).vehicles)
}
