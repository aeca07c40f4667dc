import type { Position } from '../../src/model/sample.ts'
import { type Dice, diceOf } from './dice.ts'
import { moved, wayTowards } from './ground.ts'
import type { Route, Waypoint } from './route.ts'

/** A kind of road: how fast, how winding, and how often there is a junction with a light. */
interface Road {
  readonly limitsKmh: readonly [number, ...number[]]
  readonly legM: readonly [least: number, most: number]
  /** The most that it turns from one leg to the next. */
  readonly bendDeg: number
  readonly junctionShare: number
  readonly stopS: number
}

const TOWN: Road = { limitsKmh: [30, 50, 50], legM: [60, 180], bendDeg: 12, junctionShare: 0.2, stopS: 70 }
const COUNTRY: Road = { limitsKmh: [70, 80, 100], legM: [120, 260], bendDeg: 14, junctionShare: 0.03, stopS: 40 }
const MOTORWAY: Road = { limitsKmh: [110, 130], legM: [250, 500], bendDeg: 5, junctionShare: 0, stopS: 0 }

/** Lengths from which a drive leaves the town, and from which it takes the motorway. */
const COUNTRY_FROM_M = 4000
const MOTORWAY_FROM_M = 20_000

/**
 * A made-up way from `start`, about `lengthM` long: through the town, over land and on the motorway if it is far, and
 * into a town again. Its bends are those of roads; it need not lead along any real one.
 */
export function randomRoute(start: Position, lengthM: number, seed: number): Route {
  const dice = diceOf(seed, 11)
  let courseDeg = dice.between(0, 360)
  let drivenM = 0
  let limitKmh = 30
  let road = TOWN
  let position = start
  const route: Waypoint[] = []
  while (drivenM < lengthM) {
    const roadNow = roadAt(drivenM, lengthM)
    const isJunction = route.length > 0 && dice.happens(roadNow.junctionShare)
    if (roadNow !== road || isJunction || route.length === 0) limitKmh = dice.oneOf(roadNow.limitsKmh)
    road = roadNow
    courseDeg += turnDeg(dice, road, isJunction)
    route.push({ ...position, limitKmh, ...(isJunction && { stopS: road.stopS }) })
    const legM = dice.between(...road.legM)
    position = moved(position, wayTowards(courseDeg, legM))
    drivenM += legM
  }
  return [...route, { ...position, limitKmh: 30 }]
}

function roadAt(drivenM: number, lengthM: number): Road {
  const fromEndM = Math.min(drivenM, lengthM - drivenM)
  if (lengthM >= MOTORWAY_FROM_M && fromEndM > lengthM / 4) return MOTORWAY
  return lengthM >= COUNTRY_FROM_M && fromEndM > lengthM / 8 ? COUNTRY : TOWN
}

function turnDeg(dice: Dice, { bendDeg }: Road, isJunction: boolean): number {
  const bend = dice.between(-bendDeg, bendDeg)
  return isJunction ? bend + dice.oneOf([0, 90, -90]) : bend
}
