import { type Statement, sql, verbatim } from './sql.ts'

/** Control characters that separate records and units in ASCII: JSON writes them as escapes. */
const SEPARATOR = '\u001e'
const NULL = '\u001f'
const LITERALS = verbatim(`'${SEPARATOR}', '${NULL}'`)

/**
 * Texts as a text[]; a single empty text gives none. In an array, each quotation mark of JSON would be escaped here and read there, which
 * took as long as making the JSON.
 * @throws RangeError where one has a character that separates them: ours are JSON, or a route in ASCII
 */
export function textList(texts: readonly (string | null)[]): Statement {
  if (texts.some(text => text?.includes(SEPARATOR) || text?.includes(NULL)))
    throw new RangeError('a text has a character that separates texts')
  return sql`string_to_array(${texts.map(text => text ?? NULL).join(SEPARATOR)}::text, ${LITERALS})`
}
