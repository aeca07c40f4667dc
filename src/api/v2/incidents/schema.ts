import { type Static, Type } from 'typebox'
import { RULE_KINDS, SEVERITIES } from '../../../catalogue/rule-kinds/index.ts'
import { MAX_TEXT_CHARACTERS } from '../../../model/texts.ts'
import { booleanParameter, idParameter, wordParameter, wordsParameter } from '../../../server/http/parameters.ts'
import { timedListQuery } from '../../lists.ts'
import { deviceIdField, instant, nullable, revision, syncList } from '../../schemas.ts'
import { DecidingSample } from '../trip-explanation/schema.ts'
import { Address } from '../trips.ts'

const KIND_NAMES = RULE_KINDS.map(({ name }) => name)

const Position = Type.Object(
  {
    lat: Type.Number({ description: 'Latitude in degrees.', examples: [48.1275] }),
    lon: Type.Number({ description: 'Longitude in degrees.', examples: [11.6055] }),
  },
  { title: 'IncidentPosition' },
)
const position = (description: string) => Type.Union([Position, Type.Null()], { description })
const address = (description: string) => Type.Union([Address, Type.Null()], { description })

const Peak = Type.Object(
  {
    value: Type.Number({ examples: [148] }),
    unit: Type.String({ examples: ['km/h'] }),
    timestamp: Type.Union([instant('When it was measured.'), Type.Null()]),
  },
  { title: 'IncidentPeak', description: 'The greatest value, or the least of what was too low.' },
)

const Acknowledgement = Type.Object(
  {
    timestamp: instant('When it was acknowledged.'),
    by: Type.String({ description: 'E-mail address of a user, or name of a key.', examples: ['operator@example.com'] }),
    note: Type.String({ description: 'Empty without one.', examples: ['Spoke to the driver.'] }),
  },
  { title: 'IncidentAcknowledgement' },
)

export const Incident = Type.Object(
  {
    id: Type.String({ description: 'Id of the incident.', examples: ['4711'] }),
    ruleId: Type.String({ description: 'The rule that found it.', examples: ['7'] }),
    ruleVersion: Type.Integer({ description: 'The version of the rule that held then.', examples: [1] }),
    kind: Type.Enum(KIND_NAMES, { description: 'The kind of the rule.' }),
    title: Type.String({ description: 'The same in the language of the reply.', examples: ['Speeding'] }),
    severity: Type.Enum([...SEVERITIES]),
    vehicleId: Type.String({ examples: ['VINWVWZZZ1KZAW000001'] }),
    deviceId: deviceIdField,
    tripId: Type.Union([Type.String({ examples: ['99'] }), Type.Null()], {
      description: 'The trip in which it began, as far as that is known now; null without one.',
    }),
    areaId: Type.Union([Type.String({ examples: ['3'] }), Type.Null()], { description: 'The area that it is about.' }),
    detail: Type.Union([Type.String({ examples: ['P0301'] }), Type.Null()], {
      description: 'What tells it from others of the same begin, such as a trouble code.',
    }),
    startTimestamp: instant('When it began.'),
    endTimestamp: Type.Union([instant('When it ended.'), Type.Null()], { description: 'null while it goes on.' }),
    peak: Type.Union([Peak, Type.Null()]),
    startPosition: position('Where it began; null without a position or the permission `positions`.'),
    endPosition: position(
      'Where it ended; null while it goes on, and without a position or the permission `positions`.',
    ),
    startAddress: address('The place where it began; null as the position.'),
    endAddress: address('The place where it ended; null as the position.'),
    acknowledged: Type.Union([Acknowledgement, Type.Null()], {
      description: 'By whom and when; kept when late data change it.',
    }),
    deleteTimestamp: nullable(
      instant('When it was withdrawn, because late data or another rule show that it was none; else null.'),
    ),
    modifyTimestamp: revision('When anything of it last changed.'),
  },
  { title: 'Incident', description: 'An interval in which a rule found what it looks for.' },
)
export type Incident = Static<typeof Incident>

export const IncidentList = syncList('incidents', Incident, 'IncidentList')

