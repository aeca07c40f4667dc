import { EVENT_TYPES } from '../catalogue/event-types.ts'
import { type Statement, sql } from '../db/sql.ts'
import { numbersPerValue, type Sample } from '../model/sample.ts'

/** Row header, columns of fixed length, and index entry. */
const ROW_BYTES = 90
/** Packed bytes per number; measured on drives of real cars. */
const NUMBER_BYTES = 5
const TEXT_BYTES = 8
const TEXTS_BYTES = 24

/** The approximate size of a sample on disk. */
export function storedBytesOf({ numbers, texts }: Sample): number {
  let bytes = ROW_BYTES + numbers.length * NUMBER_BYTES
  if (texts.length === 0) return bytes
  bytes += TEXTS_BYTES
  for (const text of texts) bytes += TEXT_BYTES + text.length
  return bytes
}

/** How many numbers a value takes, by the id of its type, starting at 1. */
const WIDTHS = EVENT_TYPES.reduce<number[]>((widths, type) => {
  widths[type.id - 1] = numbersPerValue(type)
  return widths
}, [])

/** The same of many samples that are stored, all of these types: how many there are, and what `storedTextBytes` of them makes. */
export function storedBytesOfAll(types: Statement, samples: Statement, textBytes: Statement): Statement {
  return sql`${samples} * (${ROW_BYTES}::bigint + ${NUMBER_BYTES}::bigint * (
    select coalesce(sum((${WIDTHS}::smallint[])[type]), 0) from unnest(${types}) as type)) + ${textBytes}`
}

/** The size of the texts of a stored sample. */
export function storedTextBytes(texts: Statement): Statement {
  return sql`(case when cardinality(${texts}) > 0 then ${TEXTS_BYTES}::bigint
    + ${TEXT_BYTES}::bigint * cardinality(${texts}) + length(array_to_string(${texts}, '')) else 0 end)`
}
