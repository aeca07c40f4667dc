import type { FastifyReply } from 'fastify'
import { hiddenEventTypes } from '../../../catalogue/permissions.ts'
import type { ChangeKind } from '../../../changes/source.ts'
import { type AccountReads, tooManyReads } from '../../../db/account-reads.ts'
import { readLowWatermark } from '../../../db/low-watermark.ts'
import { timestampOfUs } from '../../../db/revisions.ts'
import { sql } from '../../../db/sql.ts'
import { instantMs } from '../../../db/values.ts'
import { type InTurn, type Leave, Semaphore } from '../../../lib/semaphore.ts'
import { DEFAULT_MAX_RESULTS } from '../../../server/http/parameters.ts'
import { endSignal, sendJsonList } from '../../../server/http/reply.ts'
import {
  type RawSample,
  readFleetSamples,
  readSamples,
  readStoredSamples,
  type StoredPosition,
  storedPositionOf,
  withRawConnection,
} from '../../../store/index.ts'
import { type Resource, routesOf } from '../../context.ts'
import { compareNames } from '../../event-json.ts'
import {
  type CursorPosition,
  cursorText,
  type GivenLowWatermark,
  linkNext,
  readCursor,
  syncRevision,
} from '../../lists.ts'
import { havePositions, notePositions } from '../../security-lines.ts'
import { type EventPage, type ListedEvent, ReadingPace, takePage } from './page.ts'
import {
  type EventScope,
  findIntervals,
  firstInstantOf,
  fleetRange,
  scopeConditions,
  selectTypes,
  type TypeSelection,
  timeRange,
} from './query.ts'
import { EventList, EventListQuery } from './schema.ts'
import { readThinnedList, readThinnedQuery } from './thinned.ts'

/** GET /events: measurements of a device, a vehicle, a trip or the fleet. */
export const events: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'events', tag: 'Events' })
  const longLists = new LongLists()
  route('GET /events', {
    summary: 'List events',
    description:
      'By recordedTimestamp, then event type. Without fromTimestamp the newest ones, still in ascending order. ' +
      'With filterTimestamp in the order in which they were stored, late ones included; what was stored together ' +
      'can be longer than a page, so follow the Link headers to the end: X-Modify-Timestamp of the last page is ' +
      'the filterTimestamp of the next request (beyond the original document).',
    query: EventListQuery,
    reply: EventList,
    answer: async asked => {
      const { accountId, permissions } = asked.caller
      const { query } = asked
      const selection = selectTypes(query.eventType, hiddenEventTypes(permissions))
      if (havePositions(query.eventType)) notePositions(asked.request, query)
      const eventRequest = {
        scope: {
          accountId,
          deviceId: query.deviceId,
          vehicleId: selection.sampleTypes?.length === 0 ? NO_VEHICLE : query.vehicleId,
          tripId: query.tripId,
        },
        selection,
        query,
        limit: query.maxResults ?? DEFAULT_MAX_RESULTS,
      }
      if (query.maxPoints !== undefined) {
        const thinned = readThinnedQuery(query, query.maxPoints)
        const texts = await readThinnedList(asked.history, longLists.chunksOf(accountId), { ...eventRequest, thinned })
        return sendJsonList(asked.reply, '[', texts, ']', 'bytes')
      }
      const leave = await longLists.enter(asked.reply, accountId, eventRequest.limit)
      if (query.filterTimestamp === undefined) {
        const { page, next } = await readTimePage(asked.history, eventRequest)
        if (next) linkNext(asked.request, asked.reply, next)
        return sendJsonList(asked.reply, '[', page.texts(), ']', 'bytes', leave)
      }
      const { page, next, modifyTimestamp } = await readStoredPage(asked.reads, query.filterTimestamp, eventRequest)
      if (next) linkNext(asked.request, asked.reply, next)
      void asked.reply.header('x-modify-timestamp', modifyTimestamp)
      return sendJsonList(asked.reply, '[', page.texts(), ']', 'bytes', leave)
    },
  })
}

/** No vehicle has this public id. */
const NO_VEHICLE = ''

/** Lists of more events take some ten milliseconds of CPU time to read, and the same again to render. */
const LONG_LIST_EVENTS = 1000

/** Two of an account while it is the only one, so that most connections and CPU stay free for others. */
const PLACES = { places: 4, mostWaiting: 256, longestWaitMs: 30_000, refusal: tooManyReads }

/** Hundreds of long lists at once would compete with everybody else, and wait in memory to be rendered. */
export class LongLists {
  readonly #places = new Semaphore<number>(PLACES)

  /** The turn ends with the reply, or before by the returned function. @param limit shorter lists do not wait
   * @throws ClientError 503 when too many wait already; the reason of the signal when the client has gone */
  async enter(reply: FastifyReply, accountId: number, limit: number): Promise<Leave> {
    if (limit <= LONG_LIST_EVENTS) return () => undefined
    const ended = endSignal(reply)
    const leave = await this.#places.enter(accountId, ended)
    ended.addEventListener('abort', leave, { once: true })
    if (ended.aborted) leave()
    return leave
  }

  chunksOf(accountId: number): InTurn {
    return work => this.#places.run(accountId, work)
  }
}

interface EventRequest {
  readonly scope: EventScope
  readonly selection: TypeSelection
  readonly query: EventListQuery
  readonly limit: number
}

interface CutPage {
  readonly page: EventPage
  readonly next: CursorPosition | undefined
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
  { name, sample }: ListedEvent,
  after: { readonly name: string; readonly deviceId: number },
  direction: 'ascending' | 'descending',
): boolean {
  const order = compareNames(name, after.name) || sample.deviceId - after.deviceId
  return direction === 'ascending' ? order > 0 : order < 0
}

/** In the order in which they were stored. With a low watermark, none that were stored after it are read, so no event
 * comes twice when the result is used as the next filter. */
async function readStoredPage(
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

/** Events in the feed of changes: in the order in which they were stored. */
export const eventChanges: ChangeKind = {
  name: 'events',
  async read(reads, { accountId, deviceId, vehicleId, eventTypes, hiddenTypes }, { position, lowWatermark, limit }) {
    const selection = selectTypes(eventTypes, hiddenTypes)
    if (selection.sampleTypes?.length === 0)
      return { changes: [], position: { revision: lowWatermark, cursor: undefined } }
    const { page, next, modifyTimestamp } = await readStoredPage(reads, position.revision, {
      scope: { accountId, deviceId, vehicleId, tripId: undefined },
      selection,
      query: position.cursor === undefined ? {} : { cursor: position.cursor },
      limit,
      lowWatermark,
    })
    return {
      changes: Array.from(page.texts(), text => ({
        json: Buffer.from(text, 'latin1').toString('utf8'),
        modified: undefined,
      })),
      position: { revision: modifyTimestamp, cursor: next && cursorText(next) },
    }
  },
}
