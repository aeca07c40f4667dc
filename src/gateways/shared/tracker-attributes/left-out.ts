/** How many values of each name had no event type. */
export type LeftOutCounts = ReadonlyMap<string, number>

/** Names come from senders; at most this many are counted separately. */
export const MOST_NAMES = 500
/** The name under which all others are counted. */
export const OTHER = 'other'
const NAME = /^[\w.:-]{1,60}$/

/** Counts names in a short list, however many a sender makes up. */
export function countLeftOut(names: Iterable<string>): LeftOutCounts {
  const counts = new Map<string, number>()
  for (const name of names) {
    const isCounted = counts.has(name) || (counts.size < MOST_NAMES && NAME.test(name))
    const counted = isCounted ? name : OTHER
    counts.set(counted, (counts.get(counted) ?? 0) + 1)
  }
  return counts
}
