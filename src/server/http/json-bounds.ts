import { badRequest, ClientError } from '../../model/errors.ts'

export interface JsonBounds {
  readonly depth: number
  /** How many values there may be, including those in arrays and objects. */
  readonly values: number
}

/** Deeper than any GeoJSON, and more values than fit into a body unless they are made to be many. */
export const BODY_BOUNDS: JsonBounds = { depth: 16, values: 2_000_000 }

const QUOTE = 0x22
const COMMA = 0x2c
const NEWLINE = 0x0a
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

const STRUCTURE = [QUOTE, COMMA, NEWLINE, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE]
const IS_STRUCTURE = Uint8Array.from({ length: 256 }, (_, byte) => (STRUCTURE.includes(byte) ? 1 : 0))

/** Before parsing: a short text of brackets costs a parser seconds and gigabytes. @param form `lines`: one JSON each
 * @throws ClientError 400 for a text that is nested too deeply, 413 for one of too many values */
export function requireBounded(text: Uint8Array, bounds: JsonBounds, form: 'json' | 'lines' = 'json'): void {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length && values <= bounds.values; at++) {
    const byte = text[at] ?? 0
    if (IS_STRUCTURE[byte] === 0) continue
    switch (byte) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPENING_BRACKET:
      case OPENING_BRACE:
        if (++depth > bounds.depth)
          throw new ClientError(400, `The body is nested too deeply: ${bounds.depth} levels are the most.`)
        values++
        break
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth--
        break
      case COMMA:
        values++
        break
      case NEWLINE:
        if (form === 'json') break
        depth = 0
        values++
        break
    }
  }
  if (values > bounds.values)
    throw new ClientError(413, `The body holds too many values: ${bounds.values} are the most.`)
}

/** @returns the end of the string that begins there, or the end of the text */
function endOfString(text: Uint8Array, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === BACKSLASH) at++
    else if (text[at] === QUOTE) return at
  }
  return text.length
}

/** The text without what some senders put around it: a byte order mark before it (RFC 8259, 8.1), or NULs after it. */
export function bareText(text: string): string {
  const end = text.indexOf('\0')
  const isPadded = end >= 0 && text.slice(end).replaceAll('\0', '').trim() === ''
  return (isPadded ? text.slice(0, end) : text).trim()
}

/** @param what how an error names the text @throws ClientError 400 */
export function parseJson(text: string, what = 'The body'): unknown {
  try {
    return JSON.parse(bareText(text))
  } catch {
    throw badRequest(`${what} is not valid JSON.`)
  }
}
