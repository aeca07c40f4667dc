/** The names that titles of schemas may become: as generated clients would call their types. */
const TYPE_NAME = /^[A-Z][A-Za-z]+$/

type Json = unknown
type JsonObject = Record<string, Json>

/**
 * Keywords that only the document shows: the route checks the same itself, with a message that says more than a checker
 * of schemas can.
 */
export const checkedByRoute = (keywords: Readonly<Record<string, unknown>>) => ({ [CHECKED_BY_ROUTE]: keywords })

const CHECKED_BY_ROUTE = 'x-checked-by-route'

/**
 * Moves every schema with a title out of the paths into `components.schemas` and leaves a reference, so that the
 * document says each thing once and generated clients get types with names.
 * @returns the paths with references.
 * @throws when two different schemas have one title.
 */
export function withNamedSchemas<Paths extends object>(paths: Paths, schemas: JsonObject): Paths {
  return moved(paths, schemas) as Paths
}

function moved(value: Json, schemas: JsonObject): Json {
  if (Array.isArray(value)) return value.map(item => moved(item, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { [CHECKED_BY_ROUTE]: further, ...keywords } = value as JsonObject
  const all = { ...keywords, ...(further as JsonObject | undefined) }
  const copy: JsonObject = Object.fromEntries(Object.entries(all).map(([key, item]) => [key, moved(item, schemas)]))
  const { title } = copy
  if (typeof title !== 'string' || !TYPE_NAME.test(title)) return copy
  const known = schemas[title]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(copy))
    throw new Error(`two schemas have the title ${title}`)
  schemas[title] = copy
  return { $ref: `#/components/schemas/${title}` }
}
