import { wallClock } from '../calendar/days.ts'
import { type Language, localeOf } from '../language/language.ts'
import type { ExportCell } from './files.ts'

/**
 * How a spreadsheet of the language reads a CSV file by itself: commas and decimal points (RFC 4180), where those with
 * a decimal comma take the semicolon between cells. All else is RFC 4180 in both.
 */
interface Dialect {
  readonly separator: ',' | ';'
  readonly decimal: '.' | ','
}

function dialectOf(language: Language): Dialect {
  const isComma = new Intl.NumberFormat(localeOf(language)).format(0.5).includes(',')
  return isComma ? { separator: ';', decimal: ',' } : { separator: ',', decimal: '.' }
}

/** Excel takes a file for UTF-8 only when it begins with a byte order mark. */
export const CSV_BEGIN = '\uFEFF'
export const CSV_TYPE = 'text/csv;charset=utf-8'

/** Spreadsheets run a text that begins so as a formula (OWASP, *CSV Injection*). */
const FORMULA = /^[=+\-@\t\r]/

const CELL_END: Readonly<Record<Dialect['separator'], RegExp>> = { ',': /[",\r\n]/, ';': /[";\r\n]/ }

/** Rows of a CSV file, each with its line end. Texts that a spreadsheet would run as a formula get a `'` in front. */
export function csvOf(rows: Iterable<readonly ExportCell[]>, language: Language): string {
  const { separator, decimal } = dialectOf(language)
  let text = ''
  for (const row of rows) text += `${row.map(cell => cellOf(cell, separator, decimal)).join(separator)}\r\n`
  return text
}

function cellOf(cell: ExportCell, separator: Dialect['separator'], decimal: Dialect['decimal']): string {
  if (cell === undefined) return ''
  if (cell instanceof Date) return csvTime(cell)
  if (typeof cell === 'number') {
    if (!Number.isFinite(cell)) return ''
    return quoted(String(cell).replace('.', decimal), separator)
  }
  return quoted(FORMULA.test(cell) ? `'${cell}` : cell, separator)
}

function quoted(text: string, separator: Dialect['separator']): string {
  return CELL_END[separator].test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** An instant in the time zone of the person, in the one form that spreadsheets of every language take for a time. */
export function csvTime(time: Date): string {
  return wallClock(time.getTime()).toISOString().slice(0, 19).replace('T', ' ')
}
