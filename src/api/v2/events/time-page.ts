import type { Database } from '../../../store/database.ts'
import { withRawConnection } from '../../../store/samples/raw-rows.ts'
import { type RawSample, readFleetSamples, readSamples } from '../../../store/samples/reader.ts'
import { instantMs, instantText } from '../../../store/values.ts'
import { type CursorPlace, readCursor } from '../../paging.ts'
import { type EventPage, takePage } from './page.ts'
import { type EventScope, findIntervals, fleetRange, timeRange } from './query.ts'
import type { EventListQuery } from './schema.ts'
import type { TypeSelection } from './selection.ts'

export interface EventRequest {
  readonly scope: EventScope
  readonly selection: TypeSelection
  readonly query: EventListQuery
  readonly limit: number
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
}

/** A page and where the rest of the list starts. */
export interface CutPage<S extends RawSample> {
  readonly page: EventPage<S>
  readonly next: CursorPlace | undefined
}

/** Events in the order of time: the first ones of the range, or without a start of the range the newest ones. */
export async function readTimePage(database: Database, request: EventRequest): Promise<CutPage<RawSample>> {
  const { scope, selection, query, limit, signal } = request
  const direction = query.fromTimestamp === undefined ? 'descending' : 'ascending'
  const cursor = readCursor(query.cursor, ['instant', 'string', 'number'])
  const after = cursor && { group: String(cursor[0]), name: String(cursor[1]), deviceId: Number(cursor[2]) }
  const asked = timeRange(query.fromTimestamp, query.toTimestamp)
  const range = {
    fromMs: after && direction === 'ascending' ? Math.max(asked.fromMs, instantMs(after.group)) : asked.fromMs,
    toMs: after && direction === 'descending' ? Math.min(asked.toMs, instantMs(after.group) + 1) : asked.toMs,
  }
  const isFleet = scope.deviceId === undefined && scope.vehicleId === undefined && scope.tripId === undefined
  const intervals = isFleet ? [] : await findIntervals(database, scope, range)
  const fleet = isFleet ? await fleetRange(database, scope.accountId, range) : undefined
  const page = await withRawConnection(database, signal, connection => {
    const order = { types: selection.sampleTypes, direction } as const
    const samples = fleet
      ? readFleetSamples(connection, scope.accountId, fleet, order)
      : readSamples(connection, intervals, order)
    const { accept } = selection
    return takePage(samples, { direction, limit, after, accept, groupOf: sample => instantText(sample.time) })
  })
  const place = page.last?.place
  return { page, next: place && [place.group, place.name, place.deviceId] }
}
