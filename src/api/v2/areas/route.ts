import { writeTransaction } from '../../../db/transaction.ts'
import { changeArea, createAreas, deleteArea } from '../../../fleet/areas/change-areas.ts'
import { featuresOf } from '../../../model/areas/geojson.ts'
import { kmlOf } from '../../../model/areas/kml.ts'
import { notFound } from '../../../model/errors.ts'
import { callerOf } from '../../../server/http/access.ts'
import { sendJsonText } from '../../../server/http/reply.ts'
import type { ApiServer, Resource } from '../../context.ts'
import { sendSyncPage } from '../../lists.ts'
import { requestReads } from '../../request-reads.ts'
import { changeReplies, ErrorBody, errorReplies, languageHeader, NoContent, numberIdOf } from '../../schemas.ts'
import { areaOf, areaVersionOf, findArea, listAreas, readAreas, readAreaVersions } from './query.ts'
import { boundJsonBodies, readArea, readImport } from './read-body.ts'
import {
  Area,
  AreaBody,
  AreaList,
  AreaListQuery,
  AreaPath,
  AreaVersionList,
  ExportQuery,
  ExportReply,
  ImportBody,
  ImportReply,
} from './schema.ts'

const settings = { access: 'areas' } as const
const tags = ['Areas']
const BEYOND = 'Beyond the original document.'

/** A border of 10,000 points. */
const DRAWING_BYTES = 1024 * 1024
/** Some thousand areas of ordinary size. */
const IMPORT_BYTES = 8 * 1024 * 1024

/** /areas: what an account has drawn on the map. */
export const areas: Resource = (server, context) => {
  readingRoutes(server, context)
  void server.register(async scope => {
    boundJsonBodies(scope)
    changingRoutes(scope, context)
  })
}

