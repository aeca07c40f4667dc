import { expect, it } from 'vitest'
import { loadLanguage } from '../language/language.ts'
import { longBinNames, shortBinNames, weekNumber } from './bin-name.ts'

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
  expect(longBinNames([monday], 'WEEK', 'de', week)).toEqual(['KW 47, ab 16. Nov. 2026'])
  expect(longBinNames([monday], 'MONTH', 'en', week)).toEqual(['November 2026'])
  expect(shortBinNames([monday], 'YEAR', 'en')).toEqual(['2026'])
})
