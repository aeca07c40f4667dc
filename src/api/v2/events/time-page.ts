import type { AccountReads } from '../../../db/account-reads.ts'
import { timestampOfUs } from '../../../db/revisions.ts'
import { instantMs } from '../../../db/values.ts'
import { readFleetSamples, readSamples, withRawConnection } from '../../../store/index.ts'
import { type CursorPlace, readCursor } from '../../paging.ts'
import { compareNames } from '../../raw-values.ts'
import { type EventPage, type EventPlace, takePage } from './page.ts'
import { type EventScope, findIntervals, fleetRange, timeRange } from './query.ts'
import { ReadingPace } from './reading-pace.ts'
import type { EventListQuery } from './schema.ts'
import type { TypeSelection } from './selection.ts'

export interface EventRequest {
  readonly scope: EventScope
  readonly selection: TypeSelection
  readonly query: EventListQuery
  readonly limit: number
}

/** A page and where the rest of the list starts. */
export interface CutPage {
  readonly page: EventPage
  readonly next: CursorPlace | undefined
}

/** Events in the order of time: the first ones of the range, or the newest ones when the range has no start. */
export async function readTimePage(reads: AccountReads, request: EventRequest): Promise<CutPage> {
  const { scope, selection, query, limit } = request
  const direction = query.fromTimestamp === undefined ? 'descending' : 'ascending'
  const cursor = readCursor(query.cursor, ['instant', 'string', 'number'])
  const after = cursor && { timeMs: instantMs(String(cursor[0])), name: String(cursor[1]), deviceId: Number(cursor[2]) }
  const asked = timeRange(query.fromTimestamp, query.toTimestamp)
  const range = {
    fromMs: after && direction === 'ascending' ? Math.max(asked.fromMs, after.timeMs) : asked.fromMs,
    toMs: after && direction === 'descending' ? Math.min(asked.toMs, after.timeMs + 1) : asked.toMs,
  }
  const isFleet = scope.deviceId === undefined && scope.vehicleId === undefined && scope.tripId === undefined
  const intervals = isFleet ? [] : await findIntervals(reads, scope, range)
  const fleet = isFleet ? await fleetRange(reads, scope.accountId, range) : undefined
  const page = await withRawConnection(reads, connection => {
    const pace = new ReadingPace(limit)
    const order = { types: selection.sampleTypes, direction, nextSamples: () => pace.nextSamples } as const
    const samples = fleet
      ? readFleetSamples(connection, scope.accountId, fleet, order)
      : readSamples(connection, intervals, order)
    return takePage(samples, {
      direction,
      limit,
      pace,
      accept: selection.accept,
      areTogether: (a, b) => a.timeMs === b.timeMs,
      wasBefore: after && (event => event.sample.timeMs === after.timeMs && !isBeyond(event, after, direction)),
    })
  })
  const { last } = page
  return { page, next: last && [timestampOfUs(last.sample.timeMs * 1000), last.name, last.sample.deviceId] }
}

function isBeyond(
  { name, sample }: EventPlace,
  after: { readonly name: string; readonly deviceId: number },
  direction: 'ascending' | 'descending',
): boolean {
  const order = compareNames(name, after.name) || sample.deviceId - after.deviceId
  return direction === 'ascending' ? order > 0 : order < 0
}
