import { revisionAfter } from '../db/revisions.ts'

interface SyncPage {
  /** The `filterTimestamp` of the request. */
  readonly filter: string | undefined
  /** Read before the data: `readLowWatermark`. */
  readonly lowWatermark: string
  /** The smallest `modifyTimestamp` among the matching objects that the page left out; undefined when none was. */
  readonly leastLeftOut: string | undefined
}

/**
 * The top-level `modifyTimestamp` of a list: a client that asks again with it as `filterTimestamp` misses nothing
 * (decisions.md, *Sync*). It may be sent an object twice.
 */
export function syncRevision({ filter, lowWatermark, leastLeftOut }: SyncPage): string {
  const top =
    leastLeftOut !== undefined && leastLeftOut <= lowWatermark ? revisionAfter(leastLeftOut, -1) : lowWatermark
  return filter !== undefined && top < filter ? filter : top
}
