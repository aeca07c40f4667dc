import type { EventTypeId } from '../catalogue/event-types.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { SampleLayout } from '../model/sample.ts'
import { DAY_MS, WEEK_MS, weekStartMs } from '../model/time-range.ts'
import { type Connection, sql } from './sql.ts'
import { instantMs, instantOfMs } from './values.ts'

/** The layout id, without a row, of self-describing samples: the first text is that of `SampleLayout.text`. */
export const OWN_LAYOUT_ID = 0

interface Use {
  readonly id: number
  /** Days since 1970. */
  usedOn: number
  /** According to its row, no sample has a later time. */
  newestMs: number
}

interface LaidOutSample {
  readonly timeMs: number
  readonly types: readonly EventTypeId[]
}

export type OwnerOf<Item> = (sample: Item) => number | undefined

interface LayoutsOptions {
  /** How many layouts an account may add. Beyond that, its samples are self-describing. */
  readonly mostOfAccount?: number
  readonly clock?: Clock
}

const MOST_LAYOUTS = 1000

/** The layouts that this process knows. Several nodes may add the same one. */
export class Layouts {
  readonly #connection: Connection
  readonly #mostOfAccount: number
  readonly #clock: Clock
  readonly #uses = new Map<string, Use>()
  readonly #byId = new Map<number, SampleLayout>()

  /** @param connection adds layouts outside of other transactions, so that no rollback removes them, and not from the
   * pool for writing, whose last connection may be waiting for a new layout */
  constructor(connection: Connection, { mostOfAccount = MOST_LAYOUTS, clock = SYSTEM_CLOCK }: LayoutsOptions = {}) {
    this.#connection = connection
    this.#mostOfAccount = mostOfAccount
    this.#clock = clock
  }

  /** The ids of the layouts of these samples, in the same order; new layouts are added. When the account has added as
   * many as it may, the id is `OWN_LAYOUT_ID`. */
  async idsOf<Item extends LaidOutSample>(samples: readonly Item[], ownerOf?: OwnerOf<Item>): Promise<Int32Array> {
    const ids = new Int32Array(samples.length)
    const today = Math.floor(this.#clock.wallMs() / DAY_MS)
    const missing = new Map<string, Missing>()
    samples.forEach((sample, index) => {
      const { text } = SampleLayout.of(sample.types)
      const use = this.#uses.get(text)
      if (use?.usedOn === today && sample.timeMs <= use.newestMs) ids[index] = use.id
      else note(missing, text, sample.timeMs, () => ownerOf?.(sample))
    })
    if (missing.size === 0) return ids
    const found = await this.#find(missing, today)
    samples.forEach(({ types }, index) => {
      if (ids[index] === 0) ids[index] = found.get(SampleLayout.of(types).text) ?? OWN_LAYOUT_ID
    })
    return ids
  }

  /** The ids of layouts, added where they may be; each is noted as used today by samples until then. */
  async #find(missing: ReadonlyMap<string, Missing>, today: number): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>()
    const remember = (rows: readonly UsedLayoutRow[]) => {
      for (const row of rows) {
        const { text } = this.#remember(row)
        this.#uses.set(text, { id: row.id, usedOn: today, newestMs: instantMs(row.newest) })
        found.set(text, row.id)
      }
    }
    const wanted = [...missing.values()]
    remember(
      await this.#connection.rows<UsedLayoutRow>(sql`
        update layouts s set used_on = current_date, newest = greatest(s.newest, u.newest)
        from ${unnested(wanted)} where s.types = u.types::smallint[] returning s.id, s.types, s.newest`),
    )
    const unknown = wanted.filter(({ key }) => !found.has(key))
    for (const owner of new Set(unknown.map(item => item.owner))) {
      const ofOwner = unknown.filter(item => item.owner === owner)
      const room = await this.#roomOf(owner)
      if (room > 0) remember(await this.#add(owner, ofOwner.slice(0, room)))
    }
    // A missing layout was dropped in the meantime, because no sample used it.
    for (const { key } of unknown) if (!found.has(key)) this.#uses.delete(key)
    return found
  }

  async #roomOf(owner: number | undefined): Promise<number> {
    const [row] = await this.#connection.rows<{ count: number }>(
      sql`select count(*) as count from layouts where account_id is not distinct from ${owner ?? null}::integer`,
    )
    return this.#mostOfAccount - (row?.count ?? 0)
  }

  #add(owner: number | undefined, wanted: readonly Missing[]): Promise<UsedLayoutRow[]> {
    return this.#connection.rows<UsedLayoutRow>(sql`
      insert into layouts as s (types, account_id, newest)
      select u.types::smallint[], ${owner ?? null}::integer, u.newest from ${unnested(wanted)} order by u.types
      on conflict (types) do update set used_on = current_date, newest = greatest(s.newest, excluded.newest)
      returning s.id, s.types, s.newest`)
  }

  /** Makes sure that `byId` knows these layouts. @param connection one that the caller holds, or else any reader */
  async load(ids: Iterable<number>, connection: Connection = this.#connection): Promise<void> {
    const missing = [...new Set(ids)].filter(id => id !== OWN_LAYOUT_ID && !this.#byId.has(id))
    if (missing.length === 0) return
    const rows = await connection.rows<LayoutRow>(
      sql`select id, types from layouts where id = any(${missing}::integer[])`,
    )
    for (const row of rows) this.#remember(row)
  }

  /** @throws when `load` was not called for this id. */
  byId(id: number): SampleLayout {
    const layout = this.#byId.get(id)
    if (!layout) throw new Error(`no layout with id ${id}`)
    return layout
  }

  #remember({ id, types }: LayoutRow): SampleLayout {
    const known = this.#byId.get(id)
    if (known) return known
    const layout = SampleLayout.of(types)
    this.#byId.set(id, layout)
    return layout
  }
}

/** A layout to look up, because this process does not know it or has not used it recently. */
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

/** In whole weeks, so that the row of a layout changes once a week. Sorted, so that no two writers deadlock. */
function unnested(wanted: readonly Missing[]) {
  const sorted = wanted.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return sql`unnest(
    ${sorted.map(({ key }) => key)}::text[],
    ${sorted.map(({ newestMs }) => instantOfMs(weekStartMs(newestMs) + WEEK_MS))}::timestamptz[]) as u (types, newest)`
}

interface LayoutRow {
  readonly id: number
  readonly types: readonly EventTypeId[]
}

interface UsedLayoutRow extends LayoutRow {
  readonly newest: string
}

/** Samples beyond the retention may remain for a while when they are being read, and more of them may arrive. */
const KEPT_DAYS = 30

/** Deletes layouts whose samples are all beyond the retention; writers mark theirs on that day. @returns how many */
export async function dropUnusedLayouts(connection: Connection): Promise<number> {
  const rows = await connection.rows(sql`
    delete from layouts where used_on < current_date - ${KEPT_DAYS}::integer
      and newest < (select kept_since - ${KEPT_DAYS} * interval '1 day' from retention)
    returning id`)
  return rows.length
}
