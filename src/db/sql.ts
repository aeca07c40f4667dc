import { type ClientBase, escapeLiteral, type Pool } from 'pg'
import { parameterOf } from './values.ts'

/** A piece of SQL with its values: `text` uses $1, $2, … for `values`. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** The same with the values as literals, for commands that take no parameters. */
  inlined(): string
}

class Fragment implements Statement {
  readonly #parts: readonly string[]
  readonly #inserts: readonly unknown[]

  constructor(parts: readonly string[], inserts: readonly unknown[]) {
    this.#parts = parts
    this.#inserts = inserts
  }

  get text(): string {
    let count = 0
    return this.#render(() => `$${++count}`)
  }

  get values(): readonly unknown[] {
    const values: unknown[] = []
    this.#collect(values)
    return values
  }

  inlined(): string {
    return this.#render(literalOf)
  }

  #collect(values: unknown[]): void {
    for (const insert of this.#inserts) {
      if (insert instanceof Fragment) insert.#collect(values)
      else values.push(insert)
    }
  }

  #render(place: (value: unknown) => string): string {
    let text = this.#parts[0] ?? ''
    let index = 0
    for (const insert of this.#inserts)
      text += (insert instanceof Fragment ? insert.#render(place) : place(insert)) + this.#parts[++index]
    return text
  }
}

function literalOf(value: unknown): string {
  const parameter = parameterOf(value)
  if (parameter === null || parameter === undefined) return 'null'
  // Without a type, like a parameter.
  if (typeof parameter === 'string' || typeof parameter === 'number' || typeof parameter === 'boolean')
    return escapeLiteral(String(parameter))
  throw new TypeError('a value that has no literal')
}

/** Plain SQL as a tagged template: inserted values become parameters, inserted statements become part of the text. */
export function sql(parts: TemplateStringsArray, ...inserts: readonly unknown[]): Statement {
  return new Fragment(parts, inserts)
}

/** Text from the program itself, such as the name of a column: never from a client. */
export function verbatim(text: string): Statement {
  return new Fragment([text], [])
}

/** The conjunction of conditions; true without any. */
export function allOf(conditions: readonly Statement[]): Statement {
  return joined(conditions, ' and ', 'true')
}

export function listOf(items: readonly Statement[]): Statement {
  return joined(items, ', ', '')
}

export function unionOf(queries: readonly [Statement, ...Statement[]]): Statement {
  return joined(
    queries.map(query => sql`(${query})`),
    ' union all ',
    '',
  )
}

function joined(items: readonly Statement[], separator: string, whenEmpty: string): Statement {
  if (items.length === 0) return new Fragment([whenEmpty], [])
  return new Fragment(['', ...Array.from({ length: items.length - 1 }, () => separator), ''], items)
}

/** Control characters that separate records and units in ASCII: JSON writes them as escapes. */
const SEPARATOR = '\u001e'
const NULL = '\u001f'
const LITERALS = verbatim(`'${SEPARATOR}', '${NULL}'`)

/** Texts as a text[], faster than as an array; a single empty text gives none.
 * @throws RangeError where one has a separator */
export function textList(texts: readonly (string | null)[]): Statement {
  if (texts.some(text => text?.includes(SEPARATOR) || text?.includes(NULL)))
    throw new RangeError('a text has a character that separates texts')
  return sql`string_to_array(${texts.map(text => text ?? NULL).join(SEPARATOR)}::text, ${LITERALS})`
}

/** The rows that a statement gives over one connection, or any of a pool; values as `values.ts` says. */
export async function rowsOf<Row extends object>(
  client: Pick<Pool, 'query'> | ClientBase,
  statement: Statement,
  options?: { readonly prepareAs?: string },
): Promise<Row[]> {
  const { text } = statement
  const values = statement.values.map(parameterOf)
  const name = options?.prepareAs
  // Only a name needs an object, of which the driver makes a slow copy.
  const { rows } = await (name === undefined
    ? client.query<Row>(text, values)
    : client.query<Row>({ name, text, values }))
  return rows
}

/** A connection that can only run statements. */
export interface Connection {
  /** @returns the rows, with values as `values.ts` says. */
  rows<Row extends object>(statement: Statement, options?: { readonly prepareAs?: string }): Promise<Row[]>
}
