import { expect, test } from 'vitest'
import { numberOf } from './tracker-attributes.ts'

test.each([
  ['48.5', 48.5],
  [' -0.25 ', -0.25],
  ['+7', 7],
  ['5.', 5],
  ['.5', 0.5],
  ['1e3', 1000],
  ['2.5E-2', 0.025],
  [12.5, 12.5],
])('%j is the number %d', (value, number) => {
  expect(numberOf(value)).toBe(number)
})

test.each(['', ' ', '.', '1.2.3', '0x10', '1e', 'NaN', 'Infinity', '1e999', null, true, [1], Number.NaN])(
  '%j is no number',
  value => {
    expect(numberOf(value)).toBeUndefined()
  },
)

test('digits without end are no number, and are not looked at', () => {
  expect(numberOf('1'.repeat(100))).toBeCloseTo(1.111e99, -97)
  expect(numberOf('1'.repeat(101))).toBeUndefined()
  expect(numberOf(`${'1'.repeat(5_000_000)}x`)).toBeUndefined()
})
