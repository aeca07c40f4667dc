import type { AreaKind } from '../../../catalogue/area-kinds.ts'
import { allOf, type Connection, type Statement, sql } from '../../../db/sql.ts'
import { geometryOf } from '../../../model/areas/geojson.ts'
import type { AreaShape } from '../../../model/areas/shape.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { changesOfList, type GivenLowWatermark, readSyncPage, type SyncPage } from '../../lists.ts'
import { numberIdOf } from '../../schemas.ts'
import type { Area, AreaListQuery, AreaVersion } from './schema.ts'

/** An area with the shape of its newest version. */
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
export async function listAreas(
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
      found: sql`item.*`,
      joins: JOINS,
      columns: COLUMNS,
      order: [{ field: 'id', column: sql`item.id`, kind: 'number' }],
      keepsNewest: false,
    },
    query,
  )
}

/** @returns undefined when the account has no such area; a deleted one is found. */
export async function findArea(
  connection: Connection,
  accountId: number,
  areaId: string,
): Promise<AreaRow | undefined> {
  const id = numberIdOf(areaId)
  if (id === undefined) return undefined
  const [row] = await connection.rows<AreaRow>(
    sql`select ${COLUMNS} from areas item ${JOINS} where item.id = ${id} and item.account_id = ${accountId}`,
    { prepareAs: 'find-area' },
  )
  return row
}

/** The areas of a file, by id. */
export function readAreas(
  connection: Connection,
  accountId: number,
  areaIds: readonly string[] | undefined,
): Promise<AreaRow[]> {
  const conditions = [sql`item.account_id = ${accountId}`, sql`item.deleted is null`, ...idCondition(areaIds)]
  return connection.rows(sql`select ${COLUMNS} from areas item ${JOINS} where ${allOf(conditions)} order by item.id`)
}

/** How an area was drawn, and for which time. Both ends may be infinite. */
interface AreaVersionRow {
  readonly version: number
  readonly validFrom: string
  readonly validTo: string
  readonly shape: AreaShape
}

/**
 * The versions of an area, by number. One holds until a later one does, however long before that one was drawn, and until the
 * area was deleted.
 */
export function readAreaVersions(connection: Connection, areaId: number): Promise<AreaVersionRow[]> {
  return connection.rows(sql`
    select v.version, v.valid_from as "validFrom", v.shape,
      greatest(v.valid_from, least(a.deleted, (
        select min(later.valid_from) from area_versions later
        where later.area_id = v.area_id and later.version > v.version), 'infinity')) as "validTo"
    from area_versions v join areas a on a.id = v.area_id where v.area_id = ${areaId} order by v.version`)
}

/** An area as its reader sees it. */
export function areaOf({ id, name, kind, color, version, validFrom, shape, deleted, modified }: AreaRow): Area {
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

export function areaVersionOf({ version, validFrom, validTo, shape }: AreaVersionRow): AreaVersion {
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

/** Areas in the feed of changes. */
export const areaChanges = changesOfList('areas', listAreas, rows => rows.map(row => JSON.stringify(areaOf(row))))
