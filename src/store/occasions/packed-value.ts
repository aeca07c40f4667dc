import { type Statement, sql, verbatim } from '../../db/sql.ts'

/** Values above one bound and below another one, as far as there are any. */
export interface ValueRange {
  readonly above?: number | undefined
  readonly below?: number | undefined
}

/**
 * A condition on the column `numbers` of a sample that holds `count` packed numbers (`packed-numbers.ts`): that the one at an index is in a
 * range. As bytes: doubles in big-endian order compare like numbers, the negative ones in reverse; missing zero bytes at the end change nothing.
 * PostgreSQL looks at a sample in 0.1 µs that way, and to send it takes longer.
 */
export function packedValueIn(count: number, index: number, { above, below }: ValueRange): Statement {
  const value = verbatim(packedValue(count, index))
  // 0 takes no byte, and the first byte of a negative number is beyond those of all others.
  if (above === 0 && below !== undefined && below > 0)
    return sql`${verbatim(size(index))} > 0 and ${value} < ${bytesOf(below)}`
  // Both on one side of 0 bound each other, and PostgreSQL takes the bytes out twice instead of six times.
  if (above !== undefined && below !== undefined && above >= 0 && below > 0)
    return sql`${value} > ${bytesOf(above)} and ${value} < ${bytesOf(below)}`
  if (above !== undefined && below !== undefined && above < 0 && below < 0)
    return sql`${value} < ${bytesOf(above)} and ${value} > ${bytesOf(below)}`
  const bounds = [
    ...(above === undefined ? [] : [greaterThan(value, above)]),
    ...(below === undefined ? [] : [lessThan(value, below)]),
  ]
  return bounds.length === 0 ? sql`true` : bounds.reduce((all, bound) => sql`${all} and ${bound}`)
}

/** The bytes of a number, counted from the nearer end. */
function packedValue(count: number, index: number): string {
  const sizes = Array.from({ length: count }, (_, place) => size(place))
  const [before, behind] = [sizes.slice(0, index), sizes.slice(index)]
  const start =
    before.length < behind.length
      ? [Math.ceil(count / 2) + 1, ...before].join(' + ')
      : `octet_length(numbers) + 1 - ${behind.join(' - ')}`
  return `substring(numbers, ${start}, ${size(index)})`
}

function size(index: number): string {
  return `(get_byte(numbers, ${index >> 1}) ${index % 2 === 0 ? '>> 4' : '& 15'})`
}

/** The first byte of a negative number has its sign. */
const NEGATIVE = verbatim(`'\\x80'::bytea`)

function greaterThan(value: Statement, bound: number): Statement {
  return bound < 0 ? sql`${value} < ${bytesOf(bound)}` : sql`${value} > ${bytesOf(bound)} and ${value} < ${NEGATIVE}`
}

function lessThan(value: Statement, bound: number): Statement {
  if (bound < 0) return sql`${value} > ${bytesOf(bound)}`
  return bound === 0 ? sql`${value} >= ${NEGATIVE}` : sql`(${value} < ${bytesOf(bound)} or ${value} >= ${NEGATIVE})`
}

function bytesOf(number: number): Statement {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(number === 0 ? 0 : number)
  // Packed numbers have no zeros at their end.
  const length = bytes.findLastIndex(byte => byte !== 0) + 1
  return verbatim(`'\\x${bytes.toString('hex', 0, length)}'::bytea`)
}
