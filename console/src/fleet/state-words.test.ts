import { expect, it } from 'vitest'
import { loadLanguage } from '../language/language.ts'
import { parkedText } from './state-words.ts'

await loadLanguage('de')

const NOW_MS = Date.parse('2026-03-29T12:00:00Z')
const HOUR_MS = 3600 * 1000

it.each([
  [0.05, 'en', 'parked for 3\u00a0min'],
  [3.05, 'de', 'parkt seit 3\u00a0h\u00a003\u00a0min'],
  [47, 'en', 'parked for 47\u00a0h\u00a000\u00a0min'],
  [49, 'en', 'parked for 2 days'],
  [200, 'de', 'parkt seit 8 Tagen'],
  // Its clock is ahead of this one.
  [-1, 'en', ''],
] as const)('%d hours after its trip, a car is in %s "%s"', (hours, language, text) => {
  expect(parkedText(NOW_MS - hours * HOUR_MS, NOW_MS, language)).toBe(text)
})
