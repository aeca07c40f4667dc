import type { Database } from '../../../store/database.ts'
import { readSafePoint } from '../../../store/safe-point.ts'
import { withRawConnection } from '../../../store/samples/raw-rows.ts'
import { readStoredSamples, type StoredSample } from '../../../store/samples/reader.ts'
import { sql } from '../../../store/sql.ts'
import { instantOfMs, instantText } from '../../../store/values.ts'
import { readCursor } from '../../paging.ts'
import { syncStamp } from '../../sync.ts'
import { takePage } from './page.ts'
import { scopeConditions, timeRange } from './query.ts'
import type { CutPage, EventRequest } from './time-page.ts'

/** Events in the order in which they were stored, after the filter: late ones come when they came. */
export async function readStoredPage(
  database: Database,
  filter: string,
  { scope, selection, query, limit, signal }: EventRequest,
): Promise<CutPage<StoredSample> & { readonly modifyTimestamp: string }> {
  const cursor = readCursor(query.cursor, ['instant', 'instant', 'number', 'string', 'instant'])
  const place = cursor && { stored: String(cursor[0]), time: String(cursor[1]), deviceId: Number(cursor[2]) }
  // Every page of one walk keeps the first one's: a sample of an early page may have been merged meanwhile.
  const safePoint = cursor ? String(cursor[4]) : await readSafePoint(database)
  const { fromMs, toMs } = timeRange(query.fromTimestamp, query.toTimestamp)
  const found = scopeConditions(scope)
  const ofTrip = scope.tripId === undefined ? [] : [sql`s.time between t.start_time and t.end_time`]
  const visible = {
    join: found?.trip ?? sql``,
    conditions: found
      ? [...found.conditions, sql`s.time >= ${instantOfMs(fromMs)} and s.time < ${instantOfMs(toMs)}`, ...ofTrip]
      : [sql`false`],
  }
  const page = await withRawConnection(database, signal, connection =>
    takePage(readStoredSamples(connection, visible, place ?? filter, selection.sampleTypes), {
      direction: 'ascending',
      limit,
      after: place && { group: groupOf(place), name: String(cursor[3]), deviceId: place.deviceId },
      accept: selection.accept,
      groupOf: ({ stored, time, deviceId }) =>
        groupOf({ stored: instantText(stored), time: instantText(time), deviceId }),
    }),
  )
  const leastLeftOut = page.firstLeftOut && instantText(page.firstLeftOut.stored)
  const last = page.last
  return {
    page,
    next: last && [
      instantText(last.sample.stored),
      instantText(last.sample.time),
      last.place.deviceId,
      last.place.name,
      safePoint,
    ],
    modifyTimestamp: syncStamp({ filter, safePoint, leastLeftOut }),
  }
}

/** Each sample is a group of its own: many share the stamp of their batch. */
function groupOf({ stored, time, deviceId }: { stored: string; time: string; deviceId: number | string }): string {
  return `${stored} ${time} ${deviceId}`
}
