import type { AreaKind } from '../../../catalogue/area-kinds.ts'
import { allOf, type Connection, type Statement, sql } from '../../../db/sql.ts'
import { writeTransaction } from '../../../db/transaction.ts'
import { changeArea, createAreas, deleteArea } from '../../../fleet/areas/change-areas.ts'
import { featuresOf, geometryOf } from '../../../model/areas/geojson.ts'
import { kmlOf } from '../../../model/areas/kml.ts'
import type { AreaShape } from '../../../model/areas/shape.ts'
import { sendJsonText } from '../../../server/http/reply.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { orNotFound, type Resource, routesOf } from '../../context.ts'
import {
  changesOfList,
  findItem,
  type GivenLowWatermark,
  readSyncPage,
  type SyncPage,
  sendSyncPage,
} from '../../lists.ts'
import { numberIdOf } from '../../schemas.ts'
import { DRAWING_BYTES, readArea, readImport } from './read-body.ts'
import {
  Area,
  AreaBody,
  AreaList,
  AreaListQuery,
  AreaPath,
  type AreaVersion,
  AreaVersionList,
  BEYOND,
  ExportQuery,
  ExportReply,
  ImportBody,
  ImportReply,
  MOST_PASSED_OVER,
} from './schema.ts'

const DEFAULTS = { access: 'areas', tag: 'Areas' } as const

/** Some thousand areas of ordinary size: 8 MB in base64. */
const IMPORT_BYTES = 11 * 1024 * 1024

/** /areas: what an account has drawn on the map. */
export const areas: Resource = (server, context) => {
  const route = routesOf(server, context, DEFAULTS)
  route('GET /areas', {
    summary: 'List areas',
    description: `${BEYOND} By id; by modifyTimestamp with filterTimestamp.`,
    query: AreaListQuery,
    reply: AreaList,
    answer: async asked => {
      const page = await listAreas(asked.reads, asked.accountId, asked.query)
      return sendSyncPage(asked, 'areas', page, areaOf)
    },
  })
  route('GET /areas/export', {
    summary: 'Areas as a file',
    description:
      `${BEYOND} A FeatureCollection of GeoJSON, or a KML 2.2 document; \`POST /areas/import\` reads both as they were. KML draws a ` +
      'circle as a polygon, and a corridor as its line.',
    query: ExportQuery,
    reply: ExportReply,
    answer: async asked => {
      const { format = 'geojson', areaIds } = asked.query
      const rows = await readAreas(asked.reads, asked.accountId, areaIds)
      void asked.reply.header('content-disposition', `attachment; filename="areas.${format}"`)
      const isKml = format === 'kml'
      void asked.reply.type(isKml ? 'application/vnd.google-earth.kml+xml; charset=utf-8' : 'application/geo+json')
      return asked.reply.serializer(String).send(isKml ? kmlOf(rows) : JSON.stringify(featuresOf(rows)))
    },
  })
  route('GET /areas/:areaId', {
    summary: 'Get one area',
    description: BEYOND,
    params: AreaPath,
    reply: Area,
    fails: [404],
    hasEtag: true,
    answer: async asked => {
      const { areaId } = asked.params
      const row = orNotFound(await findArea(asked.reads, asked.accountId, areaId), `The area ${areaId}`)
      return sendJsonText(asked.reply, JSON.stringify(areaOf(row)))
    },
  })
  route('GET /areas/:areaId/versions', {
    summary: 'How an area was drawn',
    description: `${BEYOND} Each new shape is a version. What was in the area at a time follows from the version that held then.`,
    params: AreaPath,
    reply: AreaVersionList,
    fails: [404],
    answer: async asked => {
      const { areaId } = asked.params
      const { reads } = asked
      const row = orNotFound(await findArea(reads, asked.accountId, areaId), `The area ${areaId}`)
      const versions = (await readAreaVersions(reads, row.id)).map(areaVersionOf)
      return sendJsonText(asked.reply, JSON.stringify({ versions }))
    },
  })
  changingRoutes(server, context)
}

const changingRoutes: Resource = (server, context) => {
  const route = routesOf(server, context, DEFAULTS)
  const { database, config } = context
  route('POST /areas', {
    summary: 'Draw an area',
    description: `${BEYOND} It holds for all the past, too, unless \`validFromTimestamp\` says otherwise.`,
    body: AreaBody,
    reply: Area,
    isCreated: true,
    bodyLimit: DRAWING_BYTES,
    answer: async asked => {
      const { accountId } = asked
      const area = readArea(asked.body)
      const row = await writeTransaction(database, async transaction => {
        const [id] = await createAreas(transaction, { accountId }, [area], config.areaLimit)
        return findArea(transaction, accountId, String(id))
      })
      if (!row) throw new Error('the new area is gone')
      return sendJsonText(asked.reply, JSON.stringify(areaOf(row)))
    },
  })
  route('PUT /areas/:areaId', {
    summary: 'Change an area',
    description:
      `${BEYOND} A new shape is a new version: it holds from \`validFromTimestamp\` on, else from now on, and what was drawn before ` +
      'holds for the time before.',
    params: AreaPath,
    body: AreaBody,
    reply: Area,
    fails: [404],
    bodyLimit: DRAWING_BYTES,
    answer: async asked => {
      const { accountId } = asked
      const { areaId } = asked.params
      const area = readArea(asked.body)
      const id = orNotFound(numberIdOf(areaId), `The area ${areaId}`)
      const row = await writeTransaction(database, async transaction => {
        await changeArea(transaction, { accountId, areaId: id }, area)
        return findArea(transaction, accountId, areaId)
      })
      if (!row) throw new Error('the changed area is gone')
      return sendJsonText(asked.reply, JSON.stringify(areaOf(row)))
    },
  })
  route('DELETE /areas/:areaId', {
    summary: 'Delete an area',
    description: `${BEYOND} It is listed with its \`deleteTimestamp\` to clients that sync, and how it was drawn is kept for the past.`,
    params: AreaPath,
    fails: [404],
    answer: async asked => {
      const { accountId, params } = asked
      const areaId = orNotFound(numberIdOf(params.areaId), `The area ${params.areaId}`)
      await writeTransaction(database, transaction => deleteArea(transaction, { accountId, areaId }))
    },
  })
  route('POST /areas/import', {
    summary: 'Add the areas of a file',
    description:
      `${BEYOND} GeoJSON, KML or KMZ. What is no area is passed over and named with its reason; an error is answered only where ` +
      'nothing can be taken.',
    body: ImportBody,
    reply: ImportReply,
    isCreated: true,
    bodyLimit: IMPORT_BYTES,
    answer: async asked => {
      const { accountId } = asked
      const { areas: drawn, passedOver } = await readImport(asked.body, accountId)
      const wanted = drawn.map(area => ({ ...area, validFrom: undefined }))
      const ids = await writeTransaction(database, transaction =>
        createAreas(transaction, { accountId }, wanted, config.areaLimit),
      )
      return {
        areaIds: ids.map(String),
        passedOver: passedOver.slice(0, MOST_PASSED_OVER),
        passedOverCount: passedOver.length,
      }
    },
  })
}

