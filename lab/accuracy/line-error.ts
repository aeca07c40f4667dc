import { positionsOf } from '../../src/derive/trips/route.ts'
import type { DerivedTrip } from '../../src/derive/trips/trip.ts'
import type { Position } from '../../src/model/sample.ts'
import { metresBetween, type Way, wayBetween, wrappedDegrees } from '../simulation/ground.ts'
import type { Recording, Stint } from '../simulation/recording.ts'

/** The farthest that any trip's line is from everywhere the car was, driven or towed; undefined without any line. */
export function farthestFromTruthM({ truth }: Recording, trips: readonly DerivedTrip[]): number | undefined {
  const fromWays = distanceFromWays(truth.stints, truth.tows)
  const points = trips.flatMap(({ route }) => positionsOf(route.text))
  return points.length === 0
    ? undefined
    : points.reduce((farthest, point) => Math.max(farthest, fromWays(point, farthest)), 0)
}

interface Piece {
  readonly from: Position
  readonly way: Way
  readonly lengthM2: number
}

/** Pieces of road that the car moved on, and the box around them, in degrees from `origin`. */
interface DrivenWay {
  readonly pieces: readonly Piece[]
  readonly origin: Position
  readonly least: Position
  readonly most: Position
}

/** @returns the distance to the ways; within `nearEnoughM` it may be any up to that */
export function distanceFromWays(
  stints: readonly Stint[],
  tows: NonNullable<Recording['truth']['tows']> = [],
): (point: Position, nearEnoughM?: number) => number {
  const driven = stints.flatMap(({ schedule }) =>
    schedule.drives.flatMap(({ plan }) => wayOf(plan.stretches.map(({ leg }) => leg))),
  )
  const ways = [...driven, ...tows.flatMap(tow => wayOf([tow]))]
  // Most points lie on the piece of the one before, or on the next one.
  let lastPieces: DrivenWay['pieces'] = []
  return (point, nearEnoughM = 0) => {
    for (const piece of lastPieces) {
      const distanceM = distanceFromPieceM(point, piece)
      if (distanceM <= nearEnoughM) return distanceM
    }
    let nearestM = Number.POSITIVE_INFINITY
    for (const way of ways) {
      if (metresBetween(point, nearestOfBox(point, way)) >= nearestM) continue
      for (const [i, piece] of way.pieces.entries()) {
        const distanceM = distanceFromPieceM(point, piece)
        if (distanceM >= nearestM) continue
        nearestM = distanceM
        lastPieces = way.pieces.slice(i, i + 2)
        if (nearestM <= nearEnoughM) return nearestM
      }
    }
    return nearestM
  }
}

function wayOf(legs: readonly { readonly from: Position; readonly to: Position }[]): DrivenWay[] {
  const different = [...new Set(legs)]
  const origin = different[0]?.from
  if (!origin) return []
  const points = different.flatMap(({ from, to }) => [from, to]).map(point => degreesFrom(origin, point))
  const lons = points.map(({ lon }) => lon)
  const lats = points.map(({ lat }) => lat)
  return [
    {
      pieces: different.map(pieceOf),
      origin,
      least: { lon: Math.min(...lons), lat: Math.min(...lats) },
      most: { lon: Math.max(...lons), lat: Math.max(...lats) },
    },
  ]
}

/** So that a box across the antimeridian is one, too. */
function degreesFrom(origin: Position, { lon, lat }: Position): Position {
  return { lon: wrappedDegrees(lon - origin.lon), lat: lat - origin.lat }
}

function nearestOfBox(point: Position, { origin, least, most }: DrivenWay): Position {
  const { lon, lat } = degreesFrom(origin, point)
  return {
    lon: wrappedDegrees(origin.lon + Math.min(Math.max(lon, least.lon), most.lon)),
    lat: origin.lat + Math.min(Math.max(lat, least.lat), most.lat),
  }
}

function pieceOf({ from, to }: { readonly from: Position; readonly to: Position }): Piece {
  const way = wayBetween(from, to)
  return { from, way, lengthM2: way.eastM ** 2 + way.northM ** 2 }
}

function distanceFromPieceM(point: Position, { from, way, lengthM2 }: Piece): number {
  const away = wayBetween(from, point)
  const share = lengthM2 === 0 ? 0 : (away.eastM * way.eastM + away.northM * way.northM) / lengthM2
  const along = Math.min(1, Math.max(0, share))
  const [eastM, northM] = [away.eastM - way.eastM * along, away.northM - way.northM * along]
  // Each point of each line is compared with many pieces, and Math.hypot takes several times as long.
  return Math.sqrt(eastM * eastM + northM * northM)
}
