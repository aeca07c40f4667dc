import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId, Position, Sample } from '../../intake/sample.ts'
import type { OpenTrip, Pause } from './boundaries.ts'
import type { Calibration } from './calibration.ts'
import type { Measured } from './measured.ts'
import { type MeterReadings, noMeters, readingsOf } from './meters.ts'
import type { Odometer } from './odometer.ts'
import type { Path } from './path.ts'
import type { Place, Rival } from './place.ts'
import type { Power, Word } from './power.ts'
import type { Progress } from './progress.ts'
import { METER_TYPES } from './reading.ts'
import type { Route } from './route.ts'
import { isOpen, openSector, type Sector } from './simplify.ts'
import type { Speed, SpeedMark } from './speed.ts'
import type { Stay } from './stay.ts'
import type { Track } from './track.ts'
import type { Cause, OpeningRule, VinRun } from './trip.ts'

/**
 * States as JSON arrays without names: each object is the list of its fields, in the order written here. It is written
 * and read with every upload of every dongle, so it is plain code instead of a description that something interprets.
 * JSON knows neither undefined nor infinity: both are null.
 */
export type Packed<Pack extends (value: never) => unknown> = ReturnType<Pack>

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

const packPower = ({ ignition, engine, isIgnitionDoubted, electricMs, isUnplugged }: Power) =>
  [
    ignition ? packWord(ignition) : null,
    engine ? packWord(engine) : null,
    flagOf(isIgnitionDoubted),
    electricMs,
    flagOf(isUnplugged),
  ] as const
const unpackPower = (packed: Packed<typeof packPower>): Power => ({
  ignition: packed[0] ? unpackWord(packed[0]) : undefined,
  engine: packed[1] ? unpackWord(packed[1]) : undefined,
  isIgnitionDoubted: isSet(packed[2]),
  electricMs: packed[3],
  isUnplugged: isSet(packed[4]),
})

const packRival = (rival: Rival) =>
  [
    packPosition(rival.position),
    packPosition(rival.firstPosition),
    rival.firstMs,
    rival.lastMs,
    rival.count,
    flagOf(rival.isPossible),
    rival.formerUntilMs ?? null,
  ] as const
const unpackRival = (packed: Packed<typeof packRival>): Rival => ({
  position: unpackPosition(packed[0]),
  firstPosition: unpackPosition(packed[1]),
  firstMs: packed[2],
  lastMs: packed[3],
  count: packed[4],
  isPossible: isSet(packed[5]),
  formerUntilMs: packed[6] ?? undefined,
})

const packPlace = ({ position, firstMs, lastMs, rival }: Place) =>
  [packPosition(position), firstMs, lastMs, rival ? packRival(rival) : null] as const
const unpackPlace = ([position, firstMs, lastMs, rival]: Packed<typeof packPlace>): Place => ({
  position: unpackPosition(position),
  firstMs,
  lastMs,
  rival: rival ? unpackRival(rival) : undefined,
})

/** Most of the time a car is where it stays, and came there in no way worth to be told. */
const packStay = (stay: Stay) =>
  [
    packPosition(stay.middle),
    stay.count,
    stay.scatterM,
    stay.sinceMs,
    stay.arrivedMs,
    packPosition(stay.inside),
    stay.insideMs,
    stay.outside ? ([packPosition(stay.outside), stay.outsideMs] as const) : null,
    stay.next ? ([packPosition(stay.next), stay.nextMs, stay.nextBeforeMs, stay.nextArrivedMs] as const) : null,
    stay.leftFrom ? ([packPosition(stay.leftFrom), stay.leftMs] as const) : null,
  ] as const
const unpackStay = (packed: Packed<typeof packStay>): Stay => {
  const [outside, next, left] = [packed[7], packed[8], packed[9]]
  return {
    middle: unpackPosition(packed[0]),
    count: packed[1],
    scatterM: packed[2],
    sinceMs: packed[3],
    arrivedMs: packed[4],
    inside: unpackPosition(packed[5]),
    insideMs: packed[6],
    outside: outside ? unpackPosition(outside[0]) : undefined,
    outsideMs: outside?.[1] ?? 0,
    next: next ? unpackPosition(next[0]) : undefined,
    nextMs: next?.[1] ?? 0,
    nextBeforeMs: next?.[2] ?? 0,
    nextArrivedMs: next?.[3] ?? 0,
    leftFrom: left ? unpackPosition(left[0]) : undefined,
    leftMs: left?.[1] ?? 0,
  }
}

