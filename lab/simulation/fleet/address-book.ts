import type { Position } from '../../../src/model/sample.ts'
import { diceOf } from '../dice.ts'
import { routeLengthM } from '../drive-plan.ts'
import { randomRoute } from '../random-route.ts'
import { backwards, type Route } from '../route.ts'
import type { Occupation } from './occupations.ts'

/** The road to a place from the place before it. */
interface Way {
  readonly from: Position
  readonly lengthM: number
  readonly seed: number
  readonly to: Position
  /** What the odometer counts on the way there and on the way back, in whole metres. */
  readonly thereM: number
  readonly backM: number
}

/** The ways to all places that a driver knows. */
export type AddressBook = ReadonlyMap<string, Way>

/** A driver's own places: which roads lead to them follows from the seed. */
export function addressBookOf({ places }: Occupation, home: Position, seed: number): AddressBook {
  const book = new Map<string, Way>()
  // A place comes after the one from which it is reached.
  for (const [i, [name, { from, km }]] of Object.entries(places).entries()) {
    const dice = diceOf(seed, i, 101)
    const start = book.get(from)?.to ?? home
    const way = { from: start, lengthM: dice.between(...km) * 1000, seed: dice.whole(0, 2 ** 31) }
    const route = roadOf(way)
    const thereM = Math.floor(routeLengthM(route))
    const backM = Math.floor(routeLengthM(backwards(route)))
    book.set(name, { ...way, to: route.at(-1) ?? start, thereM, backM })
  }
  return book
}

/** The road itself, point by point: it is long, so it is made again when it is needed. */
export function roadOf({ from, lengthM, seed }: Pick<Way, 'from' | 'lengthM' | 'seed'>): Route {
  return randomRoute(from, lengthM, seed)
}
