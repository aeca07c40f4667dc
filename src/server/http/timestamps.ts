/** An instant as clients get it for `modifyTimestamp`: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. Such texts compare as the instants do. */
export type Instant = string & { readonly __instant: unique symbol }

/** Behind the offset, Java writes the zone in brackets (RFC 9557), and Go its abbreviation. */
const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:(?: ?(?:Z|UTC|GMT)| ?([+\- ])(\d{2}):?(\d{2})?)(?:\[[\w/+-]+\]| [A-Z]{3,5})?)?)?$/i

/** In any form of decisions.md, *Reading requests*. @returns undefined when it is none, or no date of the calendar */
export function parseTimestamp(text: string): Instant | undefined {
  const match = TIMESTAMP.exec(text.trim())
  if (!match) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', sign] = match
  const [zoneHour = '0', zoneMinute = '0'] = match.slice(9)
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const localMs = Date.parse(`${local}Z`)
  // `Date` turns Feb 30 into Mar 1.
  if (Number.isNaN(localMs) || new Date(localMs).toISOString().slice(0, 19) !== local) return undefined
  if (year === '0000' || Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute))
  const utc = new Date(localMs - offsetMinutes * 60_000)
  if (utc.getUTCFullYear() < 1 || utc.getUTCFullYear() > 9999) return undefined
  return `${utc.toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z` as Instant
}

/** The same in milliseconds since 1970, without finer digits; fast for the usual form `2020-02-22T14:37:07.797Z`. */
export function parseTimeMs(text: string): number | undefined {
  if (text.length === USUAL_LENGTH) {
    const date = new Date(text)
    // If it formats to the same text, it is a valid date in that form.
    if (!Number.isNaN(date.getTime()) && date.toISOString() === text) return date.getTime()
  }
  const instant = parseTimestamp(text)
  return instant && Date.parse(`${instant.slice(0, 23)}Z`)
}

const USUAL_LENGTH = 24

/** Timestamps have three fraction digits, except `modifyTimestamp` (decisions.md, *Replies*). */
export function millisecondText(instant: string): string {
  return `${instant.slice(0, 23)}Z`
}
