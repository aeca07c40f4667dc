import { expect, test } from 'vitest'
import { vinCheckDigit } from '../../src/model/vin.ts'
import { vinOf } from './imei.ts'

test.each(['1M8GDM9AXKP042788', '11111111111111111', '5GZCZ43D13S812715'])('%s has a valid check digit', vin => {
  expect(vinCheckDigit(vin)).toBe(vin[8])
})

test('a VIN is made of its parts and the check digit', () => {
  expect(vinOf('1M8GDM9A', 'KP042788')).toBe('1M8GDM9AXKP042788')
})

test.each([
  ['1M8GDM9', 'KP0427880'],
  ['1M8GDM9O', 'KP042788'],
  ['1M8GDM9A', 'KP04278'],
])('%s and %s make no VIN', (first, last) => {
  expect(() => vinOf(first, last)).toThrow('no VIN')
})
