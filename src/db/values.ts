import { types } from 'pg'

/** Integers are numbers, beyond 2^53 an error; instants are texts with six digits: comparable, and exact. */
export function parserOf(typeId: number, format: 'text' | 'binary' = 'text'): (value: string) => unknown {
  if (format === 'binary') return value => value
  switch (typeId) {
    case INT8:
      return wholeNumber
    case INT8_ARRAY:
      return value => listItems(value).map(wholeNumber)
    case TIMESTAMPTZ:
      return instantText
    case TIMESTAMPTZ_ARRAY:
      return value => listItems(value).map(quotedInstantText)
    case NUMERIC:
      return Number
    default:
      return types.getTypeParser(typeId, 'text')
  }
}

const INT8 = 20
const INT8_ARRAY = 1016
const TIMESTAMPTZ = 1184
const TIMESTAMPTZ_ARRAY = 1185
const NUMERIC = 1700

function listItems(value: string): string[] {
  return value === '{}' ? [] : value.slice(1, -1).split(',')
}

function wholeNumber(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} from the database does not fit a number`)
  return number
}

/** `2020-02-22 14:37:07.79+00` (the session's zone is UTC) to `2020-02-22T14:37:07.790000Z`; infinities stay as they are. */
function instantText(value: string): string {
  if (value.endsWith('infinity')) return value
  const seconds = value.slice(0, 19).replace(' ', 'T')
  const fraction = value.length > 22 ? value.slice(20, -3) : ''
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}

/** Of an item of an array, where instants are in quotation marks. */
function quotedInstantText(item: string): string {
  return instantText(item.replaceAll('"', ''))
}

/** Milliseconds since 1970 of an instant as the database gives it; finer digits are dropped. */
export function instantMs(text: string): number {
  if (text === '-infinity') return Number.NEGATIVE_INFINITY
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  return Date.parse(`${text.slice(0, 23)}Z`)
}

/** The database's form of a time in milliseconds; infinities become PostgreSQL's. */
export function instantOfMs(timeMs: number): string {
  if (timeMs === Number.NEGATIVE_INFINITY) return '-infinity'
  if (timeMs === Number.POSITIVE_INFINITY) return 'infinity'
  return new Date(timeMs).toISOString()
}

/** An array in PostgreSQL's text form: the same as the driver's, several times as fast. */
export function parameterOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  let text = ''
  for (const item of value as readonly unknown[]) {
    const itemText = itemTextOf(item)
    if (itemText === undefined) return value
    text += text === '' ? itemText : `,${itemText}`
  }
  return `{${text}}`
}

function itemTextOf(item: unknown): string | undefined {
  if (item === null) return 'NULL'
  if (typeof item === 'number' || typeof item === 'boolean') return String(item)
  return typeof item === 'string' ? quotedItem(item) : undefined
}

/** A text as an item of an array that PostgreSQL reads. */
export function quotedItem(text: string): string {
  // JSON escapes the same, twice as fast, except for what it writes in a way that PostgreSQL does not read.
  return JSON_ONLY.test(text) ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : JSON.stringify(text)
}

/** Control characters, and halves of surrogate pairs. */
const JSON_ONLY = /[\p{Cc}\p{Cs}]/u

/** The items of a text[] as PostgreSQL writes it. */
export function textItems(array: string): string[] {
  return types.getTypeParser(TEXT_ARRAY, 'text')(array) as string[]
}

const TEXT_ARRAY = 1009 as Parameters<typeof types.getTypeParser>[0]
