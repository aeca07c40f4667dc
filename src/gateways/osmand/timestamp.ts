import { parseTimeMs } from '../../server/http/timestamps.ts'

/** Counts of seconds end here, as in Traccar: above are milliseconds. */
const LAST_SECOND = 2 ** 31 - 1

/**
 * Reads a time as senders of this protocol write it: seconds or milliseconds since 1970, ISO 8601, or
 * `yyyy-MM-dd HH:mm:ss`; UTC where no zone is named.
 * @returns milliseconds since 1970, or undefined when it is none of these.
 */
export function timeMsOf(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\s*-?\d+(\.\d+)?\s*$/.test(value)) return parseTimeMs(value)
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const number = Number(value)
  const timeMs = Math.floor(number < LAST_SECOND ? number * 1000 : number)
  return Number.isSafeInteger(timeMs) ? timeMs : undefined
}
