import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { DeviceId, Position, Sample } from '../../../model/sample.ts'
import type { Calibration } from './calibration.ts'
import type { Measured } from './measured.ts'
import { type MeterReadings, noMeters, readingsOf } from './meters.ts'
import type { Odometer } from './odometer.ts'
import { type OpenTrip, type Pause } from './open-trip.ts'
import type { Path } from './path.ts'
import type { Place, Rival } from './place.ts'
import type { Power, Word } from './power.ts'
import type { Progress } from './progress.ts'
import { METER_TYPES } from './reading.ts'
import type { Route } from './route.ts'
import { isOpen, openSector, type Sector } from './simplify.ts'
import { markOf, type Speed, type SpeedMark } from './speed.ts'
import { type Stay } from './stay.ts'
import type { Track } from './track.ts'
import type { Cause, OpeningRule, VinRun } from './trip.ts'

/**
 * States as JSON arrays without names: each object is the list of its fields, in the order written here. It is written
 * and read with every upload of every dongle, so it is plain code instead of a description that something interprets, and
 * short: long numbers are what takes time. JSON knows neither undefined nor infinity: both are null.
 */
export type Packed<Pack extends (...args: never[]) => unknown> = ReturnType<Pack>

/** What most of a state is near to: the last sample, and where the dongle is. Instants are written as the time since. */
interface Origin {
  readonly timeMs: number
  readonly position: Position | undefined
}

const isSet = (flag: 0 | 1): boolean => flag === 1
const flagOf = (isOn: boolean): 0 | 1 => (isOn ? 1 : 0)

const packPosition = ({ lon, lat }: Position) => [lon, lat] as const
const unpackPosition = ([lon, lat]: Packed<typeof packPosition>): Position => ({ lon, lat })

/** A position that most of the time is the one where the dongle is. */
const packNear = (position: Position, { position: here }: Origin) =>
  here !== undefined && position.lon === here.lon && position.lat === here.lat ? 0 : packPosition(position)
const unpackNear = (packed: Packed<typeof packNear>, { position: here }: Origin): Position => {
  if (packed !== 0) return unpackPosition(packed)
  if (!here) throw new Error('a state of the fold tells of a place that it does not know')
  return here
}

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

const packRival = (rival: Rival, originMs: number) =>
  [
    packPosition(rival.position),
    packPosition(rival.firstPosition),
    rival.firstMs - originMs,
    rival.lastMs - originMs,
    rival.count,
    flagOf(rival.isPossible),
    packSince(rival.formerUntilMs, originMs),
  ] as const
const unpackRival = (packed: Packed<typeof packRival>, originMs: number): Rival => ({
  position: unpackPosition(packed[0]),
  firstPosition: unpackPosition(packed[1]),
  firstMs: packed[2] + originMs,
  lastMs: packed[3] + originMs,
  count: packed[4],
  isPossible: isSet(packed[5]),
  formerUntilMs: unpackSince(packed[6], originMs),
})

const packPlace = ({ position, firstMs, lastMs, rival }: Place, originMs: number) =>
  [packPosition(position), firstMs - originMs, lastMs - originMs, rival ? packRival(rival, originMs) : null] as const
const unpackPlace = ([position, firstMs, lastMs, rival]: Packed<typeof packPlace>, originMs: number): Place => ({
  position: unpackPosition(position),
  firstMs: firstMs + originMs,
  lastMs: lastMs + originMs,
  rival: rival ? unpackRival(rival, originMs) : undefined,
})

