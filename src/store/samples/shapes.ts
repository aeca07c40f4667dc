import { type EventTypeId, eventTypeById } from '../../catalogue/event-types.ts'
import type { Connection } from '../database.ts'
import { sql } from '../sql.ts'

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
 * The shapes that this process has met. They are only ever added, so what was read once stays right; many nodes may add
 * the same one.
 */
export class Shapes {
  readonly #connection: Connection
  readonly #byTypes = new Map<string, Shape>()
  readonly #byId = new Map<number, Shape>()

  /**
   * @param connection adds shapes, too: outside of any other transaction, so that no rollback takes them back, and not
   * one of those for writing, because whoever has the last of them may be who needs a new shape
   */
  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * The ids of the shapes of these samples, in their order; shapes that nobody had before are added.
   */
  async idsOf(samples: readonly { readonly types: readonly EventTypeId[] }[]): Promise<Int32Array> {
    const ids = new Int32Array(samples.length)
    const missing = new Set<string>()
    let last: readonly EventTypeId[] = []
    let lastId: number | undefined
    samples.forEach(({ types }, index) => {
      // Neighbours are mostly alike, and comparing is cheaper than making a key.
      if (lastId === undefined || !areEqual(types, last)) {
        const key = keyOf(types)
        lastId = this.#byTypes.get(key)?.id
        last = types
        if (lastId === undefined) missing.add(key)
      }
      ids[index] = lastId ?? 0
    })
    if (missing.size === 0) return ids
    await this.#add(missing)
    return this.idsOf(samples)
  }

  async #add(missing: ReadonlySet<string>): Promise<void> {
    const keys = [...missing]
    await this.#connection.rows(sql`
      insert into shapes (types) select types::smallint[] from unnest(${keys}::text[]) as u (types)
      order by types on conflict (types) do nothing`)
    this.#remember(
      await this.#connection.rows<ShapeRow>(sql`
        select id, types from shapes where types in (select types::smallint[] from unnest(${keys}::text[]) as u (types))`),
    )
  }

  /**
   * Makes sure that `byId` knows these shapes.
   * @param connection one that the caller holds, or else any reader
   */
  async load(ids: Iterable<number>, connection: Connection = this.#connection): Promise<void> {
    const missing = [...new Set(ids)].filter(id => !this.#byId.has(id))
    if (missing.length === 0) return
    this.#remember(
      await connection.rows<ShapeRow>(sql`select id, types from shapes where id = any(${missing}::integer[])`),
    )
  }

  /** @throws when `load` was not called for this id. */
  byId(id: number): Shape {
    const shape = this.#byId.get(id)
    if (!shape) throw new Error(`no shape with id ${id}`)
    return shape
  }

  #remember(rows: readonly ShapeRow[]): void {
    for (const { id, types } of rows) {
      const shape = { id, types, numberCount: numberCountOf(types), hasTexts: types.some(isText), text: keyOf(types) }
      this.#byId.set(id, shape)
      this.#byTypes.set(shape.text, shape)
    }
  }
}

interface ShapeRow {
  readonly id: number
  readonly types: readonly EventTypeId[]
}

function keyOf(types: readonly EventTypeId[]): string {
  return `{${types.join(',')}}`
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
