import { type Static, Type } from 'typebox'
import { RULE_KINDS, type RuleKindName, SEVERITIES, type Severity } from '../../../catalogue/rule-kinds/index.ts'
import { LONGEST_NAME } from '../../../model/texts.ts'
import {
  booleanParameter,
  idParameter,
  syncListParameters,
  timestampParameter,
} from '../../../server/http/parameters.ts'
import { instant, nullable, revision, syncList, timestampIn } from '../../schemas.ts'

const kind = Type.Unsafe<RuleKindName>({
  type: 'string',
  enum: RULE_KINDS.map(({ name }) => name),
  description: 'What it looks for: one of GET /rule-kinds.',
  examples: ['SPEEDING'],
})
const severity = Type.Unsafe<Severity>({
  type: 'string',
  enum: SEVERITIES,
  description: 'How much it matters; by default as the kind says.',
  examples: ['warning'],
})
const parameters = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
  description: 'By name, as the kind says; what is missing has the default of the kind. Areas are lists of their ids.',
  examples: [{ limitKmh: 130, forS: 10 }],
})
const clock = Type.String({ description: 'HH:MM', examples: ['06:00'] })
const Hours = Type.Object(
  {
    timeZone: Type.String({ description: 'IANA name.', examples: ['Europe/Berlin'] }),
    days: Type.Array(Type.Array(Type.Object({ from: clock, to: clock }, { additionalProperties: false })), {
      description: 'Seven lists of times of the day, Monday first; `to` is up to 24:00.',
      examples: [
        [
          [{ from: '06:00', to: '18:00' }],
          [{ from: '06:00', to: '18:00' }],
          [{ from: '06:00', to: '18:00' }],
          [{ from: '06:00', to: '18:00' }],
          [{ from: '06:00', to: '18:00' }],
          [],
          [],
        ],
      ],
    }),
  },
  {
    title: 'RuleHours',
    additionalProperties: false,
    description: 'Hours of each week. What they mean says the kind: when the rule holds, or when use is permitted.',
  },
)
const vehicleIds = Type.Array(Type.String({ examples: ['VINWVWZZZ1KZAW000001'] }), {
  maxItems: 10_000,
  description: 'The vehicles that it watches.',
})

const asked = {
  kind,
  parameters,
  severity,
  vehicleIds: Type.Union([vehicleIds, Type.Null()], { description: 'The vehicles that it watches; null: all.' }),
  hours: Type.Union([Hours, Type.Null()], { description: 'Hours of each week; null: always.' }),
}

const RuleVersion = Type.Object(
  {
    version: Type.Integer({ examples: [2] }),
    ...asked,
    fromTimestamp: instant('From when on it holds.'),
    toTimestamp: nullable(instant('Until when it held; null while it does. The same as from when on: it never did.')),
    savedTimestamp: instant('When it was saved.'),
    savedBy: Type.String({ description: 'By whom: e-mail address of a user, or name of a key.' }),
  },
  { title: 'RuleVersion', description: 'What a rule asked for during a time.' },
)

const rule = {
  id: Type.String({ description: 'Id of the rule.', examples: ['7'] }),
  name: Type.String({ description: 'Its name.', maxLength: LONGEST_NAME, examples: ['Motorway'] }),
  version: Type.Integer({ description: 'Counts how often it was changed.', examples: [1] }),
  ...asked,
  fromTimestamp: instant('From when on this version holds.'),
  createdTimestamp: instant('When the rule was created.'),
  deleteTimestamp: nullable(instant('When it was deleted, else null.')),
  modifyTimestamp: revision('When anything of it last changed.'),
}

export const Rule = Type.Object(rule, { title: 'Rule', description: 'What a fleet is watched for.' })
export type Rule = Static<typeof Rule>

export const RuleWithVersions = Type.Object(
  { ...rule, versions: Type.Array(RuleVersion, { description: 'All of them, the newest first.' }) },
  { title: 'RuleWithVersions', description: 'A rule with what it asked for at every time.' },
)

export const RuleList = syncList('rules', Rule, 'RuleList')

const { filterTimestamp, maxResults, cursor } = syncListParameters('rules')
export const RuleListQuery = Type.Object({
  includeDeleted: Type.Optional(booleanParameter('Also list deleted ones; with filterTimestamp they always are.')),
  filterTimestamp,
  maxResults,
  cursor,
})

const written = {
  kind,
  parameters: Type.Optional(parameters),
  severity: Type.Optional(severity),
  vehicleIds: Type.Optional(asked.vehicleIds),
  hours: Type.Optional(asked.hours),
}

export const RuleBody = Type.Object(
  {
    name: rule.name,
    ...written,
    fromTimestamp: Type.Optional(
      timestampIn(
        'From when on it holds; by default from now on. In the past, what it would have found since becomes real in the background.',
      ),
    ),
  },
  { title: 'RuleToSave', additionalProperties: false },
)

/** The fields of a rule that is only tried. */
export const TRIED_RULE = written

export const RulePath = Type.Object({ ruleId: idParameter('The id of the rule.', ['7']) })

export const RuleDeleteQuery = Type.Object({
  fromTimestamp: Type.Optional(
    timestampParameter('From when on it holds no longer; by default from now on. What it found later is withdrawn.'),
  ),
})

export const RuleProgress = Type.Object(
  {
    isDone: Type.Boolean({ description: 'Everything follows from the rules as they are.' }),
    changesWaiting: Type.Integer({ description: 'Changes that are about to be worked out.', examples: [0] }),
    devicesLeft: Type.Integer({ description: 'Devices that are worked out again.', examples: [12] }),
  },
  { title: 'RuleProgress' },
)
