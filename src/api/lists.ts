import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Permission } from '../catalogue/permissions.ts'
import type { ChangeKind, ChangeScope } from '../changes/source.ts'
import type { AccountReads } from '../db/account-reads.ts'
import { readLowWatermark } from '../db/low-watermark.ts'
import { revisionAfter } from '../db/revisions.ts'
import { allOf, type Connection, listOf, type Statement, sql, unionOf } from '../db/sql.ts'
import { vehicleIdOf } from '../fleet/vehicles.ts'
import { badRequest } from '../model/errors.ts'
import type { DeviceId } from '../model/sample.ts'
import {
  booleanParameter,
  DEFAULT_MAX_RESULTS,
  deviceIdParameter,
  idParameter,
  syncListParameters,
} from '../server/http/parameters.ts'
import { sendJsonList } from '../server/http/reply.ts'
import { type Instant, parseTimestamp } from '../server/http/timestamps.ts'
import { numberIdOf } from './schemas.ts'

/** A column of `item`, and the field of a row that holds it, with microseconds. */
interface OrderKey {
  readonly field: string
  readonly column: Statement
  readonly kind: 'instant' | 'number' | 'string'
}

/** A list that clients sync (decisions.md, *Sync*). Its objects are called `item` in every statement. */
interface SyncList {
  /** The name of the list in cursors, so that cursors of other lists are refused. */
  readonly name: string
  /** After FROM, one for each table: PostgreSQL would read and sort a union as a whole, but reads from each table only
   * what the page needs. Only what the conditions need. */
  readonly from: readonly [Statement, ...Statement[]]
  readonly conditions: readonly Statement[]
  /** The columns of a found object that joins and columns need; all unless given. */
  readonly found?: Statement
  /** Joined to the objects of the page only. */
  readonly joins: Statement
  readonly columns: Statement
  /** The order without `filterTimestamp`; unique. By id unless given. */
  readonly order?: readonly OrderKey[]
  /** When a list without any lower bound is cut, it keeps its newest objects instead of its first ones. */
  readonly keepsNewest?: true
}

interface SyncQuery {
  readonly fromTimestamp?: string | undefined
  readonly filterTimestamp?: string | undefined
  readonly maxResults?: number | undefined
  readonly cursor?: string | undefined
  readonly count?: boolean | undefined
}

/** Added to a query by a reader of several lists, which reads the low watermark once for all of them. */
export interface GivenLowWatermark {
  readonly lowWatermark?: string | undefined
}

export interface SyncPage<Row> {
  /** Ascending in the order of the list. */
  readonly rows: readonly Row[]
  /** The top-level value of the reply. */
  readonly modifyTimestamp: string
  /** Where the rest starts; undefined when there is none. */
  readonly next: CursorPosition | undefined
  /** How many match on all pages; undefined unless asked for. */
  readonly total: number | undefined
}

const BY_ID: readonly OrderKey[] = [{ field: 'id', column: sql`item.id`, kind: 'number' }]
const BY_MODIFIED: readonly OrderKey[] = [{ field: 'modified', column: sql`item.modified`, kind: 'instant' }, ...BY_ID]

type SyncRow = Readonly<{ id: number; modified: string }>

