import { describe, expect, it } from 'vitest'
import { dayRange } from './query.ts'

const DAY_MS = 24 * 3_600_000
const day = (date: string) => Date.parse(date) / DAY_MS

/** The whole days of a range as [first, the one after the last]. */
const wholeDays = (from: string | undefined, to: string | undefined) => {
  const { firstDay, endDay } = dayRange(from, to, true)
  return [firstDay, endDay]
}

describe('whole days of a range', () => {
  it.each([
    ['2020-01-01T00:00:00.000000Z', '2020-01-31T23:59:59.999000Z', '2020-01-01', '2020-02-01'],
    ['2020-01-01T00:00:00.000000Z', '2020-01-31T23:59:59.998999Z', '2020-01-01', '2020-01-31'],
    // Midnight itself is of the next day, of which only this instant is in the range.
    ['2020-01-01T00:00:00.000000Z', '2020-02-01T00:00:00.000000Z', '2020-01-01', '2020-02-01'],
    ['2019-12-31T00:00:00.000001Z', '2020-01-31T23:59:59.999999Z', '2020-01-01', '2020-02-01'],
    ['1969-12-31T00:00:00.000000Z', '1970-01-01T12:00:00.000000Z', '1969-12-31', '1970-01-01'],
  ])('%s to %s begin with %s and end before %s', (from, to, first, end) => {
    expect(wholeDays(from, to)).toEqual([day(first), day(end)])
  })

  it.each([
    ['2020-01-01T08:00:00.000000Z', '2020-01-01T09:00:00.000000Z'],
    ['2020-01-01T08:00:00.000000Z', '2020-01-02T09:00:00.000000Z'],
    ['2020-01-03T00:00:00.000000Z', '2020-01-01T00:00:00.000000Z'],
  ])('%s to %s has none', (from, to) => {
    const [first, end] = wholeDays(from, to)
    expect(first).toBe(end)
  })

  it.each([
    ['2020-01-01T00:00:00.000000Z', '2020-01-31T23:59:59.999000Z', false],
    ['2020-01-01T00:00:00.000000Z', '2020-02-01T00:00:00.000000Z', true],
    ['2019-12-31T23:59:59.999000Z', '2020-01-31T23:59:59.999000Z', true],
    // The first instant of a millisecond after midnight: nothing of the day before, but not all of its own.
    ['2020-01-01T00:00:00.000001Z', '2020-01-31T23:59:59.999000Z', true],
    ['2020-01-01T08:00:00.000000Z', '2020-01-01T09:00:00.000000Z', true],
    [undefined, '2020-01-31T23:59:59.999000Z', false],
    ['2020-01-01T00:00:00.000000Z', undefined, false],
    ['2020-01-01T08:00:00.000000Z', undefined, true],
  ])('%s to %s has other parts than whole days: %s', (from, to, hasPartialDays) => {
    expect(dayRange(from, to, true).hasPartialDays).toBe(hasPartialDays)
  })

  it('a range without ends has all', () => {
    const [first, end] = wholeDays(undefined, undefined)
    expect(first).toBeLessThanOrEqual(day('0001-01-01'))
    expect(end).toBeGreaterThan(day('9999-12-31'))
  })

  it('where bins begin at other times than days of UTC, none is whole', () => {
    const { firstDay, endDay } = dayRange('2020-01-01T00:00:00.000000Z', undefined, false)
    expect(firstDay).toBe(endDay)
  })
})
