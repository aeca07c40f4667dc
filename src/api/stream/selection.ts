import type { Caller } from '../../access/callers.ts'
import { type HiddenEventTypes, hiddenEventTypes } from '../../catalogue/permissions.ts'
import { badRequest, forbidden } from '../../model/errors.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { Language } from '../replies.ts'
import type { StreamQuery } from './schema.ts'
import { STREAM_RESOURCES, type StreamResource } from './source.ts'

/** What a stream carries, and in which form. Streams with the same selection get the same bytes. */
export interface Selection {
  readonly accountId: number
  readonly resources: readonly StreamResource[]
  readonly eventTypes: readonly string[]
  /** The event types in the lastEvents of vehicles; undefined for all. A vehicle is sent after any change. */
  readonly lastEventTypes: readonly string[] | undefined
  readonly deviceId: DeviceId | undefined
  /** A public id. */
  readonly vehicleId: string | undefined
  readonly language: Language
  readonly hiddenTypes: HiddenEventTypes
  readonly hidesPositions: boolean
}

/**
 * The selection that a caller asks for. Without `resources`, everything that it may read; of events only the types named.
 * @throws ClientError 403 when it may not read a resource that it names, 400 when it asks for events without naming types.
 */
export function selectionOf(query: StreamQuery, caller: Caller, language: Language): Selection {
  const { eventTypes = [], lastEventTypes, deviceId, vehicleId } = query
  const wanted = new Set<StreamResource>(query.resources)
  if (eventTypes.length > 0) wanted.add('events')
  const denied = [...wanted].find(resource => !caller.permissions.has(resource))
  if (denied) throw forbidden(denied)
  if (wanted.has('events') && eventTypes.length === 0)
    throw badRequest('eventTypes must name the event types that the stream is to carry.')
  const isWanted = (name: StreamResource) =>
    wanted.has(name) || (query.resources === undefined && name !== 'events' && caller.permissions.has(name))
  return {
    accountId: caller.accountId,
    resources: STREAM_RESOURCES.filter(isWanted),
    eventTypes: [...eventTypes].sort(),
    lastEventTypes: lastEventTypes && [...lastEventTypes].sort(),
    deviceId,
    vehicleId,
    language,
    hiddenTypes: hiddenEventTypes(caller.permissions),
    hidesPositions: !caller.permissions.has('positions'),
  }
}

/** The same text for the same selection. */
export function selectionKey(selection: Selection): string {
  const { accountId, resources, eventTypes, lastEventTypes, deviceId, vehicleId, language } = selection
  const { hiddenTypes, hidesPositions } = selection
  return JSON.stringify([
    accountId,
    resources,
    eventTypes,
    lastEventTypes,
    deviceId,
    vehicleId,
    language,
    [...hiddenTypes],
    hidesPositions,
  ])
}
