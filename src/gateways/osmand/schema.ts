import { Type } from 'typebox'
import { KEY_PARAMETER } from '../../server/http/access.ts'
import { ingestReplies, leftOutUnless } from '../../server/http/schemas.ts'

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
  hdop: text('What OsmAnd names so: the accuracy in metres.'),
  cell: text('`MCC,MNC,LAC,CellId`.'),
})

const degrees = (description: string) =>
  Type.Union([Type.Number(), Type.String({ pattern: '^-?[0-9]{1,3}(\\.[0-9]{1,20})?$' })], { description })

/** Phones send any of these for an unknown value. */
const NO_COORDINATES = [Type.Null(), Type.Boolean(), Type.Number(), Type.String(), Type.Array(Type.Unknown())]

const coords = Type.Object(
  {
    latitude: degrees('In degrees.'),
    longitude: degrees('In degrees.'),
    accuracy: leftOutUnless('A number of metres.'),
    speed: leftOutUnless('A number of m/s; negative when unknown.'),
    heading: leftOutUnless('A number of degrees; negative when unknown.'),
    altitude: leftOutUnless('A number of metres.'),
  },
  { title: 'PhoneCoordinates' },
)

const Location = Type.Object(
  {
    timestamp: Type.Union([Type.String({ format: 'date-time' }), Type.Number()], {
      description: 'Also as seconds or milliseconds since 1970.',
    }),
    coords: Type.Optional(Type.Union([coords, ...NO_COORDINATES], { description: 'Without it there is no position.' })),
    is_moving: leftOutUnless('A boolean.'),
    extras: leftOutUnless('An object of attributes by their names.'),
  },
  { title: 'PhoneLocation' },
)

const JsonBody = Type.Object(
  {
    location: Type.Union([Location, Type.Array(Location)]),
    device_id: Type.Union([Type.String({ pattern: '^0?[1-9]\\d{0,14}$' }), Type.Integer({ minimum: 1 })], {
      description: 'IMEI of the device, or other digits below 2^53.',
    }),
  },
  {
    title: 'PhoneReport',
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
  'parameter `key`. Answered after everything is stored. What the phone cannot mend, such as an impossible position, ' +
  'is left out; 400 says that its settings are wrong.'

const shared = {
  tags: ['Ingest'],
  description,
  querystring: Parameters,
  response: ingestReplies,
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
