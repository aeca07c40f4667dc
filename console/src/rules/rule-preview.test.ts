import { expect, it } from 'vitest'
import { everyDay } from './rule-preview.tsx'

it('has a bar for every day until today, those without incidents too', () => {
  const [before, today] = ['2026-01-13', '2026-01-15'].map(day => ({ day, count: 1 }))
  const days = everyDay([before!, today!], 4, Date.parse('2026-01-15T08:00:00Z'))
  expect(days.map(({ count }) => count)).toEqual([0, 1, 0, 1])
})
