import { type Static, Type } from 'typebox'
import {
  cursorParameter,
  deviceIdParameter,
  filterTimestampParameter,
  maxResultsParameter,
  rangeParameters,
  textParameter,
  textsParameter,
} from '../../../http/parameters.ts'
import { deviceId, instant } from '../../schemas.ts'

export const EventListQuery = Type.Object({
  deviceId: Type.Optional(deviceIdParameter('Only events of this device.')),
  vehicleId: Type.Optional(textParameter('Only events of this vehicle, by its public id.', ['VINWVWZZZ1JZ3W386752'])),
  tripId: Type.Optional(textParameter('Only events of this trip.')),
  eventType: Type.Optional(textsParameter('Only these event types, separated by commas.', ['MILEAGE,POSITION'])),
  ...rangeParameters('recordedTimestamp'),
  filterTimestamp: Type.Optional(filterTimestampParameter()),
  maxResults: Type.Optional(maxResultsParameter()),
  cursor: Type.Optional(cursorParameter()),
})
export type EventListQuery = Static<typeof EventListQuery>

/** The snake_case shape of an event (fleet-api-v2.md, *Event*). */
const EventItem = Type.Object({
  event_type: Type.String({ examples: ['GPS_SPEED'] }),
  data_type: Type.Enum(['STRING', 'BOOLEAN', 'NUMBER', 'GEO']),
  value: Type.Union([Type.Number(), Type.Boolean(), Type.String()], {
    description: 'A float for NUMBER, a boolean for BOOLEAN, a text for STRING, `POINT(<lon> <lat>)` for GEO.',
    examples: [48.5],
  }),
  unit: Type.Optional(Type.String({ description: 'Only for NUMBER.', examples: ['km/h'] })),
  unit_id: Type.Optional(Type.Integer({ description: 'Only for NUMBER.', examples: [121] })),
  device_id: deviceId,
  recorded_timestamp: instant('When it was measured.'),
})

export const EventList = Type.Array(EventItem)
