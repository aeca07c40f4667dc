import { badRequest } from '../../../model/errors.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { timeRange } from '../events/query.ts'

const DAY_MS = 86_400_000
const USUAL_DAYS = 30
const MOST_DAYS = 366

/**
 * The period of a question, both ends inclusive for the client.
 * @throws ClientError 400 when it is longer than a year.
 */
export function periodOf(from: string | undefined, to: string | undefined, nowMs: number): TimeRange {
  const asked = timeRange(from, to)
  // Nothing is newer than what a clock that is ahead may send.
  const toMs = Math.min(asked.toMs, nowMs + DAY_MS)
  const fromMs = from === undefined ? toMs - USUAL_DAYS * DAY_MS : asked.fromMs
  if (toMs - fromMs > MOST_DAYS * DAY_MS) {
    throw badRequest(`fromTimestamp must be at most ${MOST_DAYS} days before toTimestamp.`)
  }
  return { fromMs, toMs }
}
