import type { Feature, Point } from 'geojson'
import { boundsOf as boundsOfPoints } from '../base-map/bounds.ts'
import type { Car } from '../fleet/car.ts'

/** What the layers of the map read of a car. */
interface CarProperties {
  readonly id: string
  readonly name: string
  /** Name of one of the images of `car-images.ts`. */
  readonly icon: string
  readonly headingDeg: number
  /** 1 or 0, so that clusters can add it up. */
  readonly isWarning: number
  /** The greater, the further in front. */
  readonly rank: number
}

type CarFeature = Feature<Point, CarProperties>

const RANKS: Readonly<Record<Car['state'], number>> = { offline: 0, parked: 1, driving: 2, warning: 3 }

/** @returns nothing for a car that never said where it is */
export function featureOf(car: Car): CarFeature | undefined {
  if (car.longitude === undefined || car.latitude === undefined) return undefined
  const isMoving = car.tripId !== '' && car.headingDeg !== undefined && car.state !== 'offline'
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [car.longitude, car.latitude] },
    properties: {
      id: car.id,
      name: car.name,
      icon: iconName(car.state, isMoving),
      headingDeg: isMoving ? (car.headingDeg ?? 0) : 0,
      isWarning: car.state === 'warning' ? 1 : 0,
      rank: RANKS[car.state],
    },
  }
}

export function iconName(state: Car['state'], isMoving: boolean): string {
  return isMoving ? `car-${state}-moving` : `car-${state}`
}

interface CarsDiff {
  /** New ones, and those that changed. */
  readonly add: CarFeature[]
  readonly remove: string[]
}

/**
 * What the map must change. Cars that did not change are the same objects as before.
 *
 * @param drawn what the map shows, by id; brought up to date
 */
export function diffOf(drawn: Map<string, Car>, cars: readonly Car[]): CarsDiff {
  const add: CarFeature[] = []
  const gone = new Set(drawn.keys())
  for (const car of cars) {
    const feature = drawn.get(car.id) === car ? undefined : featureOf(car)
    if (feature) {
      add.push(feature)
      drawn.set(car.id, car)
    }
    if (car.longitude !== undefined) gone.delete(car.id)
  }
  for (const id of gone) drawn.delete(id)
  return { add, remove: [...gone] }
}

/** The corners of what holds all cars. @returns nothing while no car said where it is */
export function boundsOf(cars: readonly Car[]): [number, number, number, number] | undefined {
  return boundsOfPoints(
    cars.flatMap(({ longitude, latitude }) =>
      longitude === undefined || latitude === undefined ? [] : [[longitude, latitude] as const],
    ),
  )
}

/** What part of the cars the first view holds at least. */
const FIRST_SHARE = 0.9

/**
 * The corners of what holds most cars: without the tenth that is farthest from the middle, so that one car on another
 * continent does not make a dot of all others.
 */
export function firstBoundsOf(cars: readonly Car[]): ReturnType<typeof boundsOf> {
  const placed = cars.flatMap(car =>
    car.longitude === undefined || car.latitude === undefined
      ? []
      : [{ car, longitude: car.longitude, latitude: car.latitude }],
  )
  const middle = { longitude: median(placed.map(at => at.longitude)), latitude: median(placed.map(at => at.latitude)) }
  const narrowing = Math.cos((middle.latitude * Math.PI) / 180)
  const away = (at: (typeof placed)[number]) =>
    Math.hypot((at.longitude - middle.longitude) * narrowing, at.latitude - middle.latitude)
  const nearest = placed.sort((left, right) => away(left) - away(right))
  return boundsOf(nearest.slice(0, Math.ceil(placed.length * FIRST_SHARE)).map(({ car }) => car))
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? 0
}