const packSpeed = ({ kmh, timeMs, awakeMs, meanMs, drivenM, toldMs, varianceM2, wheelM }: Speed) =>
  [kmh ?? null, timeMs, awakeMs, meanMs, drivenM, toldMs, varianceM2, wheelM] as const
const unpackSpeed = ([kmh, timeMs, awakeMs, meanMs, drivenM, toldMs, varianceM2, wheelM]: Packed<
  typeof packSpeed
>): Speed => ({
  kmh: kmh ?? undefined,
  timeMs,
  awakeMs,
  meanMs,
  drivenM,
  toldMs,
  varianceM2,
  wheelM,
})

const packMark = ({ timeMs, drivenM, toldMs, varianceM2 }: SpeedMark) => [timeMs, drivenM, toldMs, varianceM2] as const
const unpackMark = ([timeMs, drivenM, toldMs, varianceM2]: Packed<typeof packMark>): SpeedMark => ({
  timeMs,
  drivenM,
  toldMs,
  varianceM2,
})

const packPath = (path: Path) =>
  [
    flagOf(path.hasFix),
    path.countedM,
    path.varianceM2,
    path.counted ? packPosition(path.counted) : null,
    packMark(path.countedMark),
    path.openM,
    path.openVarianceM2,
    path.fixMark === path.countedMark ? null : packMark(path.fixMark),
    path.headingRad ?? null,
    flagOf(path.isStanding),
    path.first ? packPosition(path.first) : null,
    path.reachM,
    path.provenAtM,
  ] as const
const unpackPath = (packed: Packed<typeof packPath>): Path => {
  const countedMark = unpackMark(packed[4])
  return {
    hasFix: isSet(packed[0]),
    countedM: packed[1],
    varianceM2: packed[2],
    counted: packed[3] ? unpackPosition(packed[3]) : undefined,
    countedMark,
    openM: packed[5],
    openVarianceM2: packed[6],
    fixMark: packed[7] ? unpackMark(packed[7]) : countedMark,
    headingRad: packed[8] ?? undefined,
    isStanding: isSet(packed[9]),
    first: packed[10] ? unpackPosition(packed[10]) : undefined,
    reachM: packed[11],
    provenAtM: packed[12],
  }
}

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
    odometer.jumps,
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
  jumps: packed[9],
  settledM: packed[10],
  settledOdometerM: packed[11],
})

