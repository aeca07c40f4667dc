/**
 * The number that an id in a request names, for what is numbered by the database: trips, areas, incidents.
 * @returns undefined for any spelling but that of replies, such as `007`, so that one thing has one id
 */
export function numberIdOf(text: string): number | undefined {
  const id = Number(text)
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(id) ? id : undefined
}
