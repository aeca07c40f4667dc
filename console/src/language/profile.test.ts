import { afterEach, expect, test } from 'vitest'
import { dayOf, instantOfWall, startOfDayMs, wallClock } from '../calendar/days.ts'
import { changeProfile, formatClock, formatDistance, formatQuantity, openProfile } from './language.ts'

afterEach(() => openProfile(undefined))

test('distances, speeds and temperatures are in the units of the person, and nothing else is', () => {
  changeProfile({ distance: 'mi', temperature: '°F' })
  expect(formatDistance(160.9344)).toBe('100\u00a0mi')
  expect(formatQuantity(100, 'km/h', 0)).toBe('62\u00a0mph')
  expect(formatQuantity(-40, '°C')).toBe('-40\u00a0°F')
  expect(formatQuantity(90, '°C')).toBe('194\u00a0°F')
  expect(formatQuantity(12.4, 'V')).toBe('12.4\u00a0V')
})

test.each([
  // Clocks go forward and back there on these days; in Havana at midnight, which there is not once, and twice once.
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', 23],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', 25],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z', 23],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', 25],
  ['Asia/Kolkata', '2026-06-01', '2026-05-31T18:30:00.000Z', 24],
  ['America/St_Johns', '2026-06-01', '2026-06-01T02:30:00.000Z', 24],
])('in %s the day %s begins at %s and has %i hours', (timeZone, day, begin, hours) => {
  changeProfile({ timeZone })
  const beginMs = startOfDayMs(day)
  expect(new Date(beginMs).toISOString()).toBe(begin)
  expect((startOfDayMs(day, 1) - beginMs) / 3_600_000).toBe(hours)
  expect(dayOf(beginMs)).toBe(day)
  expect(dayOf(beginMs - 1)).not.toBe(day)
})

test('clocks and calendars follow the time zone, and go back to that of the browser', () => {
  const noonMs = Date.UTC(2026, 6, 1, 12)
  changeProfile({ timeZone: 'Asia/Tokyo' })
  expect(formatClock(noonMs)).toBe('21:00')
  expect(instantOfWall(wallClock(noonMs).getTime())).toBe(noonMs)
  changeProfile({ timeZone: undefined })
  expect(dayOf(new Date(2026, 6, 1, 23, 59).getTime())).toBe('2026-07-01')
})
