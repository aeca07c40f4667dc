import { eventTypeByName } from '../../../catalogue/event-types.ts'
import { badRequest } from '../../../model/errors.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { timeRange } from './query.ts'
import type { EventListQuery } from './schema.ts'

/** Events in one thinned reply at most: they are held in memory until it is complete. */
const MOST_EVENTS = 100_000

/** The request for a thinned list. */
export interface ThinnedQuery {
  /** Both ends are finite. */
  readonly range: TimeRange
  readonly maxPoints: number
  /** How many event types are asked for. */
  readonly typeCount: number
}

/** @throws ClientError 400 naming what is missing or does not go together with `maxPoints`. */
export function readThinnedQuery(query: EventListQuery, maxPoints: number): ThinnedQuery {
  const { deviceId, vehicleId, tripId, eventType, fromTimestamp, toTimestamp } = query
  if (deviceId === undefined && vehicleId === undefined && tripId === undefined)
    throw badRequest('maxPoints needs deviceId, vehicleId or tripId.')
  for (const [name, value] of Object.entries({ fromTimestamp, toTimestamp, eventType }))
    if (value === undefined) throw badRequest(`maxPoints needs ${name}.`)
  for (const name of ['filterTimestamp', 'cursor'] as const)
    if (query[name] !== undefined) throw badRequest(`${name} can not be combined with maxPoints.`)
  const types = eventType?.flatMap(name => eventTypeByName(name) ?? []) ?? []
  const geo = types.find(({ dataType }) => dataType === 'GEO')
  if (geo)
    throw badRequest(`eventType must not name ${geo.name} with maxPoints: a route has no lowest and highest point.`)
  return { range: timeRange(fromTimestamp, toTimestamp), maxPoints, typeCount: types.length }
}

/** @throws ClientError 400 when the reply could be too long. */
export function checkLength({ maxPoints, typeCount }: ThinnedQuery, devices: number): void {
  if (maxPoints * typeCount * devices <= MOST_EVENTS) return
  throw badRequest(
    `maxPoints times the event types times the devices of the range must be at most ${MOST_EVENTS}; ` +
      `here it is ${maxPoints} times ${typeCount} times ${devices}.`,
  )
}