/** Rows must have `id`, `modified` and the fields of the order. @throws ClientError 400 for a cursor of another list */
export async function readSyncPage<Row extends SyncRow>(
  connection: Connection,
  list: SyncList,
  query: SyncQuery & GivenLowWatermark,
): Promise<SyncPage<Row>> {
  const { filterTimestamp: filter, maxResults = DEFAULT_MAX_RESULTS } = query
  const order = filter === undefined ? (list.order ?? BY_ID) : BY_MODIFIED
  const isReversed = list.keepsNewest === true && filter === undefined && query.fromTimestamp === undefined
  const mode = `${list.name} ${filter !== undefined ? 'modified' : isReversed ? 'newest' : 'first'}`
  const cursor = readCursor(query.cursor, ['string', 'instant', ...order.map(key => key.kind)])
  if (cursor && cursor[0] !== mode) throw foreignCursor()
  // All pages of a walk use that of the first one: an object of an early page may have changed in the meantime.
  const lowWatermark = cursor ? String(cursor[1]) : (query.lowWatermark ?? (await readLowWatermark(connection)))

  const conditions = [...list.conditions]
  if (filter !== undefined) conditions.push(sql`item.modified > ${filter}::timestamptz`)
  const total = query.count ? await countOf(connection, list, conditions) : undefined
  if (cursor) conditions.push(beyond(order, cursor.slice(2), isReversed))
  const orderBy = listOf(order.map(({ column }) => (isReversed ? sql`${column} desc` : column)))
  const found = inEach(
    list,
    from =>
      sql`select ${list.found ?? sql`item.*`} from ${from} where ${allOf(conditions)} order by ${orderBy} limit ${maxResults + 1}`,
  )
  const rows = await connection.rows<Row>(sql`
    select ${list.columns} from (
      select * from (${found}) as item order by ${orderBy} limit ${maxResults + 1}
    ) as item ${list.joins} order by ${orderBy}`)

  const page = rows.slice(0, maxResults)
  const last = page.at(-1)
  const firstLeftOut = rows[maxResults]
  if (isReversed) page.reverse()
  if (!last || !firstLeftOut) {
    return {
      rows: page,
      modifyTimestamp: syncRevision({ filter, lowWatermark, leastLeftOut: undefined }),
      next: undefined,
      total,
    }
  }
  const place = placeOf(order, last)
  const leastLeftOut =
    order === BY_MODIFIED
      ? firstLeftOut.modified
      : await readLeastModified(connection, list, [...conditions, beyond(order, place, isReversed)], isReversed)
  return {
    rows: page,
    modifyTimestamp: syncRevision({ filter, lowWatermark, leastLeftOut }),
    next: [mode, lowWatermark, ...place],
    total,
  }
}

/** Deleted ones included. @param from follows FROM, with the object as `item` */
export async function findItem<Row extends object>(
  connection: Connection,
  accountId: number,
  id: string,
  { from, joins, columns, prepareAs }: Pick<SyncList, 'joins' | 'columns'> & { from: Statement; prepareAs: string },
): Promise<Row | undefined> {
  const number = numberIdOf(id)
  if (number === undefined) return undefined
  const [row] = await connection.rows<Row>(
    sql`select ${columns} from ${from} item ${joins} where item.id = ${number} and item.account_id = ${accountId}`,
    { prepareAs },
  )
  return row
}

/** Sends a page as `{"<name>": […], "modifyTimestamp": …}`, with a Link to the rest. */
export function sendSyncPage<Row>(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  name: string,
  page: SyncPage<Row>,
  objectOf: (row: Row) => object,
): FastifyReply {
  if (page.next) linkNext(request, reply, page.next)
  if (page.total !== undefined) reply.header(TOTAL_HEADER, page.total)
  const suffix = `],"modifyTimestamp":${JSON.stringify(page.modifyTimestamp)}}`
  return sendJsonList(reply, `{${JSON.stringify(name)}:[`, rendered(page.rows, objectOf), suffix)
}

/** Objects as JSON, made while they are sent. */
export function* rendered<Row>(rows: Iterable<Row>, objectOf: (row: Row) => object): Generator<string> {
  for (const row of rows) yield JSON.stringify(objectOf(row))
}

interface ChangesQuery {
  readonly filterTimestamp: Instant
  readonly lowWatermark: string
  readonly maxResults: number
  readonly cursor?: string
  readonly deviceId?: DeviceId
  readonly vehicleId?: string
}

