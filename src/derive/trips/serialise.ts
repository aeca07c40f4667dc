import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId, Position, Sample } from '../../intake/sample.ts'
import type { OpenTrip, Pause } from './boundaries.ts'
import type { FoldState } from './fold.ts'
import type { Measured } from './measured.ts'
import { type MeterReadings, noMeters, readingsOf } from './meters.ts'
import type { Odometer } from './odometer.ts'
import type { Path } from './path.ts'
import type { Place, Suspects } from './place.ts'
import type { Power, Word } from './power.ts'
import type { Progress } from './progress.ts'
import { METER_TYPES } from './reading.ts'
import type { Route } from './route.ts'
import { isOpen, openSector, type Sector } from './simplify.ts'
import type { Speed } from './speed.ts'
import type { Cause, OpeningRule, VinRun } from './trip.ts'

/**
 * States as JSON arrays without names: each object is the list of its fields, in the order written here. It is written
 * and read with every upload of every dongle, so it is plain code instead of a description that something interprets.
 * JSON knows neither undefined nor infinity: both are null.
 */
type Packed<Pack extends (value: never) => unknown> = ReturnType<Pack>

/** Changes with the order of fields: a state of another version is not read as one of this. */
const VERSION = 2

const isSet = (flag: 0 | 1): boolean => flag === 1
const flagOf = (isOn: boolean): 0 | 1 => (isOn ? 1 : 0)

const packPosition = ({ lon, lat }: Position) => [lon, lat] as const
const unpackPosition = ([lon, lat]: Packed<typeof packPosition>): Position => ({ lon, lat })

const packWord = (word: Word) => [flagOf(word.isOn), word.silentDays, word.lastDay] as const
const unpackWord = ([isOn, silentDays, lastDay]: Packed<typeof packWord>): Word => ({
  isOn: isSet(isOn),
  silentDays,
  lastDay,
})

const packPower = ({ ignition, engine, isUnplugged }: Power) =>
  [ignition ? packWord(ignition) : null, engine ? packWord(engine) : null, flagOf(isUnplugged)] as const
const unpackPower = ([ignition, engine, isUnplugged]: Packed<typeof packPower>): Power => ({
  ignition: ignition ? unpackWord(ignition) : undefined,
  engine: engine ? unpackWord(engine) : undefined,
  isUnplugged: isSet(isUnplugged),
})

const packSuspects = (suspects: Suspects) =>
  [packPosition(suspects.position), suspects.firstMs, suspects.lastMs, suspects.count] as const
const unpackSuspects = ([position, firstMs, lastMs, count]: Packed<typeof packSuspects>): Suspects => ({
  position: unpackPosition(position),
  firstMs,
  lastMs,
  count,
})

const packPlace = ({ position, firstMs, lastMs, suspects }: Place) =>
  [packPosition(position), firstMs, lastMs, suspects ? packSuspects(suspects) : null] as const
const unpackPlace = ([position, firstMs, lastMs, suspects]: Packed<typeof packPlace>): Place => ({
  position: unpackPosition(position),
  firstMs,
  lastMs,
  suspects: suspects ? unpackSuspects(suspects) : undefined,
})

const packSpeed = ({ kmh, timeMs, blindM, blindMs, drivenM }: Speed) =>
  [kmh ?? null, timeMs, blindM, blindMs, drivenM] as const
const unpackSpeed = ([kmh, timeMs, blindM, blindMs, drivenM]: Packed<typeof packSpeed>): Speed => ({
  kmh: kmh ?? undefined,
  timeMs,
  blindM,
  blindMs,
  drivenM,
})

const packPath = ({ hasFix, countedM, counted, openM, isStanding, first, reachM }: Path) =>
  [
    flagOf(hasFix),
    countedM,
    counted ? packPosition(counted) : null,
    openM,
    flagOf(isStanding),
    first ? packPosition(first) : null,
    reachM,
  ] as const