export const packMeters = (meters: MeterReadings) => METER_TYPES.map((_, meter) => readingsOf(meters, meter) ?? null)
export const unpackMeters = (packed: Packed<typeof packMeters>): MeterReadings => {
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

export const packRoute = (route: Route) =>
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
export const unpackRoute = (packed: Packed<typeof packRoute>): Route => ({
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

const packTrack = ({ startMs, startPosition, path, route, fixCount }: Track) =>
  [startMs, startPosition ? packPosition(startPosition) : null, packPath(path), packRoute(route), fixCount] as const
const unpackTrack = ([startMs, startPosition, path, route, fixCount]: Packed<typeof packTrack>): Track => ({
  startMs,
  startPosition: startPosition ? unpackPosition(startPosition) : undefined,
  path: unpackPath(path),
  route: unpackRoute(route),
  fixCount,
})

const packCalibration = ({ odometerM, pathM }: Calibration) => [odometerM, pathM] as const
const unpackCalibration = ([odometerM, pathM]: Packed<typeof packCalibration>): Calibration => ({ odometerM, pathM })

const packMeasured = (measured: Measured) =>
  [
    measured.startMs,
    measured.endMs,
    measured.endPosition ? packPosition(measured.endPosition) : null,
    packSpeed(measured.speed),
    packTrack(measured.track),
    measured.otherTrack ? packTrack(measured.otherTrack) : null,
    measured.odometer ? packOdometer(measured.odometer) : null,
    packCalibration(measured.calibration),
    packMeters(measured.meters),
    flagOf(measured.couldTell),
    flagOf(measured.hasMoved),
    flagOf(measured.isTrip),
  ] as const
const unpackMeasured = (packed: Packed<typeof packMeasured>): Measured => ({
  startMs: packed[0],
  endMs: packed[1],
  endPosition: packed[2] ? unpackPosition(packed[2]) : undefined,
  speed: unpackSpeed(packed[3]),
  track: unpackTrack(packed[4]),
  otherTrack: packed[5] ? unpackTrack(packed[5]) : undefined,
  odometer: packed[6] ? unpackOdometer(packed[6]) : undefined,
  calibration: unpackCalibration(packed[7]),
  meters: unpackMeters(packed[8]),
  couldTell: isSet(packed[9]),
  hasMoved: isSet(packed[10]),
  isTrip: isSet(packed[11]),
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

const packTrip = ({ opened, measured, pause, movedMs, toldMs, idle, holdsUntilMs }: OpenTrip) =>
  [
    packOpened(opened),
    packMeasured(measured),
    pause ? packPause(pause) : null,
    movedMs,
    toldMs,
    idle ? packMeasured(idle) : null,
    packInstant(holdsUntilMs),
  ] as const
const unpackTrip = (packed: Packed<typeof packTrip>): OpenTrip => ({
  opened: unpackOpened(packed[0]),
  measured: unpackMeasured(packed[1]),
  pause: packed[2] ? unpackPause(packed[2]) : undefined,
  movedMs: packed[3],
  toldMs: packed[4],
  idle: packed[5] ? unpackMeasured(packed[5]) : undefined,
  holdsUntilMs: unpackInstant(packed[6]),
})

const packInstant = (timeMs: number) => (timeMs === -Infinity ? null : timeMs)
const unpackInstant = (timeMs: number | null) => timeMs ?? -Infinity

export const packVinRun = ({ vin, firstMs, boundaryMs, isConfirmed }: VinRun) =>
  [vin, firstMs, packInstant(boundaryMs), flagOf(isConfirmed)] as const
export const unpackVinRun = ([vin, firstMs, boundaryMs, isConfirmed]: Packed<typeof packVinRun>): VinRun => ({
  vin,
  firstMs,
  boundaryMs: unpackInstant(boundaryMs),
  isConfirmed: isSet(isConfirmed),
})

export const packProgress = (progress: Progress) =>
  [
    progress.lastMs ?? null,
    packPower(progress.power),
    flagOf(progress.isMoving),
    progress.cadenceMs ?? null,
    progress.busySinceMs ?? null,
    progress.place ? packPlace(progress.place) : null,
    progress.stay ? packStay(progress.stay) : null,
    progress.blindMs,
    progress.awakeMs ?? null,
    progress.odometer ? ([progress.odometer.km, progress.odometer.timeMs, progress.odometer.sinceMs] as const) : null,
    progress.calibrations.map(packCalibration),
    progress.trip ? packTrip(progress.trip) : null,
    packInstant(progress.boundaryMs),
    progress.vinRun ? packVinRun(progress.vinRun) : null,
  ] as const
export const unpackProgress = (packed: Packed<typeof packProgress>): Progress => ({
  lastMs: packed[0] ?? undefined,
  power: unpackPower(packed[1]),
  isMoving: isSet(packed[2]),
  cadenceMs: packed[3] ?? undefined,
  busySinceMs: packed[4] ?? undefined,
  place: packed[5] ? unpackPlace(packed[5]) : undefined,
  stay: packed[6] ? unpackStay(packed[6]) : undefined,
  blindMs: packed[7],
  awakeMs: packed[8] ?? undefined,
  odometer: packed[9] ? { km: packed[9][0], timeMs: packed[9][1], sinceMs: packed[9][2] } : undefined,
  calibrations: packed[10].map(unpackCalibration),
  trip: packed[11] ? unpackTrip(packed[11]) : undefined,
  boundaryMs: unpackInstant(packed[12]),
  vinRun: packed[13] ? unpackVinRun(packed[13]) : undefined,
})

export const packSample = ({ deviceId, timeMs, types, numbers, texts }: Sample) =>
  [deviceId, timeMs, types, numbers, texts] as const
export const unpackSample = ([deviceId, timeMs, types, numbers, texts]: readonly [
  DeviceId,
  number,
  readonly EventTypeId[],
  readonly number[],
  readonly string[],
]): Sample => ({ deviceId, timeMs, types, numbers, texts })
