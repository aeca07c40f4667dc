import { expect, test } from 'vitest'
import { mapSearch } from './map-search.ts'

test('the address of the map keeps what it understands and leaves out the rest', () => {
  expect(mapSearch({ car: 'IMEI_356307042441013', search: 'B-TX', state: 'driving' })).toEqual({
    car: 'IMEI_356307042441013',
    search: 'B-TX',
    state: 'driving',
  })
  expect(mapSearch({ search: 102 })).toEqual({ search: '102' })
  expect(mapSearch({ car: ['a'], search: '', state: 'flying', other: 1 })).toEqual({})
})
