import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import type { FaultLine } from '../simulate/truth.ts'
import type { ApiReader } from './api-reader.ts'
import { type Cars, carsOf, type DriveScore, scoreDrives } from './cars.ts'
import { findRules, type IncidentScore, scoreIncidents, type ToldIncident } from './incidents.ts'
import type { DongleTruth, KnownTruth } from './known-truth.ts'
import type { ReportedTrip } from './trips.ts'

export interface DongleScore {
  readonly deviceId: number
  readonly records: RecordScore
}

export interface FleetScore {
  readonly drives: DriveScore
  readonly faults: FaultScore
  readonly incidents: IncidentScore | undefined
  readonly dongles: readonly DongleScore[]
  readonly misdated: number
  readonly cars: number
  readonly carsListed: number
  readonly presentDongles: PresentDongles | undefined
  readonly fromMs: number
}

interface ScoreWishes {
  readonly toleranceMs: number
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

interface ListedVehicle {
  readonly id: string
  readonly deviceId: number | null
}

interface PresentDongles {
  readonly known: number
  readonly right: number
}

interface Teller {
  readonly dongle: DongleTruth
  readonly untilMs: number
}

/** @returns undefined when the truth does not say where dongles were */
export function scorePresentDongles(
  dongles: readonly DongleTruth[],
  vehicles: readonly ListedVehicle[],
): PresentDongles | undefined {
  if (dongles.every(({ stints }) => stints.length === 0)) return undefined
  const listed = vehicles.flatMap(({ id, deviceId }) => {
    const present = presentIn(id.replace(/^VIN/, ''), dongles)
    return present.length > 0 ? [present.some(({ dongle }) => dongle.deviceId === deviceId)] : []
  })
  return { known: listed.length, right: listed.filter(Boolean).length }
}

/** Of two that report side by side, either may be the one that was heard last. */
const SIDE_BY_SIDE_MS = 10 * 60_000

/** The dongles in the car, as far as the service can know: by the VIN that they read on a drive there. */
function presentIn(vin: string, dongles: readonly DongleTruth[]): Teller[] {
  const tellers = dongles.flatMap((dongle): Teller[] => {
    const untilMs = toldUntilMs(vin, dongle)
    return untilMs === undefined ? [] : [{ dongle, untilMs }]
  })
  const lastMs = Math.max(...tellers.map(({ untilMs }) => untilMs))
  const present = tellers.filter(({ untilMs }) => untilMs > lastMs - SIDE_BY_SIDE_MS)
  const formerMs = Math.max(...tellers.filter(each => !present.includes(each)).map(({ untilMs }) => untilMs))
  const isKnown = present.every(
    ({ dongle: { dongle, trips } }) =>
      dongle?.tellsVin !== false && trips.some(trip => trip.vin === vin && Date.parse(trip.start) > formerMs),
  )
  return isKnown ? present : []
}

function toldUntilMs(vin: string, { stints, acknowledgedMs }: DongleTruth): number | undefined {
  const spans = stints
    .filter(stint => stint.vin === vin)
    .map(({ start, end }) => ({ fromMs: Date.parse(start), toMs: Date.parse(end) }))
  let untilMs: number | undefined
  for (const timeMs of acknowledgedMs)
    if (timeMs > (untilMs ?? 0) && spans.some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs <= toMs))
      untilMs = timeMs
  return untilMs
}

interface RecordScore {
  readonly acknowledged: number
  readonly missing: number
  readonly repeated: number
  /** There, though not known to be acknowledged: the acknowledgement may have been lost. */
  readonly others: number
  /** The first few of what is missing, in milliseconds since 1970. */
  readonly missingMs: readonly number[]
}

export interface FoundEvent {
  readonly timeMs: number
  readonly eventType: string
}

const EXAMPLES = 5

export async function scoreRecords(
  acknowledgedMs: ReadonlySet<number>,
  found: AsyncIterable<FoundEvent>,
): Promise<RecordScore> {
  const typesByTime = new Map<number, Set<string>>()
  let repeated = 0
  for await (const { timeMs, eventType } of found) {
    const types = typesByTime.get(timeMs)
    if (!types) typesByTime.set(timeMs, new Set([eventType]))
    else if (types.has(eventType)) repeated++
    else types.add(eventType)
  }
  const missingMs = [...acknowledgedMs].filter(timeMs => !typesByTime.has(timeMs))
  return {
    acknowledged: acknowledgedMs.size,
    missing: missingMs.length,
    repeated,
    others: typesByTime.size - (acknowledgedMs.size - missingMs.length),
    missingMs: missingMs.slice(0, EXAMPLES),
  }
}

export interface FoundCode {
  readonly deviceId: number
  readonly code: string
  readonly vehicleId: string
  readonly label: string
  readonly recordedMs: number
  readonly deletedMs: number | undefined
}

interface FaultScore {
  readonly stored: number
  readonly listed: number
  readonly found: number
  /** Of those found: how many have a text, and begin and end with the lists that say so. */
  readonly labelled: number
  readonly rightlyBegun: number
  readonly rightlyEnded: number
  /** Found though no dongle told of them. */
  readonly unexpected: number
  readonly missed: readonly FaultLine['fault'][]
}

/** A protocol may tell times in whole seconds. */
const ROUNDING_MS = 1000

export function scoreFaults(
  stored: readonly FaultLine['fault'][],
  found: readonly FoundCode[],
  cars: Cars,
): FaultScore {
  const free = new Set(found.filter(isStanding))
  const listed = stored.flatMap(fault => (fault.listed === null ? [] : [{ fault, listedMs: Date.parse(fault.listed) }]))
  const matches = listed.flatMap(({ fault, listedMs }) => {
    const [match] = [...free]
      .filter(
        ({ deviceId, code, vehicleId }) =>
          deviceId === fault.deviceId && code === fault.code && cars.vinOf(vehicleId) === fault.vin,
      )
      .sort((a, b) => Math.abs(a.recordedMs - listedMs) - Math.abs(b.recordedMs - listedMs))
    if (!match) return []
    free.delete(match)
    return [{ fault, match, listedMs }]
  })
  const matched = new Set(matches.map(({ fault }) => fault))
  return {
    stored: new Set(stored.map(({ vin, code, start }) => `${vin} ${code} ${start}`)).size,
    listed: listed.length,
    found: matches.length,
    labelled: matches.filter(({ match }) => match.label !== '').length,
    rightlyBegun: matches.filter(({ match, listedMs }) => isAbout(match.recordedMs, listedMs)).length,
    rightlyEnded: matches.filter(({ fault, match }) =>
      fault.cleared === null
        ? match.deletedMs === undefined
        : match.deletedMs !== undefined && isAbout(match.deletedMs, Date.parse(fault.cleared)),
    ).length,
    unexpected: free.size,
    missed: listed.filter(({ fault }) => !matched.has(fault)).map(({ fault }) => fault),
  }
}

/** A code that was taken back stays for clients that sync; it ends as it begins. */
const isStanding = ({ recordedMs, deletedMs }: FoundCode) => recordedMs !== deletedMs

const isAbout = (timeMs: number, otherMs: number) => Math.abs(timeMs - otherMs) < ROUNDING_MS
