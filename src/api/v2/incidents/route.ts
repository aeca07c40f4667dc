import type { FastifyRequest } from 'fastify'
import { hiddenEventTypes } from '../../../catalogue/permissions.ts'
import { writeTransaction } from '../../../db/transaction.ts'
import { badRequest, notFound } from '../../../model/errors.ts'
import { isStorableText } from '../../../model/texts.ts'
import { callerOf } from '../../../server/http/access.ts'
import type { ApiContext, Resource } from '../../context.ts'
import { sendSyncPage } from '../../lists.ts'
import { languageOf } from '../../replies.ts'
import { requestReads } from '../../request-reads.ts'
import { changeReplies, ErrorBody, errorReplies, languageHeader, numberIdOf } from '../../schemas.ts'
import { notePositions } from '../../security-lines.ts'
import { selectTypes } from '../events/query.ts'
import { explanationOf } from './explanation.ts'
import { type IncidentView, incidentOf } from './incident.ts'
import { acknowledge, findIncident, listIncidents } from './query.ts'
import {
  AcknowledgementBody,
  Incident,
  IncidentExplanation,
  IncidentList,
  IncidentListQuery,
  IncidentPath,
} from './schema.ts'

const TAGS = ['Incidents']

/** /incidents: what the rules of the caller's account found, beyond the original document. */
export const incidents: Resource = (server, { database }) => {
  const settings = { access: 'incidents' } as const
  server.get(
    '/incidents',
    {
      config: settings,
      schema: {
        tags: TAGS,
        summary: 'List incidents',
        description:
          'By startTimestamp; by modifyTimestamp with filterTimestamp. Without fromTimestamp and filterTimestamp, the newest ones.\n\n' +
          'Measurements that arrive late change incidents, and so do rules that are changed with a date in the past: one that proves to be none gets a deleteTimestamp.',
        headers: languageHeader,
        querystring: IncidentListQuery,
        response: { 200: IncidentList, ...errorReplies },
      },
    },
    async (request, reply) => {
      const reads = requestReads(database, request, reply)
      const page = await listIncidents(reads, callerOf(request).accountId, request.query)
      notePositions(request, request.query)
      const view = viewOf(request)
      return sendSyncPage(request, reply, 'incidents', page, row => incidentOf(row, view))
    },
  )
  server.get(
    '/incidents/:incidentId',
    {
      config: { access: 'incidents', etag: true },
      schema: {
        tags: TAGS,
        summary: 'Get one incident',
        headers: languageHeader,
        params: IncidentPath,
        response: { 200: Incident, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { incidentId } = request.params
      const row = await findIncident(requestReads(database, request, reply), callerOf(request).accountId, incidentId)
      if (!row) throw notFound(`The incident ${incidentId}`)
      notePositions(request, { vehicleId: row.vehicleId })
      return incidentOf(row, viewOf(request))
    },
  )
  server.get(
    '/incidents/:incidentId/explain',
    {
      config: settings,
      schema: {
        tags: TAGS,
        summary: 'Explain an incident',
        description: 'Which rule found it, with which values, and what was measured at its begin, peak and end.',
        headers: languageHeader,
        params: IncidentPath,
        response: { 200: IncidentExplanation, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { incidentId } = request.params
      const { accountId, permissions } = callerOf(request)
      const reads = requestReads(database, request, reply)
      const row = await findIncident(reads, accountId, incidentId)
      if (!row || row.isErased) throw notFound(`The incident ${incidentId}`)
      notePositions(request, { vehicleId: row.vehicleId })
      const { accept } = selectTypes(undefined, hiddenEventTypes(permissions))
      return explanationOf(reads, row, {
        language: languageOf(request.headers['accept-language']),
        accept: type => permissions.has('events') && accept(type),
      })
    },
  )
  server.post(
    '/incidents/:incidentId/acknowledgement',
    {
      config: settings,
      schema: {
        tags: TAGS,
        operationId: 'acknowledgeIncident',
        summary: 'Acknowledge an incident',
        description:
          'It says who saw it, and keeps that when late data change or withdraw it. Again: the note is replaced.',
        headers: languageHeader,
        params: IncidentPath,
        body: AcknowledgementBody,
        response: { 200: Incident, ...changeReplies, 404: ErrorBody },
      },
    },
    async request => {
      const note = request.body.note?.trim() ?? ''
      if (!isStorableText(note)) throw badRequest('note must not contain the character NUL or halves of characters.')
      return changed(database, request, request.params.incidentId, { by: callerOf(request).name, note })
    },
  )
  server.delete(
    '/incidents/:incidentId/acknowledgement',
    {
      config: settings,
      schema: {
        tags: TAGS,
        operationId: 'takeAcknowledgementBack',
        summary: 'Take an acknowledgement back',
        headers: languageHeader,
        params: IncidentPath,
        response: { 200: Incident, ...errorReplies, 404: ErrorBody },
      },
    },
    async request => changed(database, request, request.params.incidentId, undefined),
  )
}

async function changed(
  database: ApiContext['database'],
  request: FastifyRequest,
  incidentId: string,
  given: Parameters<typeof acknowledge>[2],
): Promise<Incident> {
  const { accountId } = callerOf(request)
  const id = numberIdOf(incidentId)
  const row = await writeTransaction(database, async transaction => {
    const isKnown = id !== undefined && (await acknowledge(transaction, { accountId, incidentId: id }, given))
    return isKnown ? findIncident(transaction, accountId, incidentId) : undefined
  })
  if (!row) throw notFound(`The incident ${incidentId}`)
  return incidentOf(row, viewOf(request))
}

function viewOf(request: FastifyRequest): IncidentView {
  return {
    language: languageOf(request.headers['accept-language']),
    maySeePositions: callerOf(request).permissions.has('positions'),
  }
}
