import { Type } from 'typebox'
import { EVENT_TYPES } from '../../catalogue/event-types.ts'
import { MAX_TEXT_CHARACTERS } from '../../model/texts.ts'
import { DEVICE_ID } from '../../server/http/parameters.ts'
import { ErrorBody, ingestReplies } from '../../server/http/schemas.ts'
import { MAX_EVENTS } from '../shared/event-json.ts'

/** Limit of a request (design, *The outside*). */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

const value = Type.Union(
  [
    Type.Number(),
    Type.Boolean(),
    Type.String({ maxLength: MAX_TEXT_CHARACTERS }),
    Type.Object({ lat: Type.Number({ minimum: -90, maximum: 90 }), lon: Type.Number({ minimum: -180, maximum: 180 }) }),
  ],
  {
    description:
      'By the data type: a number, a boolean, a text, or for GEO `POINT(<lon> <lat>)` or {"lat": …, "lon": …}.',
  },
)

/** An event in a request, in the form of the API's replies; snake_case names are accepted, too. */
const IngestEvent = Type.Object(
  {
    deviceId: Type.Integer({ ...DEVICE_ID, description: 'IMEI of the device.' }),
    recordedTimestamp: Type.String({ format: 'date-time', description: 'When it was measured, to the millisecond.' }),
    eventType: Type.Enum(
      EVENT_TYPES.map(({ name }) => name),
      { description: 'A name of GET /eventTypes.' },
    ),
    value,
    dataType: Type.Optional(
      Type.Union([Type.Enum(['STRING', 'BOOLEAN', 'NUMBER', 'GEO']), Type.Null()], {
        description: 'Checked against the event type.',
      }),
    ),
    unit: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Checked against the event type.' })),
    unitId: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], { description: 'Checked against the event type.' }),
    ),
  },
  {
    title: 'IngestEvent',
    description: 'A measurement to be stored.',
  },
)

const IngestBody = Type.Union(
  [Type.Array(IngestEvent), Type.Object({ events: Type.Array(IngestEvent) }, { title: 'IngestEvents' })],
  {
    description: `At most ${MAX_EVENTS} events and ${MAX_BODY_BYTES / 1024 / 1024} MB; as application/x-ndjson, one event a line. Content-Encoding gzip is accepted.`,
    examples: [
      [
        {
          deviceId: 356307042441013,
          recordedTimestamp: '2020-02-22T14:37:07.797Z',
          eventType: 'GPS_SPEED',
          value: 48.5,
        },
      ],
    ],
  },
)

/** POST /ingest/events for the OpenAPI document; the route itself parses bodies in its own way. */
export const ingestSchema = {
  tags: ['Ingest'],
  summary: 'Send measurements',
  description:
    'Answered after everything is stored. A request with any bad event is refused whole, with a message that names its ' +
    'index and field. A number with all bits set (65535 revolutions) is not available: it is left out and counted. Sending ' +
    'anything twice changes nothing.\n\n' +
    'OBD_DTC_PERMANENT and OBD_DTC_SPORADIC hold all trouble codes that are stored now, separated by `,` `;` `|` `/` ' +
    'or blanks, or as JSON; an empty text says that there are none. A code is written as `P0301` or `P0301-1C`, as four or six hexadecimal ' +
    'digits (`0301`, `0x0301`, `03011C`), or as a decimal number of one to three or five digits (`769`). `7E8:` before ' +
    'it names the control unit by its CAN response id, `FF:` before that says that a freeze frame is kept.',
  body: {
    content: {
      'application/json': { schema: IngestBody },
      'application/x-ndjson': { schema: IngestEvent },
    },
  },
  response: { ...ingestReplies, 415: ErrorBody },
}
