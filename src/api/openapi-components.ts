/** Valid component names for schema titles: generated clients use them as type names. */
const TYPE_NAME = /^[A-Z][A-Za-z]+$/

type Json = unknown
type JsonObject = Record<string, Json>

/**
 * Keywords that only the document shows: the route checks the same itself, with a better message than a schema validator
 * can give.
 */
export const checkedByRoute = (keywords: Readonly<Record<string, unknown>>) => ({ [CHECKED_BY_ROUTE]: keywords })

const CHECKED_BY_ROUTE = 'x-checked-by-route'

/**
 * Moves every schema with a title out of the paths into `components.schemas` and leaves a reference, so that the
 * document states each schema once and generated clients get named types.
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
