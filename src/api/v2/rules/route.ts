import { writeTransaction } from '../../../db/transaction.ts'
import { countHistoriesOf } from '../../../derive/due.ts'
import { countRuleChanges } from '../../../derive/incidents/rule-changes.ts'
import { changeRule, createRule, deleteRule } from '../../../fleet/rules/change-rules.ts'
import { readRule } from '../../../fleet/rules/read-rule.ts'
import { badRequest, notFound } from '../../../model/errors.ts'
import { LONGEST_NAME, readName } from '../../../model/texts.ts'
import { callerOf } from '../../../server/http/access.ts'
import type { Resource } from '../../context.ts'
import { sendSyncPage } from '../../lists.ts'
import { requestReads } from '../../request-reads.ts'
import {
  changeReplies,
  ErrorBody,
  errorReplies,
  languageHeader,
  NoContent,
  readId,
  readTimestamp,
} from '../../schemas.ts'
import { findRule, listRules, readVersions, ruleOf, versionOf } from './query.ts'
import {
  Rule,
  RuleBody,
  RuleDeleteQuery,
  RuleList,
  RuleListQuery,
  RulePath,
  RuleProgress,
  RuleWithVersions,
} from './schema.ts'

const TAGS = ['Rules']

/** /rules: what the fleet of the caller's account is watched for, beyond the original document. */
export const rules: Resource = (server, { database, config, clock }) => {
  const settings = { access: 'rules' } as const
  server.get(
    '/rules',
    {
      config: settings,
      schema: {
        tags: TAGS,
        summary: 'List rules',
        headers: languageHeader,
        description: 'By id; by modifyTimestamp with filterTimestamp.',
        querystring: RuleListQuery,
        response: { 200: RuleList, ...errorReplies },
      },
    },
    async (request, reply) => {
      const reads = requestReads(database, request, reply)
      const page = await listRules(reads, callerOf(request).accountId, request.query)
      return sendSyncPage(request, reply, 'rules', page, ruleOf)
    },
  )
  server.get(
    '/rules/progress',
    {
      config: settings,
      schema: {
        tags: TAGS,
        summary: 'Tell how far changed rules are worked out',
        headers: languageHeader,
        description:
          'After a rule, or an area that rules name, was changed with a date in the past, its incidents become real in the background.',
        response: { 200: RuleProgress, ...errorReplies },
      },
    },
    async (request, reply) => {
      const reads = requestReads(database, request, reply)
      const { accountId } = callerOf(request)
      const changesWaiting = await countRuleChanges(reads, accountId)
      const devicesLeft = await countHistoriesOf(reads, accountId)
      return { isDone: changesWaiting + devicesLeft === 0, changesWaiting, devicesLeft }
    },
  )
  server.get(
    '/rules/:ruleId',
    {
      config: settings,
      schema: {
        tags: TAGS,
        summary: 'Get one rule, with its versions',
        headers: languageHeader,
        params: RulePath,
        response: { 200: RuleWithVersions, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const ruleId = readId(request.params.ruleId, 'rule')
      const reads = requestReads(database, request, reply)
      const row = await findRule(reads, callerOf(request).accountId, ruleId)
      if (!row) throw notFound(`The rule ${ruleId}`)
      return { ...ruleOf(row), versions: (await readVersions(reads, ruleId)).map(versionOf) }
    },
  )
  server.post(
    '/rules',
    {
      config: settings,
      schema: {
        tags: TAGS,
        summary: 'Create a rule',
        headers: languageHeader,
        description: 'Try it first: POST /rules/preview.',
        body: RuleBody,
        response: { 201: Rule, ...changeReplies, 409: ErrorBody },
      },
    },
    async (request, reply) => {
      const { accountId, name: savedBy } = callerOf(request)
      const { name, fromMs } = readNameAndTime(request.body)
      const created = await writeTransaction(database, async transaction => {
        const draft = await readRule(transaction, accountId, request.body)
        const rule = { accountId, name, draft, fromMs: fromMs ?? clock.wallMs(), savedBy }
        const id = await createRule(transaction, rule, config.rulesPerAccount)
        return findRule(transaction, accountId, id)
      })
      if (!created) throw new Error('a new rule was not found')
      return reply.code(201).send(ruleOf(created))
    },
  )
  server.put(
    '/rules/:ruleId',
    {
      config: settings,
      schema: {
        tags: TAGS,
        summary: 'Change a rule',
        headers: languageHeader,
        description:
          'What it asked for before holds until fromTimestamp, so that the past is judged by what held then; with a date in the ' +
          'past, what it found since is worked out again. A new name alone makes no new version.',
        params: RulePath,
        body: RuleBody,
        response: { 200: Rule, ...changeReplies, 404: ErrorBody },
      },
    },
    async request => {
      const { accountId, name: savedBy } = callerOf(request)
      const { name, fromMs } = readNameAndTime(request.body)
      const changed = await writeTransaction(database, async transaction => {
        const draft = await readRule(transaction, accountId, request.body)
        // After the body: a fault in it is reported whether there is such a rule or not.
        const ruleId = readId(request.params.ruleId, 'rule')
        const isKnown = await changeRule(transaction, { accountId, ruleId, name, draft, fromMs, savedBy })
        return isKnown ? findRule(transaction, accountId, ruleId) : undefined
      })
      if (!changed) throw notFound(`The rule ${request.params.ruleId}`)
      return ruleOf(changed)
    },
  )
  server.delete(
    '/rules/:ruleId',
    {
      config: settings,
      schema: {
        tags: TAGS,
        summary: 'Delete a rule',
        headers: languageHeader,
        description: 'What it found stays, unless fromTimestamp lies before it.',
        params: RulePath,
        querystring: RuleDeleteQuery,
        response: { 204: NoContent, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const ruleId = readId(request.params.ruleId, 'rule')
      const { fromTimestamp } = request.query
      const fromMs = fromTimestamp === undefined ? undefined : Date.parse(fromTimestamp)
      const { accountId } = callerOf(request)
      const name = await writeTransaction(database, transaction =>
        deleteRule(transaction, { accountId, ruleId, fromMs }),
      )
      if (name === undefined) throw notFound(`The rule ${ruleId}`)
      return reply.code(204).send(null)
    },
  )
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
