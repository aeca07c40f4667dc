import { type Static, Type } from 'typebox'
import type { Permission } from '../../catalogue/permissions.ts'
import {
  deviceIdParameter,
  idParameter,
  textsParameter,
  timestampParameter,
  wordsParameter,
} from '../../server/http/parameters.ts'
import { checkedByRoute, languageHeader } from '../schemas.ts'
import { lastEventTypesParameter } from '../v2/vehicles.ts'

/** @param resources what a stream can carry */
export const streamQuery = (resources: readonly Permission[]) =>
  Type.Object({
    resources: Type.Optional(
      wordsParameter(
        resources,
        `What to carry, separated by commas: ${resources.join(', ')}. By default everything that the caller may read, events only as eventTypes says.`,
      ),
    ),
    eventTypes: Type.Optional(
      textsParameter('Events of these types, separated by commas; needed for events, and enough to get them.', [
        'POSITION,GPS_SPEED',
      ]),
    ),
    lastEventTypes: Type.Optional(lastEventTypesParameter()),
    deviceId: Type.Optional(deviceIdParameter('Only what belongs to this device; the vehicles that it was in.')),
    vehicleId: Type.Optional(
      idParameter('Only this vehicle and what belongs to it, by its public id.', ['VINWVWZZZ1JZ3W386752']),
    ),
    lastEventId: Type.Optional(
      timestampParameter('The same as the header Last-Event-ID, for clients that can not set it; the header wins.'),
    ),
  })
export type StreamQuery = Static<ReturnType<typeof streamQuery>>

export const streamHeaders = Type.Object({
  ...languageHeader.properties,
  'last-event-id': Type.Optional(
    Type.String({
      description: 'The id of the last frame that was received: the stream goes on after it.',
      ...checkedByRoute({ format: 'date-time' }),
      examples: ['2020-02-22T14:37:07.797123Z'],
    }),
  ),
})

const EXAMPLE = [
  'event: ready\nid: 2020-02-22T14:37:07.797123Z\ndata: {"modifyTimestamp":"2020-02-22T14:37:07.797123Z"}\n',
  'event: devices\ndata: [{"id":356307042441013,"isOnline":true, …}]\n',
  'event: vehicles\nid: 2020-02-22T14:37:08.120417Z\ndata: [{"id":"VINWVWZZZ1JZ3W386752", …}]\n',
  ':\n',
].join('\n')

/** A text stream has no JSON schema of its own; the objects in `data` have those of the lists. */
export const StreamBody = {
  description: 'Server-sent events.',
  content: {
    'text/event-stream': {
      schema: Type.String({
        description:
          'Frames of server-sent events. `ready` comes first, with `{"modifyTimestamp": …}`; then `vehicles`, ' +
          '`devices`, `trips`, `dtcs` and `events`, whose data is an array of up to some hundred objects as the list ' +
          'of that name has them (`events`: the items of GET /events).',
        examples: [EXAMPLE],
      }),
    },
  },
} as const
