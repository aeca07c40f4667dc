import { describe, expect, test } from 'vitest'
import type { Car } from '../fleet/car.ts'
import { boundsOf, diffOf, featureOf, firstBoundsOf } from './car-features.ts'

function carAt(id: string, longitude: number | undefined, latitude: number | undefined, more: Partial<Car> = {}): Car {
  const unknown = { plate: '', vin: '', deviceId: null, makeAndModel: '', speedKmh: undefined, positionMs: undefined }
  const parked = { state: 'parked', headingDeg: undefined, tripId: '', isHidden: false } as const
  return { ...unknown, ...parked, id, name: id, longitude, latitude, ...more }
}

describe('what the map shows of a car', () => {
  test('one that drives points where it goes, one that stands does not', () => {
    const driving = carAt('a', 8, 50, { state: 'driving', tripId: '1', headingDeg: 270 })
    expect(featureOf(driving)?.properties).toMatchObject({ icon: 'car-driving-moving', headingDeg: 270 })
    expect(featureOf(carAt('a', 8, 50, { headingDeg: 270 }))?.properties).toMatchObject({
      icon: 'car-parked',
      headingDeg: 0,
    })
  })

  test('one that never said where it is can not be shown', () => {
    expect(featureOf(carAt('a', undefined, undefined))).toBeUndefined()
  })
})

describe('changes of the map', () => {
  test('are the cars that are new, changed or gone', () => {
    const [stays, moves, goes] = [carAt('stays', 1, 1), carAt('moves', 2, 2), carAt('goes', 3, 3)]
    const drawn = new Map<string, Car>()
    expect(diffOf(drawn, [stays, moves, goes, carAt('lost', undefined, undefined)]).add).toHaveLength(3)

    const diff = diffOf(drawn, [stays, carAt('moves', 2, 2.5), carAt('comes', 4, 4)])
    expect(diff.add.map(feature => [feature.properties.id, feature.geometry.coordinates])).toEqual([
      ['moves', [2, 2.5]],
      ['comes', [4, 4]],
    ])
    expect(diff.remove).toEqual(['goes'])
    expect([...drawn.keys()]).toEqual(['stays', 'moves', 'comes'])
  })

  test('are none when nothing changed', () => {
    const cars = [carAt('a', 1, 1), carAt('b', undefined, undefined)]
    const drawn = new Map<string, Car>()
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
