import { ApiError } from '../api/api-error.ts'
import { wallClock } from '../calendar/days.ts'
import { type Language, localeOf } from '../language/language.ts'

/** A cell of a list that is exported. */
export type ExportCell = string | number | Date | undefined

export type ExportRows = readonly (readonly ExportCell[])[]

/** A list of any length as a file has it. */
export interface ExportSource {
  /** Of `fileNameOf`; the format adds its own ending. */
  readonly fileName: string
  readonly titles: readonly string[]
  /** What is here, or what is read page after page; gives up when the signal says so. */
  readonly pages: (signal: AbortSignal) => Iterable<ExportRows> | AsyncIterable<ExportRows>
}

/** Hands a file to the person, as a download of the browser. */
export function saveFile(name: string, type: string, parts: readonly BlobPart[]): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Some browsers begin to read only after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

const LONGEST = 120

/** A name that every file system takes, without an ending, of parts such as a plate and a date; empty parts are left out. */
export function fileNameOf(parts: readonly string[]): string {
  const words = parts.map(part =>
    part.replaceAll(/[^\p{Letter}\p{Number}.-]+/gu, '-').replaceAll(/^[-.]+|(?<![-.])[-.]+$/g, ''),
  )
  return words.filter(Boolean).join('_').slice(0, LONGEST) || 'export'
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Where the next page is. */
  readonly next: string | undefined
}

const PATIENCE_S = 5

/** Reads page after page; waits when the service answers 429. */
export async function* everyPage<T>(
  ask: (next: string | undefined) => Promise<Page<T>>,
  signal: AbortSignal,
): AsyncGenerator<readonly T[]> {
  let next: string | undefined
  do {
    const page = await patiently(() => ask(next), signal)
    yield page.items
    next = page.next
  } while (next !== undefined && !signal.aborted)
}

async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || signal.aborted) throw error
      const pauseMs = (error.retryAfterS ?? PATIENCE_S) * 1000
      await new Promise(resolve => setTimeout(resolve, pauseMs))
      signal.throwIfAborted()
    }
  }
}

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