/** @param textsOf the objects of a page as JSON */
export function changesOfList<Row extends SyncRow>(
  name: Permission,
  list: (reads: AccountReads, accountId: number, query: ChangesQuery, scope: ChangeScope) => Promise<SyncPage<Row>>,
  textsOf: (rows: readonly Row[], scope: ChangeScope, reads: AccountReads) => Promise<string[]> | string[],
): ChangeKind {
  return {
    name,
    async read(reads, scope, { position, lowWatermark, limit }) {
      const { accountId, deviceId, vehicleId } = scope
      const query = {
        // Revisions have the form of instants.
        filterTimestamp: position.revision as Instant,
        lowWatermark,
        maxResults: limit,
        ...(position.cursor !== undefined && { cursor: position.cursor }),
        ...(deviceId !== undefined && { deviceId }),
        ...(vehicleId !== undefined && { vehicleId }),
      }
      const { rows, modifyTimestamp, next } = await list(reads, accountId, query, scope)
      const texts = await textsOf(rows, scope, reads)
      return {
        changes: rows.map(({ modified }, index) => ({ json: texts[index] ?? '', modified })),
        position: { revision: modifyTimestamp, cursor: next && cursorText(next) },
      }
    },
  }
}

function beyond(order: readonly OrderKey[], place: CursorPosition, isReversed: boolean): Statement {
  const columns = listOf(order.map(({ column }) => column))
  const values = listOf(order.map(({ kind }, index) => typed(kind, place[index])))
  return isReversed ? sql`(${columns}) < (${values})` : sql`(${columns}) > (${values})`
}

function typed(kind: OrderKey['kind'], value: string | number | undefined): Statement {
  if (kind === 'instant') return sql`${value}::timestamptz`
  return kind === 'number' ? sql`${value}::bigint` : sql`${value}::text`
}

function placeOf(order: readonly OrderKey[], row: object): CursorPosition {
  return order.map(({ field }) => (row as Record<string, string | number>)[field] ?? '')
}

async function readLeastModified(
  connection: Connection,
  list: SyncList,
  conditions: readonly Statement[],
  areOlder: boolean,
): Promise<string | undefined> {
  // Old objects mostly changed first, so for them the index by modification finds one at once. For new objects it would
  // scan past all the old ones. The planner does not know of this correlation; the sum keeps it from using that index.
  const modified = areOlder ? sql`item.modified` : sql`item.modified + interval '0'`
  const leasts = inEach(list, from => sql`select min(${modified}) as least from ${from} where ${allOf(conditions)}`)
  const [row] = await connection.rows<{ least: string | null }>(
    sql`select min(least) as least from (${leasts}) as places`,
  )
  return row?.least ?? undefined
}

async function countOf(connection: Connection, list: SyncList, conditions: readonly Statement[]): Promise<number> {
  const counts = inEach(list, from => sql`select count(*)::int as count from ${from} where ${allOf(conditions)}`)
  const rows = await connection.rows<{ count: number }>(counts)
  return rows.reduce((sum, { count }) => sum + count, 0)
}

function inEach({ from: [first, ...others] }: SyncList, queryOf: (from: Statement) => Statement): Statement {
  return unionOf([queryOf(first), ...others.map(queryOf)])
}

interface RevisionsOfPage {
  /** The `filterTimestamp` of the request. */
  readonly filter: string | undefined
  /** Read before the data: `readLowWatermark`. */
  readonly lowWatermark: string
  /** The smallest `modifyTimestamp` among the matching objects that the page left out; undefined when none was. */
  readonly leastLeftOut: string | undefined
}

/** A client that sends it back as `filterTimestamp` misses nothing (decisions.md, *Sync*), but may get one twice. */
export function syncRevision({ filter, lowWatermark, leastLeftOut }: RevisionsOfPage): string {
  const top =
    leastLeftOut !== undefined && leastLeftOut <= lowWatermark ? revisionAfter(leastLeftOut, -1) : lowWatermark
  return filter !== undefined && top < filter ? filter : top
}

export type CursorPosition = readonly (string | number)[]

/** The kinds of these values; a `number` is an integer, an `instant` a text with microseconds. */
export type CursorKind = 'string' | 'number' | 'instant'

