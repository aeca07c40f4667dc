/** How the records that were acknowledged agree with those that the API tells of. */
export interface RecordScore {
  readonly acknowledged: number
  /** Acknowledged, but not there. */
  readonly missing: number
  /** Events that are there more than once. */
  readonly repeated: number
  /** There, though not known to be acknowledged: the acknowledgement may have been lost. */
  readonly others: number
  /** The first few of what is missing, in milliseconds since 1970. */
  readonly missingMs: readonly number[]
}

export interface FoundEvent {
  readonly timeMs: number
  readonly eventType: string
}

const EXAMPLES = 5

/** @param found every event of one device */
export async function scoreRecords(
  acknowledgedMs: ReadonlySet<number>,
  found: AsyncIterable<FoundEvent>,
): Promise<RecordScore> {
  const typesByTime = new Map<number, Set<string>>()
  let repeated = 0
  for await (const { timeMs, eventType } of found) {
    const types = typesByTime.get(timeMs)
    if (!types) typesByTime.set(timeMs, new Set([eventType]))
    else if (types.has(eventType)) repeated++
    else types.add(eventType)
  }
  const missingMs = [...acknowledgedMs].filter(timeMs => !typesByTime.has(timeMs))
  return {
    acknowledged: acknowledgedMs.size,
    missing: missingMs.length,
    repeated,
    others: typesByTime.size - (acknowledgedMs.size - missingMs.length),
    missingMs: missingMs.slice(0, EXAMPLES),
  }
}