/** Most of the time a car is at its stay, with no path to it worth storing. */
const packStay = (stay: Stay, origin: Origin) => {
  const { timeMs } = origin
  const { outside, next, leftFrom } = stay
  return [
    packNear(stay.middle, origin),
    stay.count,
    stay.scatterM,
    stay.sinceMs - timeMs,
    stay.arrivedMs - timeMs,
    packNear(stay.inside, origin),
    stay.insideMs - timeMs,
    outside ? ([packNear(outside, origin), stay.outsideMs - timeMs] as const) : null,
    next
      ? ([
          packNear(next, origin),
          stay.nextMs - timeMs,
          stay.nextBeforeMs - timeMs,
          stay.nextArrivedMs - timeMs,
        ] as const)
      : null,
    leftFrom ? ([packNear(leftFrom, origin), stay.leftMs - timeMs] as const) : null,
  ] as const
}
const unpackStay = (packed: Packed<typeof packStay>, origin: Origin): Stay => {
  const { timeMs } = origin
  const [outside, next, left] = [packed[7], packed[8], packed[9]]
  return {
    middle: unpackNear(packed[0], origin),
    count: packed[1],
    scatterM: packed[2],
    sinceMs: packed[3] + timeMs,
    arrivedMs: packed[4] + timeMs,
    inside: unpackNear(packed[5], origin),
    insideMs: packed[6] + timeMs,
    outside: outside ? unpackNear(outside[0], origin) : undefined,
    outsideMs: outside ? outside[1] + timeMs : 0,
    next: next ? unpackNear(next[0], origin) : undefined,
    nextMs: next ? next[1] + timeMs : 0,
    nextBeforeMs: next ? next[2] + timeMs : 0,
    nextArrivedMs: next ? next[3] + timeMs : 0,
    leftFrom: left ? unpackNear(left[0], origin) : undefined,
    leftMs: left ? left[1] + timeMs : 0,
  }
}

/** Instants of speed are 0 until it is told. */
const packTold = (timeMs: number, originMs: number) => (timeMs === 0 ? null : timeMs - originMs)
const unpackTold = (packed: number | null, originMs: number) => (packed === null ? 0 : packed + originMs)

const packSpeed = ({ kmh, timeMs, awakeMs, meanMs, drivenM, toldMs, varianceM2, wheelM }: Speed, originMs: number) =>
  [
    kmh ?? null,
    packTold(timeMs, originMs),
    packTold(awakeMs, originMs),
    packTold(meanMs, originMs),
    drivenM,
    toldMs,
    varianceM2,
    wheelM,
  ] as const
const unpackSpeed = (
  [kmh, timeMs, awakeMs, meanMs, drivenM, toldMs, varianceM2, wheelM]: Packed<typeof packSpeed>,
  originMs: number,
): Speed => ({
  kmh: kmh ?? undefined,
  timeMs: unpackTold(timeMs, originMs),
  awakeMs: unpackTold(awakeMs, originMs),
  meanMs: unpackTold(meanMs, originMs),
  drivenM,
  toldMs,
  varianceM2,
  wheelM,
})

/** Most of the time no speed was told since, so that its sums are those of now. */
const packMark = ({ timeMs, drivenM, toldMs, varianceM2 }: SpeedMark, speed: Speed, originMs: number) =>
  drivenM === speed.drivenM && toldMs === speed.toldMs && varianceM2 === speed.varianceM2
    ? timeMs - originMs
    : ([timeMs - originMs, drivenM, toldMs, varianceM2] as const)
const unpackMark = (packed: Packed<typeof packMark>, speed: Speed, originMs: number): SpeedMark => {
  if (typeof packed === 'number') return markOf(speed, packed + originMs)
  const [timeMs, drivenM, toldMs, varianceM2] = packed
  return { timeMs: timeMs + originMs, drivenM, toldMs, varianceM2 }
}

const packPath = (path: Path, speed: Speed, origin: Origin) =>
  [
    flagOf(path.hasFix),
    path.countedM,
    path.varianceM2,
    path.counted ? packNear(path.counted, origin) : null,
    packMark(path.countedMark, speed, origin.timeMs),
    path.openM,
    path.openVarianceM2,
    path.fixMark === path.countedMark ? null : packMark(path.fixMark, speed, origin.timeMs),
    path.headingRad ?? null,
    flagOf(path.isStanding),
    path.first ? packNear(path.first, origin) : null,
    path.reachM,
    path.provenAtM,
  ] as const
const unpackPath = (packed: Packed<typeof packPath>, speed: Speed, origin: Origin): Path => {
  const countedMark = unpackMark(packed[4], speed, origin.timeMs)
  return {
    hasFix: isSet(packed[0]),
    countedM: packed[1],
    varianceM2: packed[2],
    counted: packed[3] === null ? undefined : unpackNear(packed[3], origin),
    countedMark,
    openM: packed[5],
    openVarianceM2: packed[6],
    fixMark: packed[7] === null ? countedMark : unpackMark(packed[7], speed, origin.timeMs),
    headingRad: packed[8] ?? undefined,
    isStanding: isSet(packed[9]),
    first: packed[10] === null ? undefined : unpackNear(packed[10], origin),
    reachM: packed[11],
    provenAtM: packed[12],
  }
}