/** Values of a cursor are checked before they reach the database, whose errors would count as ours. */
export function readCursor(cursor: string | undefined, kinds: readonly CursorKind[]): CursorPosition | undefined {
  if (cursor === undefined) return undefined
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (
      Array.isArray(place) &&
      place.length === kinds.length &&
      place.every((value, index) => isOfKind(value, kinds[index])) &&
      // Any other form was not made by us, even if it means the same.
      cursorText(place) === cursor
    )
      return place
  } catch {
    // Falls through to the one error for every invalid cursor.
  }
  throw foreignCursor()
}

const foreignCursor = () =>
  badRequest('cursor must be taken from the Link header of the page before, with the same other parameters.')

function isOfKind(value: unknown, kind: CursorKind | undefined): boolean {
  if (kind === 'number') return Number.isSafeInteger(value)
  if (typeof value !== 'string') return false
  return kind === 'instant' ? parseTimestamp(value) === value : !value.includes('\0')
}

/** How many objects match on all pages, asked for with `count=true`. */
export const TOTAL_HEADER = 'X-Total-Count'

export function cursorText(place: CursorPosition): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** Links to the next page of a list (RFC 8288), relative to the request so that it works behind any proxy. */
export function linkNext(request: FastifyRequest, reply: FastifyReply, place: CursorPosition): void {
  const [path = '', query = ''] = request.url.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursorText(place))
  reply.header('link', `<${path}?${parameters.toString()}>; rel="next"`)
}

interface TimedListTexts {
  /** The field with the instant at which it happened. */
  readonly begin: string
  readonly deviceId: string
  readonly vehicleId: string
  readonly includeDeleted: string
}

/** The parameters of lists of things that happened to cars, such as trips and trouble codes. */
export const timedListQuery = (texts: TimedListTexts) =>
  Type.Object({
    deviceId: Type.Optional(deviceIdParameter(texts.deviceId)),
    vehicleId: Type.Optional(idParameter(texts.vehicleId, ['VINWVWZZZ1KZAW000001'])),
    includeDeleted: Type.Optional(booleanParameter(`${texts.includeDeleted}; with filterTimestamp they always are.`)),
    count: Type.Optional(
      booleanParameter(
        'Say in the header X-Total-Count how many match, however many are listed (beyond the original document).',
      ),
    ),
    ...syncListParameters(texts.begin),
  })
export type TimedListQuery = Static<ReturnType<typeof timedListQuery>>

/** Without `filterTimestamp`, deleted objects are listed only on request. */
export async function readTimedPage<Row extends SyncRow>(
  connection: Connection,
  accountId: number,
  query: TimedListQuery & GivenLowWatermark,
  { begin: [column, field], conditions: further = [], ...list }: TimedList,
): Promise<SyncPage<Row>> {
  const { deviceId, vehicleId: publicId, fromTimestamp, toTimestamp, filterTimestamp, includeDeleted } = query
  const conditions: Statement[] = [sql`item.account_id = ${accountId}`]
  if (deviceId !== undefined) conditions.push(sql`item.device_id = ${deviceId}`)
  if (publicId !== undefined) {
    const vehicleId = await vehicleIdOf(connection, accountId, publicId)
    conditions.push(vehicleId === undefined ? sql`false` : sql`item.vehicle_id = ${vehicleId}`)
  }
  if (fromTimestamp !== undefined) conditions.push(sql`${column} >= ${fromTimestamp}::timestamptz`)
  if (toTimestamp !== undefined) conditions.push(sql`${column} <= ${toTimestamp}::timestamptz`)
  if (filterTimestamp === undefined && !includeDeleted) conditions.push(sql`item.deleted is null`)
  // Several things may have happened at the same instant.
  const order: readonly OrderKey[] = [{ field, column, kind: 'instant' }, ...BY_ID]
  return readSyncPage(connection, { ...list, conditions: [...conditions, ...further], order, keepsNewest: true }, query)
}

type TimedList = Omit<SyncList, 'conditions' | 'order' | 'keepsNewest'> & {
  readonly begin: readonly [column: Statement, field: string]
  readonly conditions?: readonly Statement[]
}
