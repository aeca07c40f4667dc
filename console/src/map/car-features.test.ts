import { describe, expect, test } from 'vitest'
import { carCalled } from '../../test/made-car.ts'
import type { Car } from '../fleet/car.ts'
import type { Place } from '../fleet/car-state.ts'
import { boundsOf, type Drawn, diffOf, featureOf, firstBoundsOf, pilesOf } from './car-features.ts'

function carAt(id: string, longitude: number | undefined, latitude: number | undefined, more: Partial<Car> = {}): Car {
  const place: Place =
    longitude === undefined || latitude === undefined
      ? { kind: 'neverReported' }
      : { kind: 'at', longitude, latitude, measuredMs: 0 }
  const car = carCalled(id)
  return { ...car, ...more, state: { ...car.state, ...more.state, place } }
}

describe('what the map shows of a car', () => {
  test('one that drives points where it goes, one that stands does not', () => {
    const state = { ...carCalled('a').state, movement: { kind: 'driving', speedKmh: 50 } } as const
    const driving = carAt('a', 8, 50, { state, headingDeg: 270 })
    expect(featureOf(driving)?.properties).toMatchObject({ icon: 'car-driving-moving', headingDeg: 270 })
    expect(featureOf(carAt('a', 8, 50, { headingDeg: 270 }))?.properties).toMatchObject({
      icon: 'car-parked',
      headingDeg: 0,
    })
  })

  test('one that needs attention has a sign of it, in whatever it does, and is in front', () => {
    const health = { kind: 'attention', reasons: [{ kind: 'lamp', sinceMs: 0 }] } as const
    const ill = featureOf(carAt('a', 8, 50, { state: { ...carCalled('a').state, health } }))
    expect(ill?.properties).toMatchObject({ icon: 'car-parked-attention', isAttention: 1 })
    expect(ill?.properties.rank).toBeGreaterThan(featureOf(carAt('b', 8, 50))?.properties.rank ?? 0)
  })

  test('what is drawn beside its place is so whichever way it points', () => {
    const state = { ...carCalled('a').state, movement: { kind: 'driving', speedKmh: 50 } } as const
    const east = featureOf(carAt('a', 8, 50, { state, headingDeg: 90 }), [10, 0])
    // Turned by 90° with the image, up is to the right.
    expect(east?.properties.offset.map(Math.round)).toEqual([0, -10])
  })

  test('one that never said where it is cannot be shown', () => {
    expect(featureOf(carAt('a', undefined, undefined))).toBeUndefined()
  })
})

describe('changes of the map', () => {
  test('are the cars that are new, changed or gone', () => {
    const [stays, moves, goes] = [carAt('stays', 1, 1), carAt('moves', 2, 2), carAt('goes', 3, 3)]
    const drawn = new Map<string, Drawn>()
    expect(diffOf(drawn, [stays, moves, goes, carAt('lost', undefined, undefined)]).add).toHaveLength(3)

    const diff = diffOf(drawn, [stays, carAt('moves', 2, 2.5), carAt('comes', 4, 4)])
    expect(diff.add.map(feature => [feature.properties.id, feature.geometry.coordinates])).toEqual([
      ['moves', [2, 2.5]],
      ['comes', [4, 4]],
    ])
    expect(diff.remove).toEqual(['goes'])
    expect([...drawn.keys()]).toEqual(['stays', 'moves', 'comes'])
  })

  test('are a car that gets company at its place, though it did not change itself', () => {
    const drawn = new Map<string, Drawn>()
    const stays = carAt('stays', 1, 1)
    diffOf(drawn, [stays])
    const cars = [stays, carAt('joins', 1, 1)]
    expect(diffOf(drawn, cars, pilesOf(cars)).add).toHaveLength(2)
  })

  test('are none when nothing changed', () => {
    const cars = [carAt('a', 1, 1), carAt('b', undefined, undefined)]
    const drawn = new Map<string, Drawn>()
    diffOf(drawn, cars)
    expect(diffOf(drawn, cars)).toEqual({ add: [], remove: [] })
  })
})

test('all cars are seen in the bounds of those whose position is known', () => {
  expect(boundsOf([carAt('a', 8, 50), carAt('b', undefined, undefined), carAt('c', -3, 52)])).toEqual([-3, 50, 8, 52])
  expect(boundsOf([carAt('b', undefined, undefined)])).toBeUndefined()
})

test('the first view is where most cars are; one far away does not change it', () => {
  const around = Array.from({ length: 11 }, (_, i) => carAt(String(i), 8 + i / 10, 50))
  expect(firstBoundsOf([...around, carAt('abroad', -83, 42)])).toEqual([8, 50, 9, 50])
  // Of few, none is left out.
  expect(firstBoundsOf([carAt('a', 8, 50), carAt('abroad', -83, 42)])).toEqual([-83, 42, 8, 50])
  expect(firstBoundsOf([carAt('a', undefined, undefined)])).toBeUndefined()
})

const at = (name: string, longitude: number, latitude: number) =>
  carCalled(name, { place: { kind: 'at', longitude, latitude, measuredMs: 0 } })

test('cars at one place are drawn beside one another, as far as their images are wide', () => {
  const names = Array.from({ length: 40 }, (_, index) => `car ${index}`)
  const piles = pilesOf([...names.map(name => at(name, 9.99, 53.55)), at('elsewhere', 9.991, 53.55)])
  expect([...piles.keys()].sort()).toEqual(names.sort())
  const offsets = [...piles.values()]
  for (const [index, [x, y]] of offsets.entries())
    for (const [otherX, otherY] of offsets.slice(index + 1))
      expect(Math.hypot(x - otherX, y - otherY)).toBeGreaterThan(12)
})

test('a car by itself is drawn where it is, and so is one of which nobody knows where it is', () => {
  const nowhere = carCalled('nowhere', { place: { kind: 'neverReported' } })
  expect(pilesOf([at('alone', 9.99, 53.55), nowhere]).size).toBe(0)
})

test('every car keeps its side, whatever order they come in', () => {
  const cars = ['a', 'b', 'c', 'd'].map(name => at(name, 9.99, 53.55))
  expect(pilesOf(cars.toReversed())).toEqual(pilesOf(cars))
})