const readingRoutes: Resource = (server, { database }) => {
  server.get(
    '/areas',
    {
      config: settings,
      schema: {
        tags,
        summary: 'List areas',
        description: `${BEYOND} By id; by modifyTimestamp with filterTimestamp.`,
        headers: languageHeader,
        querystring: AreaListQuery,
        response: { 200: AreaList, ...errorReplies },
      },
    },
    async (request, reply) => {
      const reads = requestReads(database, request, reply)
      const page = await listAreas(reads, callerOf(request).accountId, request.query)
      return sendSyncPage(request, reply, 'areas', page, areaOf)
    },
  )
  server.get(
    '/areas/export',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Areas as a file',
        description:
          `${BEYOND} A FeatureCollection of GeoJSON, or a KML 2.2 document; \`POST /areas/import\` reads both as they were. KML draws a ` +
          'circle as a polygon, and a corridor as its line.',
        headers: languageHeader,
        querystring: ExportQuery,
        response: { 200: ExportReply, ...errorReplies },
      },
    },
    async (request, reply) => {
      const { format = 'geojson', areaIds } = request.query
      const reads = requestReads(database, request, reply)
      const rows = await readAreas(reads, callerOf(request).accountId, areaIds)
      void reply.header('content-disposition', `attachment; filename="areas.${format}"`)
      const isKml = format === 'kml'
      void reply.type(isKml ? 'application/vnd.google-earth.kml+xml; charset=utf-8' : 'application/geo+json')
      return reply.serializer(String).send(isKml ? kmlOf(rows) : JSON.stringify(featuresOf(rows)))
    },
  )
  server.get(
    '/areas/:areaId',
    {
      config: { ...settings, etag: true },
      schema: {
        tags,
        summary: 'Get one area',
        description: BEYOND,
        headers: languageHeader,
        params: AreaPath,
        response: { 200: Area, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { areaId } = request.params
      const row = await findArea(requestReads(database, request, reply), callerOf(request).accountId, areaId)
      if (!row) throw notFound(`The area ${areaId}`)
      return sendJsonText(reply, JSON.stringify(areaOf(row)))
    },
  )
  server.get(
    '/areas/:areaId/versions',
    {
      config: settings,
      schema: {
        tags,
        summary: 'How an area was drawn',
        description: `${BEYOND} Each new shape is a version. What was in the area at a time follows from the version that held then.`,
        headers: languageHeader,
        params: AreaPath,
        response: { 200: AreaVersionList, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { areaId } = request.params
      const reads = requestReads(database, request, reply)
      const row = await findArea(reads, callerOf(request).accountId, areaId)
      if (!row) throw notFound(`The area ${areaId}`)
      const versions = (await readAreaVersions(reads, row.id)).map(areaVersionOf)
      return sendJsonText(reply, JSON.stringify({ versions }))
    },
  )
}

function changingRoutes(server: ApiServer, { database, config }: Parameters<Resource>[1]): void {
  server.post(
    '/areas',
    {
      config: settings,
      bodyLimit: DRAWING_BYTES,
      schema: {
        tags,
        summary: 'Draw an area',
        description: `${BEYOND} It holds for all the past, too, unless \`validFromTimestamp\` says otherwise.`,
        headers: languageHeader,
        body: AreaBody,
        response: { 201: Area, ...changeReplies },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const area = readArea(request.body)
      const row = await writeTransaction(database, async transaction => {
        const [id] = await createAreas(transaction, { accountId }, [area], config.areaLimit)
        return findArea(transaction, accountId, String(id))
      })
      if (!row) throw new Error('the new area is gone')
      return sendJsonText(reply.code(201), JSON.stringify(areaOf(row)))
    },
  )
  server.put(
    '/areas/:areaId',
    {
      config: settings,
      bodyLimit: DRAWING_BYTES,
      schema: {
        tags,
        summary: 'Change an area',
        description:
          `${BEYOND} A new shape is a new version: it holds from \`validFromTimestamp\` on, else from now on, and what was drawn before ` +
          'holds for the time before.',
        headers: languageHeader,
        params: AreaPath,
        body: AreaBody,
        response: { 200: Area, ...changeReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const { areaId } = request.params
      const area = readArea(request.body)
      const id = numberIdOf(areaId)
      if (id === undefined) throw notFound(`The area ${areaId}`)
      const row = await writeTransaction(database, async transaction => {
        await changeArea(transaction, { accountId, areaId: id }, area)
        return findArea(transaction, accountId, areaId)
      })
      if (!row) throw new Error('the changed area is gone')
      return sendJsonText(reply, JSON.stringify(areaOf(row)))
    },
  )
  server.delete(
    '/areas/:areaId',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Delete an area',
        description: `${BEYOND} It is listed with its \`deleteTimestamp\` to clients that sync, and how it was drawn is kept for the past.`,
        headers: languageHeader,
        params: AreaPath,
        response: { 204: NoContent, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { areaId } = request.params
      const id = numberIdOf(areaId)
      if (id === undefined) throw notFound(`The area ${areaId}`)
      const { accountId } = callerOf(request)
      await writeTransaction(database, transaction => deleteArea(transaction, { accountId, areaId: id }))
      return reply.code(204).send(null)
    },
  )
  server.post(
    '/areas/import',
    {
      config: settings,
      bodyLimit: IMPORT_BYTES,
      schema: {
        tags,
        summary: 'Add the areas of a file',
        description: `${BEYOND} GeoJSON or KML; all of its areas are added, or none and the error names the first one that is wrong.`,
        headers: languageHeader,
        body: ImportBody,
        response: { 201: ImportReply, ...changeReplies },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const drawn = await readImport(request.body, accountId)
      const wanted = drawn.map(area => ({ ...area, validFrom: undefined }))
      const ids = await writeTransaction(database, transaction =>
        createAreas(transaction, { accountId }, wanted, config.areaLimit),
      )
      return reply.code(201).send({ areaIds: ids.map(String) })
    },
  )
}
