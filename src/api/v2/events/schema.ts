import { type Static, Type } from 'typebox'
import {
  deviceIdParameter,
  idParameter,
  integerParameter,
  syncListParameters,
  textsParameter,
} from '../../../server/http/parameters.ts'
import { deviceIdField, instant } from '../../schemas.ts'

const MAX_POINTS_DESCRIPTION = `For charts (beyond the original document): about as many events of each event type and
device as this, which draw the same picture as all of them. The range is split into maxPoints / 4 buckets of equal length
(rounded down, at least 1; their length rounded up to milliseconds, and from two hours on to whole hours, from a full hour of UTC on),
and of each bucket the first, the lowest, the highest and
the last event are kept (M4 aggregation), each as it was measured; of equal ones the earliest. Lines between them cover the
same pixels as lines between all events where a bucket is a pixel: ask for 4 times the width. A series of at most maxPoints
events is whole. Both ends of every silence longer than a bucket are kept, and events further apart than a bucket have
nothing between them, so a line is rightly broken between neighbours that are further apart than both a bucket and the longest
interval of the event type. BOOLEAN counts as 0 and 1, STRING is ordered by its characters. Needs deviceId, vehicleId or tripId,
fromTimestamp, toTimestamp and eventType (none of GEO); maxResults does not cut the answer, which has no Link, but
maxPoints times the event types times the devices of the range must be at most 100000.`.replaceAll('\n', ' ')

export const EventListQuery = Type.Object({
  deviceId: Type.Optional(deviceIdParameter('Only events of this device.')),
  vehicleId: Type.Optional(idParameter('Only events of this vehicle, by its public id.', ['VINWVWZZZ1JZ3W386752'])),
  tripId: Type.Optional(idParameter('Only events of this trip.')),
  eventType: Type.Optional(textsParameter('Only these event types, separated by commas.', ['MILEAGE,POSITION'])),
  ...syncListParameters('recordedTimestamp'),
  maxPoints: Type.Optional(integerParameter(1, 10_000, MAX_POINTS_DESCRIPTION)),
})
export type EventListQuery = Static<typeof EventListQuery>

/** The snake_case shape of an event (fleet-api-v2.md, *Event*). */
const EventItem = Type.Object(
  {
    event_type: Type.String({ examples: ['GPS_SPEED'] }),
    data_type: Type.Enum(['STRING', 'BOOLEAN', 'NUMBER', 'GEO']),
    value: Type.Union([Type.Number(), Type.Boolean(), Type.String()], {
      description: 'A float for NUMBER, a boolean for BOOLEAN, a text for STRING, `POINT(<lon> <lat>)` for GEO.',
      examples: [48.5],
    }),
    unit: Type.Optional(Type.String({ description: 'Only for NUMBER.', examples: ['km/h'] })),
    unit_id: Type.Optional(Type.Integer({ description: 'Only for NUMBER.', examples: [121] })),
    device_id: deviceIdField,
    recorded_timestamp: instant('When it was measured.'),
  },
  { title: 'Event', description: 'A measurement.' },
)

export const EventList = Type.Array(EventItem)
