import { expect, test } from 'vitest'
import { mapSearch } from './map-search.ts'

test('the address of the map keeps what it understands and leaves out the rest', () => {
  const understood = { car: 'IMEI_356307042441013', search: 'B-TX', movement: 'driving', attention: true }
  expect(mapSearch(understood)).toEqual(understood)
  expect(mapSearch({ lat: 49.4, lon: 8.7 })).toEqual({ lat: 49.4, lon: 8.7 })
  expect(mapSearch({ lat: 94, lon: 8.7 })).toEqual({})
  expect(mapSearch({ search: 102 })).toEqual({ search: '102' })
  expect(mapSearch({ car: ['a'], search: '', movement: 'flying', attention: 'yes', other: 1 })).toEqual({})
})
