import { describe, expect, test } from 'vitest'
import { isFound } from './car.ts'

const car = {
  name: 'B-TX 102',
  plate: 'B-TX 102',
  vin: 'WVWZZZ1KZAW000102',
  deviceId: 356_307_042_441_013,
  makeAndModel: 'Volkswagen Golf',
}

describe('search', () => {
  test.each(['B-TX 102', 'btx102', 'b tx', '  TX-102 ', 'wvwzzz1k', '2441013', 'golf', 'Volkswagen  golf', ''])(
    '"%s" finds the car',
    typed => expect(isFound(car, typed)).toBe(true),
  )

  test.each(['B-TX 103', 'passat', '102wvw', '0'.repeat(15)])('"%s" does not', typed =>
    expect(isFound(car, typed)).toBe(false),
  )

  test('accents need not be typed, and may be', () => {
    const czech = { ...car, makeAndModel: 'Škoda Octavia', plate: 'TÜ-X 1' }
    for (const typed of ['skoda', 'ŠKODA', 'tu-x', 'tü x']) expect(isFound(czech, typed)).toBe(true)
  })

  test('a car without a dongle or plate is found by what it has', () => {
    const bare = { name: 'WVWZZZ1KZAW000103', plate: '', vin: 'WVWZZZ1KZAW000103', deviceId: null, makeAndModel: '' }
    expect(isFound(bare, 'kzaw000103')).toBe(true)
    expect(isFound(bare, 'null')).toBe(false)
  })
})
