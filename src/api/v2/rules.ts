import { type Static, Type } from 'typebox'
import {
  type ParameterValue,
  RULE_KINDS,
  type RuleKindName,
  ruleKindByName,
  SEVERITIES,
  type Severity,
} from '../../catalogue/rule-kinds/index.ts'
import { type Connection, sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { countHistoriesOf } from '../../derive/due.ts'
import { countRuleChanges } from '../../derive/incidents/rule-changes.ts'
import type { WeeklyHours } from '../../derive/rules/weekly-hours.ts'
import { changeRule, createRule, deleteRule } from '../../fleet/rules/change-rules.ts'
import { readRule, writtenHours } from '../../fleet/rules/read-rule.ts'
import { badRequest } from '../../model/errors.ts'
import { LONGEST_NAME, readName } from '../../model/texts.ts'
import { booleanParameter, idParameter, syncListParameters, timestampParameter } from '../../server/http/parameters.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { orNotFound, type Resource, routesOf } from '../context.ts'
import { changesOfList, type GivenLowWatermark, readSyncPage, type SyncPage, sendSyncPage } from '../lists.ts'
import { instant, nullable, readId, readTimestamp, revision, syncList, timestampIn } from '../schemas.ts'

/** /rules: what the fleet of the caller's account is watched for, beyond the original document. */
export const rules: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'rules', tag: 'Rules' })
  const { database, config, clock } = context
  route('GET /rules', {
    summary: 'List rules',
    description: 'By id; by modifyTimestamp with filterTimestamp.',
    query: RuleListQuery,
    reply: RuleList,
    answer: async asked => {
      const page = await listRules(asked.reads, asked.accountId, asked.query)
      return sendSyncPage(asked, 'rules', page, ruleOf)
    },
  })
  route('GET /rules/progress', {
    summary: 'Tell how far changed rules are worked out',
    description:
      'After a rule, or an area that rules name, was changed with a date in the past, its incidents become real in the background.',
    reply: RuleProgress,
    answer: async asked => {
      const { reads, accountId } = asked
      const changesWaiting = await countRuleChanges(reads, accountId)
      const devicesLeft = await countHistoriesOf(reads, accountId)
      return { isDone: changesWaiting + devicesLeft === 0, changesWaiting, devicesLeft }
    },
  })
  route('GET /rules/:ruleId', {
    summary: 'Get one rule, with its versions',
    params: RulePath,
    reply: RuleWithVersions,
    fails: [404],
    answer: async asked => {
      const ruleId = readId(asked.params.ruleId, 'rule')
      const { reads } = asked
      const row = orNotFound(await findRule(reads, asked.accountId, ruleId), `The rule ${ruleId}`)
      return { ...ruleOf(row), versions: (await readVersions(reads, ruleId)).map(versionOf) }
    },
  })
  route('POST /rules', {
    summary: 'Create a rule',
    description: 'Try it first: POST /rules/preview.',
    body: RuleBody,
    reply: Rule,
    isCreated: true,
    fails: [409],
    answer: async asked => {
      const { accountId, name: savedBy } = asked.caller
      const { name, fromMs } = readNameAndTime(asked.body)
      const created = await writeTransaction(database, async transaction => {
        const draft = await readRule(transaction, accountId, asked.body)
        const rule = { accountId, name, draft, fromMs: fromMs ?? clock.wallMs(), savedBy }
        const id = await createRule(transaction, rule, config.rulesPerAccount)
        return findRule(transaction, accountId, id)
      })
      if (!created) throw new Error('a new rule was not found')
      return ruleOf(created)
    },
  })
  route('PUT /rules/:ruleId', {
    summary: 'Change a rule',
    description:
      'What it asked for before holds until fromTimestamp, so that the past is judged by what held then; with a date in the ' +
      'past, what it found since is worked out again. A new name alone makes no new version.',
    params: RulePath,
    body: RuleBody,
    reply: Rule,
    fails: [404],
    answer: async asked => {
      const { accountId, name: savedBy } = asked.caller
      const { name, fromMs } = readNameAndTime(asked.body)
      const changed = await writeTransaction(database, async transaction => {
        const draft = await readRule(transaction, accountId, asked.body)
        // After the body: a fault in it is reported whether there is such a rule or not.
        const ruleId = readId(asked.params.ruleId, 'rule')
        const isKnown = await changeRule(transaction, { accountId, ruleId, name, draft, fromMs, savedBy })
        return isKnown ? findRule(transaction, accountId, ruleId) : undefined
      })
      return ruleOf(orNotFound(changed, `The rule ${asked.params.ruleId}`))
    },
  })
  route('DELETE /rules/:ruleId', {
    summary: 'Delete a rule',
    description: 'What it found stays, unless fromTimestamp lies before it.',
    params: RulePath,
    query: RuleDeleteQuery,
    fails: [404],
    answer: async asked => {
      const ruleId = readId(asked.params.ruleId, 'rule')
      const { fromTimestamp } = asked.query
      const fromMs = fromTimestamp === undefined ? undefined : Date.parse(fromTimestamp)
      const rule = { accountId: asked.accountId, ruleId, fromMs }
      orNotFound(await writeTransaction(database, transaction => deleteRule(transaction, rule)), `The rule ${ruleId}`)
    },
  })
}

function readNameAndTime(body: { readonly name: string; readonly fromTimestamp?: string }) {
  const name = readName(body.name)
  if (name === undefined) throw badRequest(`name must have 1 to ${LONGEST_NAME} characters on one line.`)
  const { fromTimestamp } = body
  return {
    name,
    fromMs: fromTimestamp === undefined ? undefined : Date.parse(readTimestamp(fromTimestamp, 'fromTimestamp')),
  }
}

