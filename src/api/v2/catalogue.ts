import { Type } from 'typebox'
import { EVENT_TYPES, UNITS } from '../../catalogue/event-types.ts'
import {
  RULE_KINDS,
  type RuleKind,
  type RuleKindName,
  type RuleParameter,
  SEVERITIES,
} from '../../catalogue/rule-kinds/index.ts'
import { type Resource, routesOf } from '../context.ts'
import type { Language } from '../replies.ts'

const CATALOGUE = { access: 'any', tag: 'Catalogue' } as const

const EventTypeItem = Type.Object(
  {
    eventType: Type.String({ examples: ['MILEAGE'] }),
    dataType: Type.Enum(['STRING', 'BOOLEAN', 'NUMBER', 'GEO']),
    unit: Type.String({ description: 'Empty where the type is not a NUMBER.', examples: ['km'] }),
    unitId: Type.Integer({ examples: [111] }),
  },
  { title: 'EventType' },
)

const EVENT_TYPE_ITEMS = EVENT_TYPES.map(({ name, dataType, unit, unitId }) => ({
  eventType: name,
  dataType,
  unit,
  unitId,
}))

/** GET /eventTypes: every event type that measurements can have. */
export const eventTypes: Resource = (server, context) => {
  const route = routesOf(server, context, CATALOGUE)
  route('GET /eventTypes', {
    summary: 'List event types',
    reply: Type.Array(EventTypeItem),
    hasEtag: true,
    answer: () => EVENT_TYPE_ITEMS,
  })
}

const UnitItem = Type.Object(
  {
    id: Type.Integer({ examples: [111] }),
    unitType: Type.String({ description: 'Empty for dimensionless values.', examples: ['km'] }),
  },
  { title: 'Unit' },
)

const UNIT_ITEMS = UNITS.map(({ id, unitType }) => ({ id, unitType }))

/** GET /units: every unit that measurements can have. */
export const units: Resource = (server, context) => {
  const route = routesOf(server, context, CATALOGUE)
  route('GET /units', {
    summary: 'List units',
    reply: Type.Array(UnitItem),
    hasEtag: true,
    answer: () => UNIT_ITEMS,
  })
}

const nullableOf = (type: string, description: string) => Type.Unsafe<unknown>({ type: [type, 'null'], description })

const Parameter = Type.Object(
  {
    name: Type.String({ examples: ['limitKmh'] }),
    dataType: Type.String({
      description: 'number, integer, boolean, enum, areas, eventType, dtcPattern or date.',
      examples: ['number'],
    }),
    label: Type.String({ description: 'In the language of the reply.', examples: ['Speed limit'] }),
    reason: Type.String({ description: 'Why the default is what it is.' }),
    unit: Type.Union([Type.String({ examples: ['km/h'] }), Type.Null()], {
      description:
        'Its symbol; empty without one, or that of the event type that the rule names. null where it is no number.',
    }),
    minimum: nullableOf('number', 'Of numbers; else null.'),
    maximum: nullableOf('number', 'Of numbers; else null.'),
    defaultValue: Type.Unknown({ description: 'null: every rule has to say.' }),
    choices: Type.Array(Type.Object({ value: Type.String(), label: Type.String() }), {
      description: 'Of an enum; else empty.',
    }),
  },
  { title: 'RuleParameter' },
)

const Kind = Type.Object(
  {
    name: Type.Unsafe<RuleKindName>({
      type: 'string',
      enum: RULE_KINDS.map(({ name }) => name),
      examples: ['SPEEDING'],
    }),
    group: Type.String({ examples: ['driving'] }),
    title: Type.String({ description: 'In the language of the reply.', examples: ['Speeding'] }),
    description: Type.String(),
    severity: Type.Enum([...SEVERITIES], { description: 'Of its rules, unless they say something else.' }),
    hours: Type.Enum(['applies', 'permitted'], {
      description: 'What the hours of a rule mean: when it holds, or when use is permitted.',
    }),
    peakUnit: Type.Union([Type.String({ examples: ['km/h'] }), Type.Null()], {
      description:
        'The unit of the peak of its incidents; empty where they have none, null where it is that of the event type of the rule.',
    }),
    parameters: Type.Array(Parameter),
  },
  { title: 'RuleKind', description: 'What a fleet can be watched for.' },
)

/** GET /rule-kinds: what rules can look for. */
export const ruleKinds: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'rules', tag: 'Rules' })
  route('GET /rule-kinds', {
    summary: 'List the kinds of rules',
    description: 'What rules can look for, with their parameters.',
    reply: Type.Array(Kind),
    hasEtag: true,
    answer: ({ language }) => RULE_KINDS.map(kind => kindOf(kind, language)),
  })
}

function kindOf(
  {
    name,
    group,
    title,
    description,
    severity,
    hours,
    peakUnit,
    parameters,
  }: RuleKind & { readonly name: RuleKindName },
  language: Language,
) {
  return {
    name,
    group,
    title: title[language],
    description: description[language],
    severity,
    hours,
    peakUnit,
    parameters: parameters.map(parameter => parameterOf(parameter, language)),
  }
}

function parameterOf(parameter: RuleParameter, language: Language) {
  const { name, type, label, reason } = parameter
  const isNumber = parameter.type === 'number' || parameter.type === 'integer'
  return {
    name,
    dataType: type,
    label: label[language],
    reason: reason[language],
    unit: isNumber ? parameter.unit : null,
    minimum: isNumber ? parameter.minimum : null,
    maximum: isNumber ? parameter.maximum : null,
    defaultValue: parameter.default,
    choices:
      parameter.type === 'enum'
        ? parameter.choices.map(choice => ({ value: choice.value, label: choice.label[language] }))
        : [],
  }
}
