import { Type } from 'typebox'
import { wordParameter } from '../../server/http/parameters.ts'
import { ErrorBody, ingestReplies, leftOutUnless } from '../../server/http/schemas.ts'
import { MAX_POSITIONS, type Odometer } from './read-position.ts'

/** Limit of a request; Traccar sends one position of one or two kilobytes in each. */
export const MAX_BODY_BYTES = 256 * 1024

const ForwardedPosition = Type.Object(
  {
    position: Type.Object(
      {
        deviceTime: Type.Union([Type.String({ format: 'date-time' }), Type.Integer()], {
          description: 'When the tracker reported; also as milliseconds since 1970.',
        }),
        fixTime: leftOutUnless('When its position was measured, in the same form.'),
        valid: leftOutUnless('A boolean. Without true there is no position.'),
        latitude: leftOutUnless('A number of degrees.'),
        longitude: leftOutUnless('A number of degrees.'),
        altitude: leftOutUnless('A number of metres.'),
        speed: leftOutUnless('A number of knots.'),
        course: leftOutUnless('A number of degrees.'),
        attributes: leftOutUnless('An object of attributes by their names.'),
      },
      { title: 'TraccarPosition' },
    ),
    device: Type.Object(
      { uniqueId: Type.String({ pattern: '^0?[1-9]\\d{0,14}$', description: 'IMEI of the device.' }) },
      { title: 'TraccarDevice' },
    ),
  },
  {
    title: 'ForwardedPosition',
    description: 'A position as Traccar forwards it. Values that no tracker can mean are left out.',
    examples: [
      {
        position: {
          deviceTime: '2020-02-22T14:37:07.000+00:00',
          fixTime: '2020-02-22T14:37:07.000+00:00',
          valid: true,
          latitude: 49.01,
          longitude: 8.4,
          altitude: 115,
          speed: 26.2,
          course: 84,
          attributes: { ignition: true, power: 14.1, obdOdometer: 48211400 },
        },
        device: { uniqueId: '356307042441013' },
      },
    ],
  },
)

export const traccarQuery = Type.Object({
  odometer: Type.Optional(
    wordParameter(
      ['OBD', 'DEVICE'] as const satisfies readonly Odometer[],
      "Which meter is MILEAGE: OBD, the car's (obdOdometer), which is the default, or DEVICE, the tracker's (odometer).",
    ),
  ),
})

/** POST /ingest/traccar as the OpenAPI document describes it. */
export const traccarSchema = {
  tags: ['Ingest'],
  summary: 'Take positions that Traccar forwards',
  description:
    'The body of Traccar with `forward.type` `json`: one position with its device, or an array of such bodies, at most ' +
    `${MAX_POSITIONS} and ${MAX_BODY_BYTES / 1024} kB. Answered after everything is stored. What can never be kept is ` +
    'refused with a message that names the field; attributes that no event type holds are counted and left out.',
  querystring: traccarQuery,
  body: { content: { 'application/json': { schema: Type.Union([ForwardedPosition, Type.Array(ForwardedPosition)]) } } },
  response: { ...ingestReplies, 415: ErrorBody },
}
