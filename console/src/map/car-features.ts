import { boundsOf as boundsOfPoints, type LonLat } from '../base-map/lon-lat.ts'
import { type Car, needsAttention } from '../fleet/car.ts'
import { isMoving as isOnTrip, type MovementKind } from '../fleet/car-state.ts'

const RANKS: Readonly<Record<MovementKind, number>> = {
  withoutDongle: 0,
  neverReported: 0,
  silent: 1,
  catchingUp: 2,
  parked: 3,
  idling: 4,
  driving: 5,
}
const ATTENTION_RANK = 10

const NO_OFFSET: Offset = [0, 0]

/** Of the letters of names on the map. */
export const NAME_SIZE_PX = 12

/** What the layers of the map read of a car. @returns nothing for one whose position is unknown */
export function featureOf(car: Car, offset: Offset = NO_OFFSET) {
  const { place, movement } = car.state
  if (place.kind !== 'at') return undefined
  const isMoving = movement.kind === 'driving' && car.headingDeg !== undefined
  const headingDeg = isMoving ? (car.headingDeg ?? 0) : 0
  const isAttention = needsAttention(car)
  return {
    type: 'Feature' as const,
    geometry: { type: 'Point' as const, coordinates: [place.longitude, place.latitude] },
    properties: {
      id: car.id,
      name: car.name,
      icon: iconName(movement.kind, isMoving, isAttention),
      headingDeg,
      // 1 or 0, so that clusters can add them up; in a trip it drives or stands.
      isAttention: isAttention ? 1 : 0,
      isInTrip: isOnTrip(movement) ? 1 : 0,
      offset: turned(offset, -headingDeg),
      ...nameBeside(offset),
      // The greater, the further in front.
      rank: RANKS[movement.kind] + (isAttention ? ATTENTION_RANK : 0),
    },
  }
}

/**
 * Which side of the name is at its place, and how far from it, in heights of its letters: below a car by itself; to the left or
 * right of a pile, so that no name is on another car of it.
 */
function nameBeside(offset: Offset) {
  const [x, y] = offset
  if (offset === NO_OFFSET) return { nameAnchor: 'top', nameOffset: [0, 1.5] }
  const isLeft = x < 0
  return { nameAnchor: isLeft ? 'right' : 'left', nameOffset: [x / NAME_SIZE_PX + (isLeft ? -1 : 1), y / NAME_SIZE_PX] }
}

/** Layers turn the offset of an image with the image; this turns it back. */
function turned([x, y]: Offset, degrees: number): Offset {
  if (degrees === 0) return [x, y]
  const [sine, cosine] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
  return [x * cosine - y * sine, x * sine + y * cosine]
}

/** @param isMoving it drives, and is known where to */
export function iconName(movement: MovementKind, isMoving: boolean, isAttention: boolean): string {
  return `car-${movement}${isMoving ? '-moving' : ''}${isAttention ? '-attention' : ''}`
}

/** What the map shows of a car. */
export interface Drawn {
  readonly car: Car
  readonly offset: Offset | undefined
}

/**
 * What the map must change. Cars that did not change are the same objects as before.
 *
 * @param drawn what the map shows, by id; brought up to date
 */
export function diffOf(drawn: Map<string, Drawn>, cars: readonly Car[], piles: Piles = new Map()) {
  /** New ones, and those that changed. */
  const add: NonNullable<ReturnType<typeof featureOf>>[] = []
  const gone = new Set(drawn.keys())
  for (const car of cars) {
    const before = drawn.get(car.id)
    const offset = piles.get(car.id)
    const isSame = before?.car === car && before.offset?.[0] === offset?.[0] && before.offset?.[1] === offset?.[1]
    const feature = isSame ? undefined : featureOf(car, offset)
    if (feature) {
      add.push(feature)
      drawn.set(car.id, { car, offset })
    }
    if (car.state.place.kind === 'at') gone.delete(car.id)
  }
  for (const id of gone) drawn.delete(id)
  return { add, remove: [...gone] }
}

/** The corners of a box around all cars. @returns nothing while no position is known */
export function boundsOf(cars: readonly Car[]): ReturnType<typeof boundsOfPoints> {
  return boundsOfPoints(placesOf(cars))
}

/** What part of the cars the first view holds at least. */
const FIRST_SHARE = 0.9

/**
 * The corners of what holds most cars: without the tenth that is farthest from the middle, so that one car on another
 * continent does not make a dot of all others.
 */
export function firstBoundsOf(cars: readonly Car[]): ReturnType<typeof boundsOf> {
  const places = placesOf(cars)
  const [x, y] = [median(places.map(([longitude]) => longitude)), median(places.map(([, latitude]) => latitude))]
  const narrowing = Math.cos((y * Math.PI) / 180)
  const away = ([longitude, latitude]: LonLat) => Math.hypot((longitude - x) * narrowing, latitude - y)
  const nearest = places.sort((one, other) => away(one) - away(other))
  return boundsOfPoints(nearest.slice(0, Math.ceil(places.length * FIRST_SHARE)))
}

function placesOf(cars: readonly Car[]): LonLat[] {
  return cars.flatMap(({ state: { place } }): LonLat[] =>
    place.kind === 'at' ? [[place.longitude, place.latitude]] : [],
  )
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? 0
}

/** How far a car is drawn beside its place, in pixels to the right and down. */
type Offset = readonly [x: number, y: number]

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
