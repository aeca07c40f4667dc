import type { Path } from '../path.ts'
import type { Route } from '../route.ts'
import { isOpen, openSector, type Sector } from '../simplify.ts'
import { markOf, type Speed, type SpeedMark } from '../speed.ts'
import type { Track } from '../track.ts'
import { flagOf, isSet, type Origin, type Packed, packNear, unpackNear } from './values.ts'

/** Instants of speed are 0 until a speed is reported. */
const packTold = (timeMs: number, originMs: number) => (timeMs === 0 ? null : timeMs - originMs)
const unpackTold = (packed: number | null, originMs: number) => (packed === null ? 0 : packed + originMs)

export const packSpeed = (
  { kmh, timeMs, awakeMs, meanMs, drivenM, toldMs, varianceM2, wheelM }: Speed,
  originMs: number,
) =>
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
export const unpackSpeed = (
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

/** Usually no speed was reported since then, so that its sums are the present ones. */
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

/** Of an open sector, only the farthest point is known. */
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

export const packTrack = ({ startMs, startPosition, path, route, fixCount }: Track, speed: Speed, origin: Origin) =>
  [
    startMs - origin.timeMs,
    startPosition ? packNear(startPosition, origin) : null,
    packPath(path, speed, origin),
    packRoute(route),
    fixCount,
  ] as const
export const unpackTrack = (
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
