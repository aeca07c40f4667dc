import { type EventTypeId, eventTypeById } from '../../catalogue/event-types.ts'
import type { Connection } from '../database.ts'
import { sql } from '../sql.ts'
import { instantMs, instantOfMs } from '../values.ts'
import { WEEK_MS, weekStartMs } from './weeks.ts'

/** The set of event types of a sample, as it is stored: by a number of its own. */
export interface Shape {
  readonly id: number
  readonly types: readonly EventTypeId[]
  /** How many numbers a sample of this shape has. */
  readonly numberCount: number
  readonly hasTexts: boolean
  /** The types as PostgreSQL writes them: `{1,2}`. */
  readonly text: string
}

/**
 * The shape of samples that tell themselves what they hold: the first of their texts are their types, as `Shape.text`
 * writes them. It has no row.
 */
export const OWN_SHAPE_ID = 0

/** What is known of a shape that this process writes. */
interface Use {
  readonly shape: Shape
  /** Days since 1970. */
  usedOn: number
  /** The row says that no sample is of a later time. */
  newestMs: number
}

/** A sample, as far as its shape goes. */
export interface ShapedSample {
  readonly timeMs: number
  readonly types: readonly EventTypeId[]
}

/** Whose samples they are: undefined where nobody knows. */
export type OwnerOf<Item> = (sample: Item) => number | undefined

/** So many shapes an account may bring in. Beyond them, its samples tell themselves what they hold. */
export const MOST_SHAPES = 1000

const DAY_MS = 24 * 3600 * 1000

/** The shapes that this process has met. Many nodes may add the same one. */
export class Shapes {
  readonly #connection: Connection
  readonly #mostOfAccount: number
  readonly #uses = new Map<string, Use>()
  readonly #byId = new Map<number, Shape>()
  /** Of samples that tell themselves what they hold. */
  readonly #own = new Map<string, Shape>()

  /**
   * @param connection adds shapes, too: outside of any other transaction, so that no rollback takes them back, and not
   * one of those for writing, because whoever has the last of them may be who needs a new shape
   */
  constructor(connection: Connection, mostOfAccount: number = MOST_SHAPES) {
    this.#connection = connection
    this.#mostOfAccount = mostOfAccount
  }

  /**
   * The ids of the shapes of these samples, in their order; shapes that nobody had before are added. Where the account has
   * brought in as many as it may, that is `OWN_SHAPE_ID`.
   */
  async idsOf<Item extends ShapedSample>(samples: readonly Item[], ownerOf?: OwnerOf<Item>): Promise<Int32Array> {
    const ids = new Int32Array(samples.length)
    const today = Math.floor(Date.now() / DAY_MS)
    const missing = new Map<string, Missing>()
    let last: readonly EventTypeId[] = []
    let use: Use | undefined
    samples.forEach((sample, index) => {
      const { types, timeMs } = sample
      // Neighbours are mostly alike, and comparing is cheaper than making a key.
      if (index === 0 || !areEqual(types, last)) {
        use = this.#uses.get(keyOf(types))
        last = types
      }
      if (use?.usedOn === today && timeMs <= use.newestMs) ids[index] = use.shape.id
      else note(missing, keyOf(types), timeMs, () => ownerOf?.(sample))
    })
    if (missing.size === 0) return ids
    const found = await this.#find(missing, today)
    samples.forEach(({ types }, index) => {
      if (ids[index] === 0) ids[index] = found.get(keyOf(types)) ?? OWN_SHAPE_ID
    })
    return ids
  }

