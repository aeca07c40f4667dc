import type { Position } from '../../src/model/sample.ts'
import { moved, wayTowards } from './ground.ts'

/** Height above the sea in made-up rolling country, in metres. */
export function heightM({ lon, lat }: Position): number {
  return 230 + 40 * Math.sin(lat * 90) + 30 * Math.sin(lon * 60 + 1) + 4 * Math.sin(lat * 400 + lon * 300)
}

const BASE_M = 20

/** How steep it is in a direction: metres up for each metre, negative downhill. */
export function gradientAt(position: Position, courseDeg: number): number {
  return (heightM(moved(position, wayTowards(courseDeg, BASE_M))) - heightM(position)) / BASE_M
}
