/** The fields of a JSON object from outside. */
export type JsonFields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
