import { afterEach, describe, expect, it } from 'vitest'
import { loadLanguage, speak } from '../language/language.ts'
import { binStartsMs, fittingSizes, longBinName, periodBefore, shortBinName, startOfBinMs, weekNumber } from './bins.ts'
import { periodOf } from './statistics-search.ts'

const zoneOfTheMachine = process.env.TZ

afterEach(() => {
  speak('en')
  if (zoneOfTheMachine === undefined) delete process.env.TZ
  else process.env.TZ = zoneOfTheMachine
})

const texts = (startsMs: readonly number[]) => startsMs.map(startMs => new Date(startMs).toISOString())
const ms = (text: string) => Date.parse(text)

describe('the calendar of bins', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28T10:00Z', ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00']],
    ['Europe/Berlin', '2026-10-24T10:00Z', ['2026-10-23T22:00', '2026-10-24T22:00', '2026-10-25T23:00']],
    ['America/New_York', '2026-03-07T12:00Z', ['2026-03-07T05:00', '2026-03-08T05:00', '2026-03-09T04:00']],
    ['Asia/Kathmandu', '2026-03-07T12:00Z', ['2026-03-06T18:15', '2026-03-07T18:15', '2026-03-08T18:15']],
    // The clocks went from 23:59:59 to 01:00 there: that day had no midnight.
    ['America/Sao_Paulo', '2018-11-03T12:00Z', ['2018-11-03T03:00', '2018-11-04T03:00', '2018-11-05T02:00']],
    // The clocks went from 00:59:59 back to 00:00: that day had two.
    ['America/Havana', '2026-10-31T12:00Z', ['2026-10-31T04:00', '2026-11-01T04:00', '2026-11-02T05:00']],
  ])('has days of 23, 24 and 25 hours in %s', (zone, from, starts) => {
    process.env.TZ = zone
    const days = binStartsMs(ms(from), ms(from) + 48 * 3_600_000, 'DAY')
    expect(texts(days)).toEqual(starts.map(start => `${start}:00.000Z`))
  })

  it('has weeks from Monday on, over the end of summer time and of the year', () => {
    process.env.TZ = 'Europe/Berlin'
    expect(texts(binStartsMs(ms('2026-10-25T12:00Z'), ms('2026-11-02T12:00Z'), 'WEEK'))).toEqual([
      '2026-10-18T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
      '2026-11-01T23:00:00.000Z',
    ])
    expect(texts([startOfBinMs(ms('2027-01-03T12:00Z'), 'WEEK')])).toEqual(['2026-12-27T23:00:00.000Z'])
  })

  it('has months and years of their own lengths', () => {
    process.env.TZ = 'Europe/Berlin'
    expect(texts(binStartsMs(ms('2024-01-31T12:00Z'), ms('2024-04-01T12:00Z'), 'MONTH'))).toEqual([
      '2023-12-31T23:00:00.000Z',
      '2024-01-31T23:00:00.000Z',
      '2024-02-29T23:00:00.000Z',
      '2024-03-31T22:00:00.000Z',
    ])
    expect(texts([startOfBinMs(ms('2026-11-21T12:00Z'), 'YEAR', -4)])).toEqual(['2021-12-31T23:00:00.000Z'])
    expect(texts([startOfBinMs(ms('2026-03-31T12:00Z'), 'MONTH', -1)])).toEqual(['2026-01-31T23:00:00.000Z'])
  })

  it('has the bin of an instant at both of its ends', () => {
    process.env.TZ = 'Europe/Berlin'
    const day = startOfBinMs(ms('2026-10-25T12:00Z'), 'DAY')
    const next = startOfBinMs(day, 'DAY', 1)
    expect(next - day).toBe(25 * 3_600_000)
    expect(binStartsMs(day, next - 1, 'DAY')).toEqual([day])
    expect(binStartsMs(day, next, 'DAY')).toEqual([day, next])
  })
})

it('long ranges are not shown by day', () => {
  const year = (count: number) => fittingSizes(0, count * 365 * 24 * 3_600_000)
  expect(year(1)).toEqual(['DAY', 'WEEK', 'MONTH', 'YEAR'])
  expect(year(2)).toEqual(['WEEK', 'MONTH', 'YEAR'])
  expect(year(20)).toEqual(['MONTH', 'YEAR'])
  expect(year(100)).toEqual(['YEAR'])
})

const local = (month: number, day: number, hour = 0, minute = 0) =>
  new Date(2026, month - 1, day, hour, minute).getTime()

describe('the period before', () => {
  const nowMs = local(11, 20, 10, 30)

  it('of the last 30 days is the 30 days before them, up to the same time of day', () => {
    const period = periodOf({}, local(11, 20))
    expect(period.fromMs).toBe(local(10, 22))
    const before = periodBefore(period, nowMs)
    expect(before.fromMs).toBe(local(9, 22))
    const passedMs = Math.floor((nowMs - period.fromMs) / 3_600_000) * 3_600_000
    expect(before.toMs).toBe(local(9, 22) + passedMs - 1)
  })

  it('of the last months is as many months before, however long they are', () => {
    const period = periodOf({ range: 'months' }, local(11, 20))
    expect(periodBefore(period, nowMs).fromMs).toBe(new Date(2024, 11, 1).getTime())
  })

  it('of days of one’s own is as many days before, whatever their bins are', () => {
    const period = periodOf({ from: '2026-03-20', to: '2026-04-02', by: 'WEEK' }, nowMs)
    const before = periodBefore(period, nowMs)
    expect([before.fromMs, before.toMs]).toEqual([local(3, 6), local(3, 20) - 1])
  })

  it('never reaches into the period itself', () => {
    const period = periodOf({ range: 'years' }, local(11, 20))
    expect(periodBefore(period, nowMs).toMs).toBeLessThan(period.fromMs)
  })
})

await loadLanguage('de')

it.each([
  [2026, 1, 1, 1],
  [2026, 11, 21, 47],
  [2026, 12, 31, 53],
  [2027, 1, 3, 53],
  [2027, 1, 4, 1],
  [2024, 12, 30, 1],
  [2021, 1, 1, 53],
  [2023, 1, 1, 52],
])('%i-%i-%i is in week %i', (year, month, day, week) => {
  expect(weekNumber(new Date(year, month - 1, day).getTime())).toBe(week)
})

it('weeks are named by their number and Monday, other bins by their dates', () => {
  const monday = new Date(2026, 10, 16).getTime()
  const week = (number: number, day: string) => `KW ${number}, ab ${day}`
  speak('de')
  expect(longBinName(monday, 'WEEK', week)).toBe('KW 47, ab 16. Nov. 2026')
  expect(longBinName(monday, 'MONTH', week)).toBe('November 2026')
  expect(shortBinName(monday, 'YEAR')).toBe('2026')
})
