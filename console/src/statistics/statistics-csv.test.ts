import { expect, it } from 'vitest'
import type { ExportCell, ExportSource } from '../export/files.ts'
import { binsCsv } from './statistics-csv.ts'
import { NOTHING, type Summary } from './summaries.ts'

async function rowsOf({ pages }: ExportSource): Promise<readonly (readonly ExportCell[])[]> {
  const rows: (readonly ExportCell[])[] = []
  for await (const page of pages(new AbortController().signal)) rows.push(...page)
  return rows
}

it('has what its titles say of every bin, and nothing per trip where no trip was', async () => {
  const summary: Summary = {
    trips: 2,
    distance: { sum: 5, average: 2.5, most: 4, least: 1 },
    duration: { sum: 900, average: 450, most: 600, least: 300 },
  }
  const bins = [
    { startMs: new Date(2026, 9, 24).getTime(), summary },
    { startMs: new Date(2026, 9, 25).getTime(), summary: NOTHING },
  ]
  const none = undefined
  expect(await rowsOf(binsCsv(bins, [], 'statistics.csv'))).toEqual([
    [new Date(2026, 9, 24), 5, 0.25, 2, 2.5, 4, 1, 7.5, 10, 5],
    [new Date(2026, 9, 25), 0, 0, 0, none, none, none, none, none, none],
  ])
})
