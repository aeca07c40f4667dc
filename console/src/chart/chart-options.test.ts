import { expect, test } from 'vitest'
import { valueRange } from './chart-options.ts'

test('an axis goes a little beyond what is drawn, and not below nothing without need', () => {
  expect(valueRange(0, 100)).toEqual([0, 105])
  expect(valueRange(40, 60)).toEqual([39, 61])
  expect(valueRange(-10, 10)).toEqual([-11, 11])
})

test('a value that never changes stands in the middle of what is close to it', () => {
  const [from, to] = valueRange(14.2, 14.2)
  expect(from).toBeCloseTo(13.49)
  expect(to).toBeCloseTo(14.91)
  expect(valueRange(0, 0)).toEqual([0, 0.5])
})

test('shows shares of a whole, and from nothing on what is measured so', () => {
  expect(valueRange(40, 45, '%')).toEqual([0, 100])
  expect(valueRange(90, 110, '%')).toEqual([89, 111])
  expect(valueRange(90, 100, 'km/h')).toEqual([0, 105])
  expect(valueRange(0, 0, 'km/h')).toEqual([0, 1])
  expect(valueRange(90, 100, '°C')).toEqual([89.5, 100.5])
})