const unpackPath = ([hasFix, countedM, counted, openM, isStanding, first, reachM]: Packed<typeof packPath>): Path => ({
  hasFix: isSet(hasFix),
  countedM,
  counted: counted ? unpackPosition(counted) : undefined,
  openM,
  isStanding: isSet(isStanding),
  first: first ? unpackPosition(first) : undefined,
  reachM,
})

const packOdometer = (odometer: Odometer) =>
  [
    odometer.firstKm,
    odometer.lastKm,
    odometer.lastMs,
    odometer.firstPathM,
    odometer.firstChangeKm ?? null,
    odometer.firstChangePathM,
    odometer.lastChangePathM,
    odometer.lastPathM,
    odometer.resolutionM,
    odometer.settledM,
    odometer.settledOdometerM,
  ] as const
const unpackOdometer = (packed: Packed<typeof packOdometer>): Odometer => ({
  firstKm: packed[0],
  lastKm: packed[1],
  lastMs: packed[2],
  firstPathM: packed[3],
  firstChangeKm: packed[4] ?? undefined,
  firstChangePathM: packed[5],
  lastChangePathM: packed[6],
  lastPathM: packed[7],
  resolutionM: packed[8],
  settledM: packed[9],
  settledOdometerM: packed[10],
})

const packMeters = (meters: MeterReadings) => METER_TYPES.map((_, meter) => readingsOf(meters, meter) ?? null)
const unpackMeters = (packed: Packed<typeof packMeters>): MeterReadings => {
  const meters = noMeters()
  packed.forEach((readings, meter) => {
    if (readings) [meters[2 * meter], meters[2 * meter + 1]] = readings
  })
  return meters
}

/** An open sector is only as far as its farthest point. */
const packSector = (sector: Sector) =>
  isOpen(sector) ? sector.farthestM : ([sector.middle, sector.low, sector.high, sector.farthestM] as const)
const unpackSector = (packed: Packed<typeof packSector>): Sector => {
  if (typeof packed === 'number') return openSector(packed)
  const [middle, low, high, farthestM] = packed
  return { middle, low, high, farthestM }
}

const packRoute = (route: Route) =>
  [
    route.kept,
    route.keptHash,
    route.final,
    flagOf(route.isEmpty),
    route.lat,
    route.lon,
    route.newestLat,
    route.newestLon,
    packSector(route.sector),
  ] as const
const unpackRoute = (packed: Packed<typeof packRoute>): Route => ({
  kept: packed[0],
  keptHash: packed[1],
  final: packed[2],
  isEmpty: isSet(packed[3]),
  lat: packed[4],
  lon: packed[5],
  newestLat: packed[6],
  newestLon: packed[7],
  sector: unpackSector(packed[8]),
})

const packMeasured = (measured: Measured) =>
  [
    measured.startMs,
    measured.endMs,
    measured.startPosition ? packPosition(measured.startPosition) : null,
    measured.endPosition ? packPosition(measured.endPosition) : null,
    packSpeed(measured.speed),
    packPath(measured.path),
    measured.odometer ? packOdometer(measured.odometer) : null,
    packMeters(measured.meters),
    packRoute(measured.route),
    flagOf(measured.isTrip),
    measured.fixCount,
  ] as const
const unpackMeasured = (packed: Packed<typeof packMeasured>): Measured => ({
  startMs: packed[0],
  endMs: packed[1],
  startPosition: packed[2] ? unpackPosition(packed[2]) : undefined,
  endPosition: packed[3] ? unpackPosition(packed[3]) : undefined,
  speed: unpackSpeed(packed[4]),
  path: unpackPath(packed[5]),
  odometer: packed[6] ? unpackOdometer(packed[6]) : undefined,
  meters: unpackMeters(packed[7]),
  route: unpackRoute(packed[8]),
  isTrip: isSet(packed[9]),
  fixCount: packed[10],
})

