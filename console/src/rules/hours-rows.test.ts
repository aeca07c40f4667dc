import fc from 'fast-check'
import { expect, it } from 'vitest'
import { daysOf, isOverMidnight, isWholeRow, rowsOf } from './hours-rows.ts'

const WORKDAYS = [0, 1, 2, 3, 4]

it('gives each day its hours, and the night to both of its days', () => {
  expect(daysOf([{ days: WORKDAYS, from: '06:00', to: '18:00' }]).map(day => day.length)).toEqual([1, 1, 1, 1, 1, 0, 0])
  expect(daysOf([{ days: [6], from: '20:00', to: '06:00' }])).toEqual([
    [{ from: '00:00', to: '06:00' }],
    [],
    [],
    [],
    [],
    [],
    [{ from: '20:00', to: '24:00' }],
  ])
  expect(isOverMidnight({ days: [6], from: '20:00', to: '06:00' })).toBe(true)
  expect(isOverMidnight({ days: [6], from: '20:00', to: '00:00' })).toBe(false)
})

it('joins hours that overlap', () => {
  const [monday] = daysOf([
    { days: [0], from: '08:00', to: '12:00' },
    { days: [0], from: '10:00', to: '14:00' },
    { days: [0], from: '16:00', to: '00:00' },
  ])
  expect(monday).toEqual([
    { from: '08:00', to: '14:00' },
    { from: '16:00', to: '24:00' },
  ])
})

it('shows saved hours in few rows', () => {
  const rows = [
    { days: WORKDAYS, from: '20:00', to: '06:00' },
    { days: [5, 6], from: '00:00', to: '00:00' },
  ]
  expect(rowsOf(daysOf([{ days: WORKDAYS, from: '06:00', to: '18:00' }]))).toEqual([
    { days: WORKDAYS, from: '06:00', to: '18:00' },
  ])
  expect(daysOf(rowsOf(daysOf(rows)))).toEqual(daysOf(rows))
})

const clock = fc
  .integer({ min: 0, max: 47 })
  .map(half => `${String(half >> 1).padStart(2, '0')}:${half % 2 ? '30' : '00'}`)
const row = fc.record({
  days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
  from: clock,
  to: clock,
})

it('means the same after it was saved and shown again', () => {
  fc.assert(
    fc.property(fc.array(row.filter(isWholeRow), { maxLength: 4 }), rows => {
      const saved = daysOf(rows)
      expect(daysOf(rowsOf(saved))).toEqual(saved)
    }),
  )
})
