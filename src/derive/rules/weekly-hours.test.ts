import { describe, expect, it } from 'vitest'
import { isWithinHours, type WeeklyHours } from './weekly-hours.ts'

const EIGHT_TO_SIX = [{ fromMinute: 8 * 60, toMinute: 18 * 60 }]
const workdays: WeeklyHours = {
  timeZone: 'Europe/Berlin',
  days: [EIGHT_TO_SIX, EIGHT_TO_SIX, EIGHT_TO_SIX, EIGHT_TO_SIX, EIGHT_TO_SIX, [], []],
}
const isIn = (hours: WeeklyHours, time: string) => isWithinHours(hours, Date.parse(time))

describe('weekly hours', () => {
  it.each([
    ['2026-01-12T06:59:59.999Z', false],
    ['2026-01-12T07:00:00Z', true],
    ['2026-01-12T16:59:59.999Z', true],
    ['2026-01-12T17:00:00Z', false],
    ['2026-07-13T06:00:00Z', true],
    ['2026-07-13T16:00:00Z', false],
    ['2026-01-16T12:00:00Z', true],
    ['2026-01-17T12:00:00Z', false],
    ['2026-01-18T12:00:00Z', false],
    ['1969-12-29T12:00:00Z', true],
    ['1969-12-28T12:00:00Z', false],
  ])('hold by the clock of their zone, in winter and in summer: %s', (time, expected) => {
    expect(isIn(workdays, time)).toBe(expected)
  })

  it('begin on the local day', () => {
    const mondays: WeeklyHours = {
      timeZone: 'Pacific/Auckland',
      days: [[{ fromMinute: 0, toMinute: 60 }], [], [], [], [], [], []],
    }
    expect(isIn(mondays, '2026-07-12T12:30:00Z')).toBe(true)
    expect(isIn(mondays, '2026-07-13T00:30:00Z')).toBe(false)
  })

  it('come twice or not at all when the clock is changed', () => {
    const night: WeeklyHours = {
      timeZone: 'Europe/Berlin',
      days: [[], [], [], [], [], [], [{ fromMinute: 120, toMinute: 180 }]],
    }
    const inside = (day: string) =>
      Array.from({ length: 24 * 4 }, (_, quarter) => Date.parse(`${day}T00:00:00Z`) + (quarter - 8) * 900_000).filter(
        timeMs => isWithinHours(night, timeMs),
      ).length
    expect([inside('2026-03-29'), inside('2026-10-25'), inside('2026-11-01')]).toEqual([0, 8, 4])
  })

  it('know zones that are ahead by quarters of an hour', () => {
    const hours: WeeklyHours = {
      timeZone: 'Asia/Kathmandu',
      days: [[{ fromMinute: 0, toMinute: 1 }], [], [], [], [], [], []],
    }
    expect(isIn(hours, '2026-01-11T18:15:00Z')).toBe(true)
    expect(isIn(hours, '2026-01-11T18:16:00Z')).toBe(false)
  })
})
