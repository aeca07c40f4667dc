import type { AccountReads } from '../../../db/account-reads.ts'
import { readLowWatermark } from '../../../db/low-watermark.ts'
import { sql } from '../../../db/sql.ts'
import {
  type RawSample,
  readStoredSamples,
  type StoredPosition,
  storedPositionOf,
  withRawConnection,
} from '../../../store/index.ts'
import { readCursor } from '../../paging.ts'
import { compareNames } from '../../raw-values.ts'
import { syncRevision } from '../../sync.ts'
import type { GivenLowWatermark } from '../../sync-page.ts'
import { takePage } from './page.ts'
import { firstInstantOf, scopeConditions, timeRange } from './query.ts'
import { ReadingPace } from './reading-pace.ts'
import type { CutPage, EventRequest } from './time-page.ts'

/**
 * Events after the filter, in the order in which they were stored, so out-of-order ones stand where they arrived. With a low
 * watermark, none that were stored after it are read, so no event comes twice when the result is used as the next filter.
 */
export async function readStoredPage(
  reads: AccountReads,
  filter: string,
  { scope, selection, query, limit, lowWatermark: given }: EventRequest & GivenLowWatermark,
): Promise<CutPage & { readonly modifyTimestamp: string }> {
  const cursor = readCursor(query.cursor, ['instant', 'instant', 'number', 'string', 'instant'])
  const place = cursor && { stored: String(cursor[0]), time: String(cursor[1]), deviceId: Number(cursor[2]) }
  // All pages of a walk use that of the first one: a sample of an early page may have been merged in the meantime.
  const lowWatermark = cursor ? String(cursor[4]) : (given ?? (await readLowWatermark(reads)))
  const { fromMs, toMs } = timeRange(query.fromTimestamp, query.toTimestamp)
  // A sample of any time may be stored at any time, so only this bound excludes years in which only others have samples. There
  // is no upper bound: in a burst the last instant becomes known a moment after the samples.
  const firstMs = await firstInstantOf(reads, scope)
  const found = firstMs === undefined ? undefined : scopeConditions(scope)
  const visible = {
    join: found?.trip ?? sql``,
    conditions: found?.conditions ?? [sql`false`],
    range: { fromMs: Math.max(fromMs, firstMs ?? fromMs), toMs },
    isOfTrip: found !== undefined && scope.tripId !== undefined,
    storedTo: given === undefined ? undefined : lowWatermark,
  }
  const pace = new ReadingPace(limit)
  const order = { types: selection.sampleTypes, nextSamples: () => pace.nextSamples }
  const page = await withRawConnection(reads, connection =>
    takePage(readStoredSamples(connection, visible, place ?? filter, order), {
      direction: 'ascending',
      limit,
      pace,
      accept: selection.accept,
      // Many samples share the revision of their batch; each stands alone.
      areTogether: () => false,
      wasBefore: cursor && (event => compareNames(event.name, String(cursor[3])) <= 0 && isAt(event.sample, place)),
    }),
  )
  const { last, firstLeftOut } = page
  const next = last && storedPositionOf(last.sample)
  return {
    page,
    next: next && [next.stored, next.time, next.deviceId, last.name, lowWatermark],
    modifyTimestamp: syncRevision({
      filter,
      lowWatermark,
      leastLeftOut: firstLeftOut && storedPositionOf(firstLeftOut.sample).stored,
    }),
  }
}

function isAt(sample: RawSample, place: StoredPosition | undefined): boolean {
  const { stored, time, deviceId } = storedPositionOf(sample)
  return stored === place?.stored && time === place.time && deviceId === place.deviceId
}
