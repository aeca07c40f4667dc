import { expect, test } from 'vitest'
import { chance } from './chance.ts'

test('the same seeds give the same number, others another', () => {
  expect(chance(1, 2, 3)).toBe(chance(1, 2, 3))
  const numbers = Array.from({ length: 10_000 }, (_, i) => chance(i % 100, Math.floor(i / 100)))
  expect(new Set(numbers).size).toBeGreaterThan(9990)
})

test('numbers are spread evenly from 0 up to 1', () => {
  const tenths = Array.from({ length: 10 }, () => 0)
  for (let i = 0; i < 10_000; i++) {
    const tenth = Math.floor(chance(i, 7) * 10)
    tenths[tenth] = (tenths[tenth] ?? Number.NaN) + 1
  }
  expect(Math.min(...tenths)).toBeGreaterThan(900)
  expect(Math.max(...tenths)).toBeLessThan(1100)
})
