import type { Cell, Row } from 'write-excel-file/browser'
import { wallClock } from '../calendar/days.ts'
import type { ExportCell } from './files.ts'
import { xmlText } from './gpx.ts'

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** In characters of the usual font; what is longer is cut by the next column only on the screen. */
const NARROWEST = 10
const WIDEST = 50

/** How long an instant is when it is written. */
const TIME_LENGTH = 19

/** A table as a workbook of Office Open XML: a bold head that stays in sight, numbers and instants that can be counted with. */
export async function xlsxOf(titles: readonly string[], rows: readonly (readonly ExportCell[])[]): Promise<Blob> {
  // Whoever exports nothing does not load it.
  const { default: writeExcelFile } = await import('write-excel-file/browser')
  const head: Row = titles.map(value => ({ value, type: String, fontWeight: 'bold' }))
  const columns = titles.map((title, column) => {
    const longest = rows.reduce(
      (most, row) => Math.max(most, row[column] instanceof Date ? TIME_LENGTH : String(row[column] ?? '').length),
      title.length,
    )
    return { width: Math.min(Math.max(longest + 2, NARROWEST), WIDEST) }
  })
  const data = [head, ...rows.map(row => row.map(cellOf))]
  return writeExcelFile(data, { columns, stickyRowsCount: 1, dateFormat: 'yyyy-mm-dd hh:mm:ss' }).toBlob()
}

function cellOf(cell: ExportCell): Cell {
  if (typeof cell === 'string') return { value: xmlText(cell), type: String }
  if (typeof cell === 'number') return Number.isFinite(cell) ? { value: cell, type: Number } : null
  if (cell === undefined) return null
  // A spreadsheet knows no time zones: what it shows is the clock of the person.
  return { value: wallClock(cell.getTime()), type: Date }
}
