import { type EventTypeId, eventTypeById } from '../../catalogue/event-types.ts'
import { OWN_LAYOUT_ID } from '../../db/layouts.ts'
import { type Statement, sql } from '../../db/sql.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import { holdsAny, numbersPerValue, SampleLayout } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { HistorySource } from '../history-source.ts'
import type { Interval } from '../interval.ts'
import { timeMsAt } from '../packed-samples.ts'
import { isKnownRollup, RollupBody } from '../rollups/read-rollup-body.ts'
import { DAY_MS, dayStartMs, rangeOfDay } from '../sealed/days.ts'
import { ofDevices } from '../sealed/sealed-days.ts'
import { type MovedFixes, MovedFixesReader } from './moved-fixes.ts'
import { packedValueIn, type ValueRange } from './packed-value.ts'
import { type Box, sealedFixesIn } from './sealed-fixes-in.ts'
import { Spans } from './spans.ts'

/** Samples that are looked for: with one of these types, and of numbers with a value in the range, of positions with one in a box. */
export interface WantedSamples extends ValueRange {
  readonly types: readonly EventTypeId[]
  /** Of the type POSITION only; undefined: anywhere. */
  readonly boxes?: readonly Box[] | undefined
  /** Of the type POSITION only, instead: those that are moved. */
  readonly moved?: MovedFixes | undefined
}

/** Where in the history of a device the wanted samples are. */
export interface Occasions {
  /** All its samples, also the others. Of sealed days of which only a part is asked for, all of the day. */
  readonly samples: number
  /** In which they all are, bounds included: ascending. There may be others beside them. */
  readonly spans: readonly TimeRange[]
  /** Until when no sample has a type. */
  firstMs(type: EventTypeId): number
}

/** More different layouts would make the condition longer than it is worth. */
const MOST_LAYOUTS = 300

/** Of a subquery: PostgreSQL looks through it in one process. To start others takes longer, and they are busy with other devices. */
const ALONE = sql`offset 0`

/** A device that reports a wanted value each second for so long takes some ten megabytes of times. */
const LONGEST_PART_MS = 35 * DAY_MS

/** Parts of an interval whose borders are those of days, so that each sealed day is in one of them. */
function partsOf({ deviceId, fromMs, toMs }: Interval): Interval[] {
  const parts: Interval[] = []
  for (let at = fromMs; at < toMs; ) {
    const end = Math.min(toMs, dayStartMs(at) + LONGEST_PART_MS)
    parts.push({ deviceId, fromMs: at, toMs: end })
    at = end
  }
  return parts
}

/** Finds wanted samples of devices without reading the others: PostgreSQL looks at each, and sends nothing of it. */
export class OccasionReader {
  readonly #source: HistorySource
  readonly #wanted: WantedSamples
  #condition: Promise<Statement> | undefined

  constructor(source: HistorySource, wanted: WantedSamples) {
    this.#source = source
    this.#wanted = wanted
  }

