/** The fields of a JSON object that somebody else made. */
export type JsonFields = Readonly<Record<string, unknown>>

/** @returns undefined for what is no JSON object: an array, null, a single value. */
export function jsonFieldsOf(value: unknown): JsonFields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : undefined
}