  /** The ids of shapes, added where they may be; each is noted as used today by samples until then. */
  async #find(missing: ReadonlyMap<string, Missing>, today: number): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>()
    const remember = (rows: readonly UsedShapeRow[]) => {
      for (const row of rows) {
        const shape = this.#remember(row)
        this.#uses.set(shape.text, { shape, usedOn: today, newestMs: instantMs(row.newest) })
        found.set(shape.text, shape.id)
      }
    }
    const wanted = [...missing.values()]
    remember(
      await this.#connection.rows<UsedShapeRow>(sql`
        update shapes s set used_on = current_date, newest = greatest(s.newest, u.newest)
        from ${unnested(wanted)} where s.types = u.types::smallint[] returning s.id, s.types, s.newest`),
    )
    const unknown = wanted.filter(({ key }) => !found.has(key))
    for (const owner of new Set(unknown.map(item => item.owner))) {
      const ofOwner = unknown.filter(item => item.owner === owner)
      const room = await this.#roomOf(owner)
      if (room > 0) remember(await this.#add(owner, ofOwner.slice(0, room)))
    }
    // What is not there any more was dropped since, because no sample used it.
    for (const { key } of unknown) if (!found.has(key)) this.#uses.delete(key)
    return found
  }

  async #roomOf(owner: number | undefined): Promise<number> {
    const [row] = await this.#connection.rows<{ count: number }>(
      sql`select count(*) as count from shapes where account_id is not distinct from ${owner ?? null}::integer`,
    )
    return this.#mostOfAccount - (row?.count ?? 0)
  }

  #add(owner: number | undefined, wanted: readonly Missing[]): Promise<UsedShapeRow[]> {
    return this.#connection.rows<UsedShapeRow>(sql`
      insert into shapes as s (types, account_id, newest)
      select u.types::smallint[], ${owner ?? null}::integer, u.newest from ${unnested(wanted)} order by u.types
      on conflict (types) do update set used_on = current_date, newest = greatest(s.newest, excluded.newest)
      returning s.id, s.types, s.newest`)
  }

  /**
   * Makes sure that `byId` knows these shapes.
   * @param connection one that the caller holds, or else any reader
   */
  async load(ids: Iterable<number>, connection: Connection = this.#connection): Promise<void> {
    const missing = [...new Set(ids)].filter(id => id !== OWN_SHAPE_ID && !this.#byId.has(id))
    if (missing.length === 0) return
    const rows = await connection.rows<ShapeRow>(
      sql`select id, types from shapes where id = any(${missing}::integer[])`,
    )
    for (const row of rows) this.#remember(row)
  }

  /** @throws when `load` was not called for this id. */
  byId(id: number): Shape {
    const shape = this.#byId.get(id)
    if (!shape) throw new Error(`no shape with id ${id}`)
    return shape
  }

  /** The shape of a sample that tells itself what it holds. @param text the first of its texts */
  own(text: string): Shape {
    let shape = this.#own.get(text)
    if (!shape) {
      if (this.#own.size === MOST_OWN) this.#own.clear()
      shape = { ...shapeOf({ id: OWN_SHAPE_ID, types: typesOf(text) }), hasTexts: true }
      this.#own.set(text, shape)
    }
    return shape
  }

  #remember(row: ShapeRow): Shape {
    const known = this.#byId.get(row.id)
    if (known) return known
    const shape = shapeOf(row)
    this.#byId.set(shape.id, shape)
    return shape
  }
}

/** Whoever sends ever new sets of types must not fill the memory. */
const MOST_OWN = 10_000

/** A shape that must be looked for, because this process does not know it or has not used it lately. */
interface Missing {
  readonly key: string
  readonly owner: number | undefined
  newestMs: number
}

function note(missing: Map<string, Missing>, key: string, timeMs: number, owner: () => number | undefined): void {
  const known = missing.get(key)
  if (known) known.newestMs = Math.max(known.newestMs, timeMs)
  else missing.set(key, { key, owner: owner(), newestMs: timeMs })
}

/** In whole weeks, so that the row of a shape changes once a week. In an order, so that no two writers wait for each other. */
function unnested(wanted: readonly Missing[]) {
  const sorted = wanted.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return sql`unnest(
    ${sorted.map(({ key }) => key)}::text[],
    ${sorted.map(({ newestMs }) => instantOfMs(weekStartMs(newestMs) + WEEK_MS))}::timestamptz[]) as u (types, newest)`
}

interface ShapeRow {
  readonly id: number
  readonly types: readonly EventTypeId[]
}

interface UsedShapeRow extends ShapeRow {
  readonly newest: string
}

function shapeOf({ id, types }: ShapeRow): Shape {
  return { id, types, numberCount: numberCountOf(types), hasTexts: types.some(isText), text: keyOf(types) }
}

/** The types as PostgreSQL writes them: `{1,2}`. */
export function keyOf(types: readonly EventTypeId[]): string {
  return `{${types.join(',')}}`
}

/** Whether a sample, or its shape, has any of these types. */
export function holdsAny({ types }: Pick<Shape, 'types'>, wanted: readonly EventTypeId[]): boolean {
  return types.some(type => wanted.includes(type))
}

function typesOf(text: string): readonly EventTypeId[] {
  return text === '{}'
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map(id => eventTypeById(Number(id)).id)
}

function isText(type: EventTypeId): boolean {
  return eventTypeById(type).dataType === 'STRING'
}

function numberCountOf(types: readonly EventTypeId[]): number {
  let count = 0
  for (const type of types) {
    const { dataType } = eventTypeById(type)
    if (dataType !== 'STRING') count += dataType === 'GEO' ? 2 : 1
  }
  return count
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}