  /** @param interval finite */
  async read(interval: Interval): Promise<Occasions> {
    const rows: OfLayout[] = []
    const { moved, boxes } = this.#wanted
    const moves = moved && new MovedFixesReader(this.#source, moved)
    // Rows first: sealing moves samples from there to sealed days, never back.
    for (const part of partsOf(interval)) rows.push(...(moves ? await moves.read(part) : await this.#readRows(part)))
    const days = await this.#readDays(interval)
    const fixes: TimeRange[] = []
    if (boxes) for await (const span of sealedFixesIn(this.#source, interval, boxes)) fixes.push(span)
    const { layouts } = this.#source
    const firstMs = new Map<EventTypeId, number>()
    let anyMs = Number.POSITIVE_INFINITY
    const note = (layoutId: number, timeMs: number) => {
      if (layoutId === OWN_LAYOUT_ID) anyMs = Math.min(anyMs, timeMs)
      else
        for (const type of layouts.byId(layoutId).types)
          firstMs.set(type, Math.min(firstMs.get(type) ?? Number.POSITIVE_INFINITY, timeMs))
    }
    await layouts.load([...rows.map(row => row.layoutId), ...days.flatMap(day => day.layout_ids)], this.#source)
    for (const { layoutId, firstMs: ofLayoutMs } of rows) note(layoutId, ofLayoutMs)
    for (const { day, layout_ids } of days) for (const id of layout_ids) note(id, rangeOfDay(day).fromMs)
    const times = moves?.spans ?? rows.flatMap(row => spansOfTimes(row.wanted ?? null))
    const ofDays = moves || boxes ? fixes : days.flatMap(day => this.#spansOf(day))
    const spans = [...times, ...ofDays].sort((a, b) => a.fromMs - b.fromMs)
    return {
      samples: [...rows, ...days].reduce((sum, { count }) => sum + count, 0),
      spans,
      firstMs: type => Math.min(anyMs, firstMs.get(type) ?? Number.POSITIVE_INFINITY),
    }
  }

  async #readRows({ deviceId, fromMs, toMs }: Interval): Promise<OfLayout[]> {
    const condition = await (this.#condition ??= this.#makeCondition())
    const rows = await this.#source.rows<LayoutRow>(sql`
      select layout_id, count(*)::integer as count, min(time) as first,
        string_agg(timestamptz_send(time), ''::bytea) filter (where ${condition}) as wanted
      from (
        select layout_id, time, numbers from samples
        where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)} and time < ${instantOfMs(toMs)} ${ALONE}) as s
      group by layout_id`)
    return rows.map(({ layout_id, count, first, wanted }) => ({
      layoutId: layout_id,
      count,
      firstMs: instantMs(first),
      wanted,
    }))
  }

  async #makeCondition(): Promise<Statement> {
    const { types } = this.#wanted
    const rows = await this.#source.rows<{ id: number; types: readonly EventTypeId[] }>(
      sql`select id, types from layouts where types && ${types}::smallint[] limit ${MOST_LAYOUTS + 1}`,
    )
    const isOwn = sql`layout_id = ${OWN_LAYOUT_ID}`
    if (rows.length > MOST_LAYOUTS)
      return sql`(${isOwn} or layout_id = any(array(select id from layouts where types && ${types}::smallint[])))`
    const alike = new Map<string, { condition: Statement; ids: number[] }>()
    for (const { id, types: ofLayout } of rows) {
      const condition = this.#conditionOf(SampleLayout.of(ofLayout))
      const same = alike.get(condition.inlined())
      if (same) same.ids.push(id)
      else alike.set(condition.inlined(), { condition, ids: [id] })
    }
    const cases = [...alike.values()].map(
      ({ condition, ids }) => sql`when layout_id = any(${ids}::integer[]) then ${condition}`,
    )
    return sql`${cases.reduce((all, next) => sql`${all} ${next}`, sql`case when ${isOwn} then true`)} else false end`
  }

  #conditionOf(layout: SampleLayout): Statement {
    const { types, boxes } = this.#wanted
    const each = types.flatMap(id => {
      const type = eventTypeById(id)
      const index = layout.indexOf(type)
      if (index < 0) return []
      const width = numbersPerValue(type)
      if (width === 1) return sql`(${packedValueIn(layout.numberCount, index, this.#wanted)})`
      return width === 2 && boxes ? boxes.map(box => inBox(layout.numberCount, index, box)) : sql`true`
    })
    return each.reduce((any, next) => sql`${any} or ${next}`, sql`false`)
  }

  #readDays({ deviceId, fromMs, toMs }: Interval): Promise<DayRow[]> {
    const rollup = this.#hasRange ? sql`d.rollup` : sql`null::bytea`
    return this.#source.rows<DayRow>(sql`
      select d.day::text as day, d.layout_ids, d.samples_count as count, ${rollup} as rollup
      from sealed_days d where ${ofDevices([deviceId], { fromMs, toMs })} order by d.day`)
  }

  get #hasRange(): boolean {
    const { above, below, types } = this.#wanted
    return (above ?? below) !== undefined && types.every(id => numbersPerValue(eventTypeById(id)) === 1)
  }

  /** Rollups tell which hours of a sealed day may have a wanted value. */
  #spansOf({ day, layout_ids, rollup }: DayRow): TimeRange[] {
    const { types } = this.#wanted
    const { layouts } = this.#source
    const mayHold = layout_ids.some(id => id === OWN_LAYOUT_ID || holdsAny(layouts.byId(id), types))
    if (!mayHold) return []
    const whole = [rangeOfDay(day)]
    if (!rollup || !isKnownRollup(rollup)) return whole
    const body = new RollupBody(rollup)
    const spans: TimeRange[] = []
    for (const type of types) {
      const hours = body.hoursOf(type)
      if (!hours) return whole
      for (const { first, last, lowest, highest } of hours)
        if (this.#isWanted(lowest.value, highest.value)) spans.push({ fromMs: first.timeMs, toMs: last.timeMs })
    }
    return spans
  }

  #isWanted(lowest: number, highest: number): boolean {
    const { above, below } = this.#wanted
    return (above === undefined || highest > above) && (below === undefined || lowest < below)
  }
}

function inBox(count: number, index: number, { west, south, east, north }: Box): Statement {
  const isBetween = packedValueIn(count, index, { above: west, below: east })
  return sql`(${isBetween} and ${packedValueIn(count, index + 1, { above: south, below: north })})`
}

interface LayoutRow {
  readonly layout_id: number
  readonly count: number
  readonly first: string
  readonly wanted: Buffer | null
}

/** Samples of one layout. */
interface OfLayout {
  readonly layoutId: number
  readonly count: number
  readonly firstMs: number
  /** The times of those that are wanted. */
  readonly wanted?: Buffer | null
}

interface DayRow {
  readonly day: string
  readonly layout_ids: readonly number[]
  readonly count: number
  readonly rollup: Buffer | null
}

/** Those of the samples of a layout, as the database gives them: mostly in the order of time. */
function spansOfTimes(wanted: Buffer | null): readonly TimeRange[] {
  const spans = new Spans()
  if (wanted) for (let index = 0; index < wanted.length / 8; index++) spans.add(timeMsAt(wanted, index))
  return spans.all
}
