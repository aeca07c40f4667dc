import { wallClock } from '../calendar/days.ts'
import { type Language, localeOf } from '../language/language.ts'
import type { ExportCell } from './files.ts'

/**
 * How a spreadsheet of the language reads a CSV file by itself: commas and decimal points (RFC 4180), where those with
 * a decimal comma take the semicolon between cells. All else is RFC 4180 in both.
 */
function dialectOf(language: Language) {
  const hasComma = new Intl.NumberFormat(localeOf(language)).format(0.5).includes(',')
  return hasComma
    ? { separator: ';', decimal: ',', quotes: /[";\r\n]/ }
    : { separator: ',', decimal: '.', quotes: /[",\r\n]/ }
}

/** Excel takes a file for UTF-8 only when it begins with a byte order mark. */
export const CSV_BEGIN = '\uFEFF'
export const CSV_TYPE = 'text/csv;charset=utf-8'

/** Spreadsheets run a text that begins so as a formula (OWASP, *CSV Injection*). */
const FORMULA = /^[=+\-@\t\r]/

/** Rows of a CSV file, each with its line end. Texts that a spreadsheet would run as a formula get a `'` in front. */
export function csvOf(rows: Iterable<readonly ExportCell[]>, language: Language): string {
  const { separator, decimal, quotes } = dialectOf(language)
  const cellOf = (cell: ExportCell) => {
    const text = typeof cell === 'number' ? numberText(cell).replace('.', decimal) : textOf(cell)
    return quotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  let text = ''
  for (const row of rows) text += `${row.map(cellOf).join(separator)}\r\n`
  return text
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : ''
}

function textOf(cell: string | Date | undefined): string {
  if (cell instanceof Date) return csvTime(cell)
  return cell !== undefined && FORMULA.test(cell) ? `'${cell}` : (cell ?? '')
}

/** An instant in the time zone of the person, in the one form that spreadsheets of every language take for a time. */
export function csvTime(time: Date): string {
  return wallClock(time.getTime()).toISOString().slice(0, 19).replace('T', ' ')
}
