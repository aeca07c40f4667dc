import { expect, it } from 'vitest'
import { binCells } from './statistics-csv.ts'
import { NOTHING, type Summary } from './summaries.ts'

it('has what its titles say of every bin, and nothing per trip where no trip was', () => {
  const summary: Summary = {
    trips: 2,
    distance: { sum: 5, average: 2.5, most: 4, least: 1 },
    duration: { sum: 900, average: 450, most: 600, least: 300 },
  }
  const startMs = new Date(2026, 9, 24).getTime()
  const none = undefined
  expect(binCells({ startMs, summary })).toEqual([new Date(startMs), 5, 0.25, 2, 2.5, 4, 1, 7.5, 10, 5])
  expect(binCells({ startMs, summary: NOTHING })).toEqual([
    new Date(startMs),
    0,
    0,
    0,
    none,
    none,
    none,
    none,
    none,
    none,
  ])
})