const packOdometer = (odometer: Odometer, originMs: number) =>
  [
    odometer.firstKm,
    odometer.lastKm,
    odometer.lastMs - originMs,
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
const unpackOdometer = (packed: Packed<typeof packOdometer>, originMs: number): Odometer => ({
  firstKm: packed[0],
  lastKm: packed[1],
  lastMs: packed[2] + originMs,
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

const packTrack = ({ startMs, startPosition, path, route, fixCount }: Track, speed: Speed, origin: Origin) =>
  [
    startMs - origin.timeMs,
    startPosition ? packNear(startPosition, origin) : null,
    packPath(path, speed, origin),
    packRoute(route),
    fixCount,
  ] as const
const unpackTrack = (
  [startMs, startPosition, path, route, fixCount]: Packed<typeof packTrack>,
  speed: Speed,
  origin: Origin,
): Track => ({
  startMs: startMs + origin.timeMs,
  startPosition: startPosition === null ? undefined : unpackNear(startPosition, origin),
  path: unpackPath(path, speed, origin),
  route: unpackRoute(route),
  fixCount,
})

const packCalibration = ({ odometerM, pathM }: Calibration) => [odometerM, pathM] as const
const unpackCalibration = ([odometerM, pathM]: Packed<typeof packCalibration>): Calibration => ({ odometerM, pathM })

const packMeasured = (measured: Measured, origin: Origin) =>
  [
    measured.startMs - origin.timeMs,
    measured.endMs - origin.timeMs,
    measured.endPosition ? packNear(measured.endPosition, origin) : null,
    packSpeed(measured.speed, origin.timeMs),
    packTrack(measured.track, measured.speed, origin),
    measured.otherTrack ? packTrack(measured.otherTrack, measured.speed, origin) : null,
    measured.odometer ? packOdometer(measured.odometer, origin.timeMs) : null,
    packCalibration(measured.calibration),
    packMeters(measured.meters),
    flagOf(measured.couldTell),
    flagOf(measured.hasMoved),
    flagOf(measured.isTrip),
  ] as const
const unpackMeasured = (packed: Packed<typeof packMeasured>, origin: Origin): Measured => {
  const speed = unpackSpeed(packed[3], origin.timeMs)
  return {
    startMs: packed[0] + origin.timeMs,
    endMs: packed[1] + origin.timeMs,
    endPosition: packed[2] === null ? undefined : unpackNear(packed[2], origin),
    speed,
    track: unpackTrack(packed[4], speed, origin),
    otherTrack: packed[5] ? unpackTrack(packed[5], speed, origin) : undefined,
    odometer: packed[6] ? unpackOdometer(packed[6], origin.timeMs) : undefined,
    calibration: unpackCalibration(packed[7]),
    meters: unpackMeters(packed[8]),
    couldTell: isSet(packed[9]),
    hasMoved: isSet(packed[10]),
    isTrip: isSet(packed[11]),
  }
}

const packOpened = ({ rule, timeMs }: Cause<OpeningRule>, originMs: number) => [rule, timeMs - originMs] as const
const unpackOpened = ([rule, timeMs]: Packed<typeof packOpened>, originMs: number): Cause<OpeningRule> => ({
  rule,
  timeMs: timeMs + originMs,
})

const packPause = ({ rule, sinceMs, measured, isSettled }: Pause, origin: Origin) =>
  [rule, sinceMs - origin.timeMs, packMeasured(measured, origin), flagOf(isSettled)] as const
const unpackPause = ([rule, sinceMs, measured, isSettled]: Packed<typeof packPause>, origin: Origin): Pause => ({
  rule,
  sinceMs: sinceMs + origin.timeMs,
  measured: unpackMeasured(measured, origin),
  isSettled: isSet(isSettled),
})

const packTrip = ({ opened, measured, pause, movedMs, toldMs, idle, holdsUntilMs }: OpenTrip, origin: Origin) =>
  [
    packOpened(opened, origin.timeMs),
    packMeasured(measured, origin),
    pause ? packPause(pause, origin) : null,
    movedMs - origin.timeMs,
    toldMs - origin.timeMs,
    idle ? packMeasured(idle, origin) : null,
    packInstant(holdsUntilMs - origin.timeMs),
  ] as const
const unpackTrip = (packed: Packed<typeof packTrip>, origin: Origin): OpenTrip => ({
  opened: unpackOpened(packed[0], origin.timeMs),
  measured: unpackMeasured(packed[1], origin),
  pause: packed[2] ? unpackPause(packed[2], origin) : undefined,
  movedMs: packed[3] + origin.timeMs,
  toldMs: packed[4] + origin.timeMs,
  idle: packed[5] ? unpackMeasured(packed[5], origin) : undefined,
  holdsUntilMs: unpackInstant(packed[6]) + origin.timeMs,
})

const packSince = (timeMs: number | undefined, originMs: number) => (timeMs === undefined ? null : timeMs - originMs)
const unpackSince = (packed: number | null, originMs: number) => (packed === null ? undefined : packed + originMs)

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

const packLastOdometer = ({ km, timeMs, sinceMs }: NonNullable<Progress['odometer']>, originMs: number) =>
  [km, timeMs - originMs, sinceMs - originMs] as const
const unpackLastOdometer = ([km, timeMs, sinceMs]: Packed<typeof packLastOdometer>, originMs: number) => ({
  km,
  timeMs: timeMs + originMs,
  sinceMs: sinceMs + originMs,
})

type PackedProgress = readonly [...Packed<typeof packKnown>, parkedMs?: number]

/** What is known of the parked car only until it drives is left out when it is not. */
export const packProgress = (progress: Progress): PackedProgress => {
  const packed = packKnown(progress)
  return progress.parkedMs === undefined ? packed : [...packed, progress.parkedMs]
}

const packKnown = (progress: Progress) => {
  const { lastMs, place, stay, odometer, trip, vinRun } = progress
  const originMs = lastMs ?? 0
  const origin = { timeMs: originMs, position: place?.position }
  return [
    lastMs ?? null,
    packPower(progress.power),
    flagOf(progress.isMoving),
    progress.cadenceMs ?? null,
    packSince(progress.busySinceMs, originMs),
    place ? packPlace(place, originMs) : null,
    stay ? packStay(stay, origin) : null,
    progress.blindMs,
    packSince(progress.awakeMs, originMs),
    odometer ? packLastOdometer(odometer, originMs) : null,
    progress.calibrations.map(packCalibration),
    trip ? packTrip(trip, origin) : null,
    packInstant(progress.boundaryMs - originMs),
    vinRun ? packVinRun(vinRun) : null,
  ] as const
}

/** @param isByOrigin instants are written as the time since the last sample; else as they are. */
export const unpackProgress = (packed: PackedProgress, isByOrigin: boolean): Progress => {
  const originMs = isByOrigin ? (packed[0] ?? 0) : 0
  const place = packed[5] ? unpackPlace(packed[5], originMs) : undefined
  const origin = { timeMs: originMs, position: place?.position }
  return {
    lastMs: packed[0] ?? undefined,
    power: unpackPower(packed[1]),
    isMoving: isSet(packed[2]),
    cadenceMs: packed[3] ?? undefined,
    parkedMs: packed[14],
    busySinceMs: unpackSince(packed[4], originMs),
    place,
    stay: packed[6] ? unpackStay(packed[6], origin) : undefined,
    blindMs: packed[7],
    awakeMs: unpackSince(packed[8], originMs),
    odometer: packed[9] ? unpackLastOdometer(packed[9], originMs) : undefined,
    calibrations: packed[10].map(unpackCalibration),
    trip: packed[11] ? unpackTrip(packed[11], origin) : undefined,
    boundaryMs: unpackInstant(packed[12]) + originMs,
    vinRun: packed[13] ? unpackVinRun(packed[13]) : undefined,
  }
}

export const packSample = ({ deviceId, timeMs, types, numbers, texts }: Sample) =>
  [deviceId, timeMs, types, numbers, texts] as const
export const unpackSample = ([deviceId, timeMs, types, numbers, texts]: readonly [
  DeviceId,
  number,
  readonly EventTypeId[],
  readonly number[],
  readonly string[],
]): Sample => ({ deviceId, timeMs, types, numbers, texts })