const packOpened = ({ rule, timeMs }: Cause<OpeningRule>) => [rule, timeMs] as const
const unpackOpened = ([rule, timeMs]: Packed<typeof packOpened>): Cause<OpeningRule> => ({ rule, timeMs })

const packPause = ({ rule, sinceMs, measured, isSettled }: Pause) =>
  [rule, sinceMs, packMeasured(measured), flagOf(isSettled)] as const
const unpackPause = ([rule, sinceMs, measured, isSettled]: Packed<typeof packPause>): Pause => ({
  rule,
  sinceMs,
  measured: unpackMeasured(measured),
  isSettled: isSet(isSettled),
})

const packTrip = ({ opened, measured, pause }: OpenTrip) =>
  [packOpened(opened), packMeasured(measured), pause ? packPause(pause) : null] as const
const unpackTrip = ([opened, measured, pause]: Packed<typeof packTrip>): OpenTrip => ({
  opened: unpackOpened(opened),
  measured: unpackMeasured(measured),
  pause: pause ? unpackPause(pause) : undefined,
})

const packInstant = (timeMs: number) => (timeMs === -Infinity ? null : timeMs)
const unpackInstant = (timeMs: number | null) => timeMs ?? -Infinity

const packVinRun = ({ vin, firstMs, boundaryMs, isConfirmed }: VinRun) =>
  [vin, firstMs, packInstant(boundaryMs), flagOf(isConfirmed)] as const
const unpackVinRun = ([vin, firstMs, boundaryMs, isConfirmed]: Packed<typeof packVinRun>): VinRun => ({
  vin,
  firstMs,
  boundaryMs: unpackInstant(boundaryMs),
  isConfirmed: isSet(isConfirmed),
})

const packProgress = (progress: Progress) =>
  [
    progress.lastMs ?? null,
    packPower(progress.power),
    flagOf(progress.isMoving),
    progress.place ? packPlace(progress.place) : null,
    progress.trip ? packTrip(progress.trip) : null,
    packInstant(progress.boundaryMs),
    progress.vinRun ? packVinRun(progress.vinRun) : null,
  ] as const
const unpackProgress = (packed: Packed<typeof packProgress>): Progress => ({
  lastMs: packed[0] ?? undefined,
  power: unpackPower(packed[1]),
  isMoving: isSet(packed[2]),
  place: packed[3] ? unpackPlace(packed[3]) : undefined,
  trip: packed[4] ? unpackTrip(packed[4]) : undefined,
  boundaryMs: unpackInstant(packed[5]),
  vinRun: packed[6] ? unpackVinRun(packed[6]) : undefined,
})

/** One that shares nothing with it that changes. */
export function copyOfMeasured(measured: Measured): Measured {
  return unpackMeasured(packMeasured(measured))
}

/** One that shares nothing with it that changes. */
export function copyOfProgress(progress: Progress): Progress {
  return unpackProgress(packProgress(progress))
}

const packSample = ({ deviceId, timeMs, types, numbers, texts }: Sample) =>
  [deviceId, timeMs, types, numbers, texts] as const
const unpackSample = ([deviceId, timeMs, types, numbers, texts]: readonly [
  DeviceId,
  number,
  readonly EventTypeId[],
  readonly number[],
  readonly string[],
]): Sample => ({ deviceId, timeMs, types, numbers, texts })

const packState = ({ progress, newest }: FoldState) =>
  [VERSION, packProgress(progress), newest ? packSample(newest) : null] as const

/** Equal states give equal texts. */
export function serialiseState(state: FoldState): string {
  return JSON.stringify(packState(state))
}

/** @throws when the text was not written by `serialiseState` of this version. */
export function parseState(text: string): FoldState {
  const [version, progress, newest] = JSON.parse(text) as Packed<typeof packState>
  if (version !== VERSION) throw new Error(`a state of the fold of version ${String(version)} can not be read`)
  return { progress: unpackProgress(progress), newest: newest ? unpackSample(newest) : undefined }
}
