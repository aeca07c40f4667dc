import { expect, it } from 'vitest'
import { afterKey, drivingWeek } from './driving-hours.tsx'

it('hours without driving are zero', () => {
  const week = drivingWeek([
    { weekday: 1, hour: 8, duration: 600 },
    { weekday: 7, hour: 23, duration: 1800.5 },
  ])
  expect([week.length, week[8], week[9], week[6 * 24 + 23]]).toEqual([7 * 24, 600, 0, 1800.5])
})

it.each([
  [2, 8, 'ArrowDown', 3, 8],
  [0, 8, 'ArrowUp', 0, 8],
  [6, 23, 'ArrowRight', 6, 23],
  [6, 23, 'ArrowLeft', 6, 22],
  [3, 12, 'Home', 3, 0],
  [3, 12, 'End', 3, 23],
])('on day %i at %i, %s leads to day %i at %i', (weekday, hour, key, toDay, toHour) => {
  expect(afterKey(24 * weekday + hour, key)).toBe(24 * toDay + toHour)
})

it('other keys are left to the page', () => {
  expect(afterKey(0, 'Tab')).toBeUndefined()
})
