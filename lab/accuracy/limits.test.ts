import { expect, test } from 'vitest'
import { type KindName, kindNamed } from '../simulation/kinds-of-dongles.ts'
import { brokenLimits, limitsOf } from './cell.ts'

const kilometres = (name: KindName, cadenceS: number) => limitsOf(kindNamed(name), cadenceS, false).mostKilometreError

test('the farther apart records are, the more a length may be off, unless there is an odometer', () => {
  expect([1, 10, 30, 60, 120, 300].map(cadenceS => kilometres('motion', cadenceS))).toEqual([
    0.01, 0.01, 0.02, 0.02, 0.04, 0.06,
  ])
  for (const name of ['everything', 'positions-odometer', 'odometer', 'wired-on', 'hybrid-odometer'] as const)
    expect(kilometres(name, 300)).toBe(0.005)
  expect(kilometres('hybrid', 300)).toBe(0.015)
})

test('a cell names what it breaks, and a length that is no number as well', () => {
  const limits = limitsOf(kindNamed('motion'), 10, false)
  const held = { drives: 100, found: 100, f1: 0.98, kilometreError: -0.01, medianTripError: 0, devices: [] }
  expect(brokenLimits({ ...held, farthestM: undefined }, limits)).toEqual([])
  expect(brokenLimits({ ...held, f1: 0.97, kilometreError: 0.02, farthestM: 101 }, limits)).toEqual([
    'F1',
    'kilometres',
    'farthest',
  ])
  expect(brokenLimits({ ...held, f1: Number.NaN, kilometreError: Number.NaN, farthestM: 5 }, limits)).toEqual([
    'F1',
    'kilometres',
  ])
})
