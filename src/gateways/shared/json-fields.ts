/** The fields of a JSON object from outside. */
export type JsonFields = Readonly<Record<string, unknown>>

/** @returns undefined for anything but a JSON object. */
export function jsonFieldsOf(value: unknown): JsonFields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : undefined
}
