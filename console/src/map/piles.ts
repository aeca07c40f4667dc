import type { Car } from '../fleet/car.ts'

/** How far a car is drawn beside its place, in pixels to the right and down. */
export type Offset = readonly [x: number, y: number]

/** The cars that are at the same place as others, by id. */
export type Piles = ReadonlyMap<string, Offset>

/** Places that are closer than this, about five metres, cannot be told apart at any zoom. */
const SAME_PLACE_DEG = 0.00005

/** As wide as the image of a car. */
const BESIDE_PX = 15

/** By how much each car of a spiral is turned against the one before: none hides another, however many there are. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5))

/** The cars that would hide one another, in a spiral around their place; always the same cars at the same places. */
export function pilesOf(cars: readonly Car[]): Piles {
  const at = new Map<string, string[]>()
  for (const { id, state } of cars) {
    if (state.place.kind !== 'at') continue
    const { longitude, latitude } = state.place
    const key = `${Math.round(longitude / SAME_PLACE_DEG)} ${Math.round(latitude / SAME_PLACE_DEG)}`
    const others = at.get(key)
    if (others) others.push(id)
    else at.set(key, [id])
  }
  const piles = new Map<string, Offset>()
  for (const ids of at.values()) {
    if (ids.length === 1) continue
    for (const [index, id] of ids.sort().entries()) {
      const radiusPx = BESIDE_PX * Math.sqrt(index + 0.5)
      const angle = index * GOLDEN_ANGLE
      piles.set(id, [Math.round(radiusPx * Math.cos(angle)), Math.round(radiusPx * Math.sin(angle))])
    }
  }
  return piles
}
