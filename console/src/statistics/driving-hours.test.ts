import { expect, it } from 'vitest'
import { afterKey, drivingWeek } from './driving-hours.tsx'

it('hours without driving are zero, and the busiest is known', () => {
  const week = drivingWeek([
    { weekday: 1, hour: 8, duration: 600 },
    { weekday: 7, hour: 23, duration: 1800.5 },
    { weekday: 7, hour: 0, duration: 30 },
  ])
  expect(week.secondsIn({ weekday: 0, hour: 8 })).toBe(600)
  expect(week.secondsIn({ weekday: 6, hour: 23 })).toBe(1800.5)
  expect(week.secondsIn({ weekday: 0, hour: 9 })).toBe(0)
  expect(week.busiest).toEqual({ weekday: 6, hour: 23 })
  expect(drivingWeek([]).busiest).toBeUndefined()
})

it.each([
  [2, 8, 'ArrowDown', 3, 8],
  [0, 8, 'ArrowUp', 0, 8],
  [6, 23, 'ArrowRight', 6, 23],
  [6, 23, 'ArrowLeft', 6, 22],
  [3, 12, 'Home', 3, 0],
  [3, 12, 'End', 3, 23],
])('on day %i at %i, %s leads to day %i at %i', (weekday, hour, key, toDay, toHour) => {
  expect(afterKey({ weekday, hour }, key)).toEqual({ weekday: toDay, hour: toHour })
})

it('other keys are left to the page', () => {
  expect(afterKey({ weekday: 0, hour: 0 }, 'Tab')).toBeUndefined()
})
