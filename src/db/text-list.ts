import { type Statement, sql, verbatim } from './sql.ts'

/** Control characters that separate records and units in ASCII: JSON writes them as escapes. */
const SEPARATOR = '\u001e'
const NULL = '\u001f'
const AS_ARRAY = verbatim(String.raw`, E'\x1e', E'\x1f')`)

/**
 * Texts as a text[]. In an array, each quotation mark of JSON would be escaped here and read there, which took as long as making the JSON.
 * @throws RangeError where one has a character that separates them: ours are JSON, or a route in ASCII
 */
export function textList(texts: readonly (string | null)[]): Statement {
  let joined = ''
  for (const [index, text] of texts.entries()) {
    if (text?.includes(SEPARATOR) || text?.includes(NULL))
      throw new RangeError('a text has a character that separates texts')
    joined += index === 0 ? (text ?? NULL) : `${SEPARATOR}${text ?? NULL}`
  }
  return sql`string_to_array(${joined}::text${AS_ARRAY}`
}
