import { Type } from 'typebox'
import { KEY_PARAMETER } from '../../http/access.ts'
import { ErrorBody } from '../../http/error-body.ts'
import { IngestReceipt } from '../../http/ingest-receipt.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))

const Parameters = Type.Object({
  [KEY_PARAMETER]: text('The key, for phones in which only an address can be entered. It is never logged.'),
  id: text('IMEI of the device, or other digits below 2^53; `deviceid` is the same.'),
  timestamp: text(
    'Seconds or milliseconds since 1970, ISO 8601, or `yyyy-MM-dd HH:mm:ss` in UTC; without it the time of receipt.',
  ),
  lat: text('Latitude in degrees.'),
  lon: text('Longitude in degrees.'),
  location: text('Both, separated by a comma.'),
  speed: text('In knots.'),
  bearing: text('In degrees; `heading` is the same.'),
  altitude: text('In metres.'),
  accuracy: text('In metres; a position worse than 200 is left out.'),
  hdop: text('Dilution of precision.'),
  cell: text('`MCC,MNC,LAC,CellId`.'),
})

const coords = Type.Object({
  latitude: Type.Number(),
  longitude: Type.Number(),
  accuracy: Type.Optional(Type.Number({ description: 'In metres.' })),
  speed: Type.Optional(Type.Number({ description: 'In m/s; negative when unknown.' })),
  heading: Type.Optional(Type.Number({ description: 'In degrees; negative when unknown.' })),
  altitude: Type.Optional(Type.Number({ description: 'In metres.' })),
})

const Location = Type.Object({
  timestamp: Type.String({ format: 'date-time' }),
  coords: Type.Optional(coords),
  is_moving: Type.Optional(Type.Boolean()),
  extras: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

const JsonBody = Type.Object(
  {
    location: Type.Union([Location, Type.Array(Location)]),
    device_id: Type.String({ description: 'IMEI of the device, or other digits below 2^53.' }),
  },
  {
    examples: [
      {
        location: {
          timestamp: '2020-02-22T14:37:07.797Z',
          coords: { latitude: 49.01, longitude: 8.4, accuracy: 5, speed: 13.4, heading: 84, altitude: 115 },
          is_moving: true,
        },
        device_id: '356307042441013',
      },
    ],
  },
)

const description =
  'For phones: the protocol of OsmAnd and of Traccar Client. The key stands in the header Authorization or in the ' +
  'parameter `key`. Answered after everything is stored. What the phone can not mend, such as an impossible position, ' +
  'is left out; 400 says that its settings are wrong.'

const shared = {
  tags: ['Ingest'],
  description,
  querystring: Parameters,
  response: {
    200: IngestReceipt,
    400: ErrorBody,
    401: ErrorBody,
    403: ErrorBody,
    413: ErrorBody,
    503: ErrorBody,
  },
}

/** GET /ingest/osmand as the OpenAPI document describes it. */
export const osmandQuerySchema = { ...shared, summary: 'Take the position of a phone from the query' }

/** POST /ingest/osmand as the OpenAPI document describes it. */
export const osmandBodySchema = {
  ...shared,
  summary: 'Take the position of a phone',
  body: {
    content: {
      'application/json': { schema: JsonBody },
      'application/x-www-form-urlencoded': { schema: Type.Omit(Parameters, [KEY_PARAMETER]) },
    },
  },
}