interface AreaRow {
  readonly id: number
  readonly name: string
  readonly kind: AreaKind
  readonly color: string
  readonly version: number
  readonly validFrom: string
  readonly shape: AreaShape
  readonly deleted: string | null
  readonly modified: string
}

const COLUMNS = sql`
  item.id, item.name, item.kind, item.color, item.version, version.valid_from as "validFrom", version.shape, item.deleted,
  item.modified`
const JOINS = sql`join area_versions version on version.area_id = item.id and version.version = item.version`

function idCondition(areaIds: readonly string[] | undefined): Statement[] {
  if (areaIds === undefined) return []
  return [sql`item.id = any(${areaIds.flatMap(text => numberIdOf(text) ?? [])}::bigint[])`]
}

/** GET /areas: by id, or by modifyTimestamp with a filter. */
async function listAreas(
  connection: Connection,
  accountId: number,
  query: AreaListQuery & GivenLowWatermark,
): Promise<SyncPage<AreaRow>> {
  const conditions = [sql`item.account_id = ${accountId}`, ...idCondition(query.areaIds)]
  if (query.kind !== undefined) conditions.push(sql`item.kind = ${query.kind}`)
  if (query.fromTimestamp !== undefined) conditions.push(sql`item.modified >= ${query.fromTimestamp}::timestamptz`)
  if (query.toTimestamp !== undefined) conditions.push(sql`item.modified <= ${query.toTimestamp}::timestamptz`)
  if (query.filterTimestamp === undefined && !query.includeDeleted) conditions.push(sql`item.deleted is null`)
  return readSyncPage(
    connection,
    {
      name: 'areas',
      from: [sql`areas item`],
      conditions,
      joins: JOINS,
      columns: COLUMNS,
    },
    query,
  )
}

/** @returns undefined when the account has no such area; a deleted one is found. */
export function findArea(connection: Connection, accountId: number, areaId: string): Promise<AreaRow | undefined> {
  const area = { from: sql`areas`, joins: JOINS, columns: COLUMNS, prepareAs: 'find-area' }
  return findItem<AreaRow>(connection, accountId, areaId, area)
}

function readAreas(
  connection: Connection,
  accountId: number,
  areaIds: readonly string[] | undefined,
): Promise<AreaRow[]> {
  const conditions = [sql`item.account_id = ${accountId}`, sql`item.deleted is null`, ...idCondition(areaIds)]
  return connection.rows(sql`select ${COLUMNS} from areas item ${JOINS} where ${allOf(conditions)} order by item.id`)
}

/** Both ends may be infinite. */
interface AreaVersionRow {
  readonly version: number
  readonly validFrom: string
  readonly validTo: string
  readonly shape: AreaShape
}

/** A version holds until a later one does, however long before that one was drawn, and until the area was deleted. */
export function readAreaVersions(connection: Connection, areaId: number): Promise<AreaVersionRow[]> {
  return connection.rows(sql`
    select v.version, v.valid_from as "validFrom", v.shape,
      greatest(v.valid_from, least(a.deleted, (
        select min(later.valid_from) from area_versions later
        where later.area_id = v.area_id and later.version > v.version), 'infinity')) as "validTo"
    from area_versions v join areas a on a.id = v.area_id where v.area_id = ${areaId} order by v.version`)
}

function areaOf({ id, name, kind, color, version, validFrom, shape, deleted, modified }: AreaRow): Area {
  return {
    id: String(id),
    name,
    kind,
    color,
    ...geometryOf(shape),
    version,
    validFromTimestamp: finiteInstant(validFrom),
    deleteTimestamp: deleted === null ? null : millisecondText(deleted),
    modifyTimestamp: modified,
  }
}

function areaVersionOf({ version, validFrom, validTo, shape }: AreaVersionRow): AreaVersion {
  return {
    version,
    validFromTimestamp: finiteInstant(validFrom),
    validToTimestamp: finiteInstant(validTo),
    ...geometryOf(shape),
  }
}

function finiteInstant(text: string): string | null {
  return text.endsWith('infinity') ? null : millisecondText(text)
}

export const areaChanges = changesOfList('areas', listAreas, rows => rows.map(row => JSON.stringify(areaOf(row))))