export const IncidentListQuery = Type.Object({
  ...timedListQuery({
    begin: 'startTimestamp',
    deviceId: 'Only those that this device showed.',
    vehicleId: 'Only those of this vehicle.',
    includeDeleted: 'Also list withdrawn ones',
  }).properties,
  ruleId: Type.Optional(idParameter('Only those that this rule found.', ['7'])),
  areaId: Type.Optional(idParameter('Only those about this area.', ['3'])),
  kind: Type.Optional(wordsParameter(KIND_NAMES, 'Only those of these kinds of rules.')),
  severity: Type.Optional(wordsParameter(SEVERITIES, 'Only those of these severities; not with filterTimestamp.')),
  state: Type.Optional(
    wordParameter(['open', 'ended'], 'Only those that go on, or only those that ended; not with filterTimestamp.'),
  ),
  isAcknowledged: Type.Optional(
    booleanParameter('Only those that somebody acknowledged, or only those that nobody did; not with filterTimestamp.'),
  ),
})
export type IncidentListQuery = Static<typeof IncidentListQuery>

export const IncidentPath = Type.Object({ incidentId: idParameter('The id of the incident.', ['4711']) })

export const AcknowledgementBody = Type.Object(
  {
    note: Type.Optional(
      Type.String({
        description: 'What is to be kept with it.',
        maxLength: MAX_TEXT_CHARACTERS,
        examples: ['Spoke to the driver.'],
      }),
    ),
  },
  { title: 'IncidentNote', additionalProperties: false },
)

const incidentIds = Type.Array(Type.String({ description: 'Id of an incident.', examples: ['4711'] }), {
  minItems: 1,
  maxItems: 10_000,
})

export const AcknowledgementsBody = Type.Object(
  { incidentIds, ...AcknowledgementBody.properties },
  { title: 'IncidentAcknowledgements', additionalProperties: false },
)

export const WithdrawalBody = Type.Object(
  { incidentIds, acknowledgedTimestamp: instant('As the acknowledgements have it.') },
  { title: 'IncidentAcknowledgementWithdrawal', additionalProperties: false },
)

export const Incidents = Type.Object({ incidents: Type.Array(Incident) }, { title: 'Incidents' })

const Sample = Type.Object(
  {
    of: Type.Enum(['START', 'PEAK', 'END'], { description: 'Of the incident, what was measured then or last before.' }),
    ...DecidingSample.properties,
  },
  { title: 'IncidentSample' },
)
export type IncidentSample = Static<typeof Sample>

export const IncidentExplanation = Type.Object(
  {
    incidentId: Type.String({ examples: ['4711'] }),
    state: Type.Enum(['OPEN', 'SILENT', 'ENDED', 'WITHDRAWN'], {
      description: 'SILENT: it ended with the last measurement of the device; later ones may continue it.',
    }),
    remarks: Type.Array(Type.String(), { description: 'What to know of it, in the language of the reply.' }),
    coveredBy: nullable(
      Type.String({
        examples: ['4712'],
        description: 'The incident of another device in the vehicle that tells of the same and counts in its place.',
      }),
    ),
    rule: Type.Object(
      {
        ruleId: Type.String({ examples: ['7'] }),
        name: Type.String({ examples: ['Motorway'] }),
        version: Type.Integer({ examples: [1] }),
        description: Type.String({ description: 'What the kind of rule looks for.' }),
        heldFromTimestamp: instant('From when on that version held.'),
        heldToTimestamp: nullable(instant('Until when; null while it does.')),
        savedBy: Type.String({ examples: ['operator@example.com'] }),
        parameters: Type.Array(
          Type.Object({
            name: Type.String({ examples: ['limitKmh'] }),
            label: Type.String({ examples: ['Speed limit'] }),
            value: Type.Unknown({ examples: [130] }),
            unit: Type.String({ examples: ['km/h'] }),
            isDefault: Type.Boolean(),
            reason: Type.String({ description: 'Why the default is what it is.' }),
          }),
        ),
      },
      { title: 'IncidentRule' },
    ),
    decidedTimestamp: nullable(
      instant('The measurement that decided it: later ones cannot change it. null while it can go on.'),
    ),
    samples: Type.Array(Sample, { description: 'The measurements at its begin, peak and end.' }),
  },
  { title: 'IncidentExplanation' },
)
export type IncidentExplanation = Static<typeof IncidentExplanation>