interface AskedRow {
  readonly version: number
  readonly kind: RuleKindName
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly severity: Severity
  /** Public ids. */
  readonly vehicleIds: string[] | null
  readonly hours: WeeklyHours | null
  readonly from: string
}

interface RuleRow extends AskedRow {
  readonly id: number
  readonly name: string
  readonly created: string
  readonly deleted: string | null
  readonly modified: string
}

interface VersionRow extends AskedRow {
  readonly to: string
  readonly saved: string
  readonly savedBy: string
}

const ASKED = sql`
  w.version, w.kind, w.parameters, w.severity, w.hours, w.from_time as "from",
  case when w.vehicle_ids is not null then array(
    select v.public_id from vehicles v where v.id = any(w.vehicle_ids) order by v.public_id) end as "vehicleIds"`
const COLUMNS = sql`item.id, item.name, item.created, item.deleted, item.modified, ${ASKED}`
const JOINS = sql`join rule_versions w on w.rule_id = item.id and w.version = item.version`

/** GET /rules: by id, or by modifyTimestamp with a filter. */
function listRules(
  connection: Connection,
  accountId: number,
  query: RuleListQuery & GivenLowWatermark,
): Promise<SyncPage<RuleRow>> {
  const isWhole = query.filterTimestamp === undefined && !query.includeDeleted
  return readSyncPage(
    connection,
    {
      name: 'rules',
      from: [sql`rules item`],
      conditions: [sql`item.account_id = ${accountId}`, ...(isWhole ? [sql`item.deleted is null`] : [])],
      joins: JOINS,
      columns: COLUMNS,
    },
    query,
  )
}

/** @returns undefined when the account has no such rule; a deleted one is found */
async function findRule(connection: Connection, accountId: number, ruleId: number): Promise<RuleRow | undefined> {
  const [row] = await connection.rows<RuleRow>(sql`
    select ${COLUMNS} from rules item ${JOINS} where item.id = ${ruleId} and item.account_id = ${accountId}`)
  return row
}

function readVersions(connection: Connection, ruleId: number): Promise<VersionRow[]> {
  return connection.rows<VersionRow>(sql`
    select ${ASKED}, w.to_time as "to", w.saved, w.saved_by as "savedBy"
    from rule_versions w where w.rule_id = ${ruleId} order by w.version desc`)
}

function ruleOf({ id, name, created, deleted, modified, ...asked }: RuleRow) {
  return {
    id: String(id),
    name,
    ...askedOf(asked),
    createdTimestamp: millisecondText(created),
    deleteTimestamp: deleted === null ? null : millisecondText(deleted),
    modifyTimestamp: modified,
  }
}

function versionOf({ to, saved, savedBy, ...asked }: VersionRow) {
  return {
    ...askedOf(asked),
    toTimestamp: to === 'infinity' ? null : millisecondText(to),
    savedTimestamp: millisecondText(saved),
    savedBy,
  }
}

function askedOf({ version, kind, parameters, severity, vehicleIds, hours, from }: AskedRow) {
  const areas = ruleKindByName(kind)?.parameters.filter(({ type }) => type === 'areas') ?? []
  return {
    version,
    kind,
    // Areas have ids as texts.
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        areas.some(area => area.name === name) && Array.isArray(value) ? value.map(String) : value,
      ]),
    ),
    severity,
    vehicleIds,
    hours: hours && writtenHours(hours),
    fromTimestamp: millisecondText(from),
  }
}

export const ruleChanges = changesOfList('rules', listRules, rows => rows.map(row => JSON.stringify(ruleOf(row))))

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

const Rule = Type.Object(rule, { title: 'Rule', description: 'What a fleet is watched for.' })
type Rule = Static<typeof Rule>

const RuleWithVersions = Type.Object(
  { ...rule, versions: Type.Array(RuleVersion, { description: 'All of them, the newest first.' }) },
  { title: 'RuleWithVersions', description: 'A rule with what it asked for at every time.' },
)

const RuleList = syncList('rules', Rule, 'RuleList')

const { filterTimestamp, maxResults, cursor } = syncListParameters('rules')
const RuleListQuery = Type.Object({
  includeDeleted: Type.Optional(booleanParameter('Also list deleted ones; with filterTimestamp they always are.')),
  filterTimestamp,
  maxResults,
  cursor,
})
type RuleListQuery = Static<typeof RuleListQuery>

const written = {
  kind,
  parameters: Type.Optional(parameters),
  severity: Type.Optional(severity),
  vehicleIds: Type.Optional(asked.vehicleIds),
  hours: Type.Optional(asked.hours),
}

const RuleBody = Type.Object(
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

const RulePath = Type.Object({ ruleId: idParameter('The id of the rule.', ['7']) })

const RuleDeleteQuery = Type.Object({
  fromTimestamp: Type.Optional(
    timestampParameter('From when on it holds no longer; by default from now on. What it found later is withdrawn.'),
  ),
})

const RuleProgress = Type.Object(
  {
    isDone: Type.Boolean({ description: 'Everything follows from the rules as they are.' }),
    changesWaiting: Type.Integer({ description: 'Changes that are about to be worked out.', examples: [0] }),
    devicesLeft: Type.Integer({ description: 'Devices that are worked out again.', examples: [12] }),
  },
  { title: 'RuleProgress' },
)
