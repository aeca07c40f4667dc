import { type EventTypeId, eventTypeById, requiredEventType } from '../../catalogue/event-types.ts'
import { rowOfCopy } from '../../db/copied-row.ts'
import { type Layouts, OWN_LAYOUT_ID } from '../../db/layouts.ts'
import { type Statement, sql } from '../../db/sql.ts'
import { instantOfMs } from '../../db/values.ts'
import { distanceM } from '../../model/earth.ts'
import { numbersPerValue, type Position, SampleLayout } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { HistorySource } from '../history-source.ts'
import type { Interval } from '../interval.ts'
import { packedLength, unpackNumber } from '../packed-numbers.ts'
import { timeMsAt } from '../packed-samples.ts'
import { sealedDaysIn } from '../sealed/days-of-history.ts'
import type { UnpackedBody } from '../sealed/unpacked-body.ts'
import { packedValueIn } from './packed-value.ts'

/** Fixes that lie far from one before them, while no sample shows that somebody drives. */
export interface MovedFixes {
  /** So far; what is nearer by a hundredth may be among them. */
  readonly leastM: number
  /** A sample shows it whose value of the first of these types that it has is above 0 and below a bound: a NUMBER or a BOOLEAN. */
  readonly shownBy: readonly { readonly types: readonly EventTypeId[]; readonly below?: number }[]
}

/** Samples of a layout in a part of an interval. */
interface OfLayout {
  readonly layoutId: number
  readonly count: number
  readonly firstMs: number
}

/** Those of them that show that somebody drives, or the others. */
interface Group extends OfLayout {
  readonly isShown: boolean
  /** Ascending, if the database gave them so. */
  readonly timesMs: Float64Array
  /** Of the others. */
  readonly numbers: Buffer
}

/** More different layouts would make the condition longer than it is worth. */
const MOST_LAYOUTS = 300
/** For distances that are rounded. */
const ROUNDING_M = 1
const ROUNDING_SHARE = 0.99
const POSITION = requiredEventType('POSITION')

/**
 * Looks for them in the samples of one device, part by part in the order of time. Of rows, PostgreSQL sends the fixes at which nobody is
 * shown to drive, and of all others the time: mostly a parked dongle reports seldom. Of sealed days, the columns that tell it are unpacked.
 */
export class MovedFixesReader {
  readonly #source: HistorySource
  readonly #moved: MovedFixes
  readonly #scan: Scan
  #condition: Statement | undefined

  constructor(source: HistorySource, moved: MovedFixes) {
    this.#source = source
    this.#moved = moved
    this.#scan = new Scan(moved.leastM * ROUNDING_SHARE - ROUNDING_M)
  }

  /** Where they were, so far. */
  get spans(): readonly TimeRange[] {
    return this.#scan.spans
  }

  /** @param part later than those before */
  async read({ deviceId, fromMs, toMs }: Interval): Promise<readonly OfLayout[]> {
    const isShown = (this.#condition ??= await this.#makeCondition())
    const row = rowOfCopy(
      await this.#source.copied(sql`
        select string_agg(
          int4send(layout_id) || int4send(is_shown::integer) || int4send(count) || int4send(octet_length(numbers)) || times || numbers,
          ''::bytea)
        from (
          select layout_id, is_shown, count(*)::integer as count, string_agg(timestamptz_send(time), ''::bytea) as times,
            coalesce(string_agg(numbers, ''::bytea) filter (where not is_shown), ''::bytea) as numbers
          from (
            select layout_id, time, numbers, ${isShown} as is_shown from samples
            where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)} and time < ${instantOfMs(toMs)}
            offset 0) as s
          group by layout_id, is_shown) as g`),
    )
    const groups = groupsOf(row?.[0] ?? NONE)
    const { layouts } = this.#source
    await layouts.load(
      groups.map(group => group.layoutId),
      this.#source,
    )
    const rows = new RowsInOrder(groups, layouts)
    for await (const days of sealedDaysIn(this.#source, { deviceId, fromMs, toMs }, [POSITION.id]))
      for (const { day, body } of days) {
        rows.showTo(this.#scan, day.fromMs)
        // A row hides what is sealed of its instant, so that nobody knows yet who was shown to drive.
        if (rows.showTo(this.#scan, day.toMs) > 0) this.#scan.spans.push(day)
        else this.#seeSealed(body, { fromMs, toMs })
      }
    rows.showTo(this.#scan, Number.POSITIVE_INFINITY)
    return groups
  }

  /** Column by column; positions only where somebody is not shown to drive all the time. */
  #seeSealed(body: UnpackedBody, range: TimeRange): void {
    const { first, end } = body.placesIn(range)
    const shown = this.#shownPlaces(body)
    const fixes = body.placesWith(POSITION.id)
    let longitudes: Float64Array | undefined
    let latitudes: Float64Array | undefined
    let rank = fixes ? 0 : first
    let drivenMs = Number.NEGATIVE_INFINITY
    for (let place = first; place < end; place++) {
      if (fixes) while (rank < fixes.length && (fixes[rank] as number) < place) rank++
      else rank = place
      if (shown[place] === 1) drivenMs = body.timeMsAt(place)
      else if (!fixes || fixes[rank] === place) {
        longitudes ??= body.numbersWith(POSITION.id, 0)
        latitudes ??= body.numbersWith(POSITION.id, 1)
        this.#scan.seeDriven(drivenMs)
        const fix = { lon: longitudes?.[rank] ?? Number.NaN, lat: latitudes?.[rank] ?? Number.NaN }
        this.#scan.seeFix(body.timeMsAt(place), fix)
      }
    }
    this.#scan.seeDriven(drivenMs)
  }

  /** 1 for the places of samples that show that somebody drives. */
  #shownPlaces(body: UnpackedBody): Uint8Array {
    const shown = new Uint8Array(body.count)
    for (const { types, below } of this.#moved.shownBy) {
      // Of a sample with several of these types, the first one tells.
      const isTold = types.length > 1 ? new Uint8Array(body.count) : undefined
      for (const type of types) {
        const values = body.numbersWith(type, 0)
        if (!values || numbersPerValue(eventTypeById(type)) !== 1) continue
        const places = body.placesWith(type)
        for (let rank = 0; rank < values.length; rank++) {
          const place = places ? (places[rank] as number) : rank
          if (isTold?.[place] === 1) continue
          if (isTold) isTold[place] = 1
          if (isBetween(values[rank], 0, below)) shown[place] = 1
        }
      }
    }
    return shown
  }

  async #makeCondition(): Promise<Statement> {
    const types = this.#moved.shownBy.flatMap(each => each.types)
    const rows = await this.#source.rows<{ id: number; types: readonly EventTypeId[] }>(
      sql`select id, types from layouts where types && ${types}::smallint[] limit ${MOST_LAYOUTS}`,
    )
    const alike = new Map<string, { readonly condition: Statement; readonly ids: number[] }>()
    for (const { id, types: ofLayout } of rows) {
      const condition = this.#conditionOf(SampleLayout.of(ofLayout))
      const text = condition.inlined()
      const same = alike.get(text)
      if (same) same.ids.push(id)
      else alike.set(text, { condition, ids: [id] })
    }
    // In layouts beyond the most, nobody is taken to be shown to drive: more is found then.
    const cases = [...alike.values()].map(
      ({ condition, ids }) => sql`when layout_id = any(${ids}::integer[]) then ${condition}`,
    )
    return cases.length === 0
      ? sql`false`
      : sql`case ${cases.reduce((all, next) => sql`${all} ${next}`)} else false end`
  }

  #conditionOf(layout: SampleLayout): Statement {
    const each = this.#shownIn(layout).map(
      ({ index, below }) => sql`(${packedValueIn(layout.numberCount, index, { above: 0, below })})`,
    )
    return each.reduce((any, next) => sql`${any} or ${next}`, sql`false`)
  }

  /** The numbers of samples of a layout any of which shows that somebody drives. */
  #shownIn(layout: SampleLayout): readonly { readonly index: number; readonly below: number | undefined }[] {
    return this.#moved.shownBy.flatMap(({ types, below }) => {
      const first = types.map(id => eventTypeById(id)).find(type => layout.indexOf(type) >= 0)
      return first && numbersPerValue(first) === 1 ? { index: layout.indexOf(first), below } : []
    })
  }
}

function isBetween(value: number | undefined, above: number, below = Number.POSITIVE_INFINITY): boolean {
  return value !== undefined && value > above && value < below
}

/** What rows tell in a part of an interval, in the order of time. */
class RowsInOrder {
  readonly #fixes: readonly TimedFix[]
  readonly #shown: readonly Float64Array[]
  readonly #nexts: number[]
  #next = 0

  constructor(groups: readonly Group[], layouts: Pick<Layouts, 'byId'>) {
    this.#shown = groups.filter(group => group.isShown).map(({ timesMs }) => ascending(timesMs))
    this.#nexts = this.#shown.map(() => 0)
    const fixes = groups.flatMap(group => {
      if (group.isShown) return []
      // Nobody knows what is in self-describing samples.
      if (group.layoutId === OWN_LAYOUT_ID) return [...group.timesMs].map(timeMs => ({ timeMs, fix: undefined }))
      return fixesOf(group, layouts.byId(group.layoutId))
    })
    this.#fixes = fixes.sort((a, b) => a.timeMs - b.timeMs)
  }

  /** What is left of them before an instant. @returns of how many rows */
  showTo(scan: Scan, beforeMs: number): number {
    let count = 0
    for (let next = this.#fixes[this.#next]; next && next.timeMs < beforeMs; next = this.#fixes[++this.#next]) {
      count += this.#passShown(scan, next.timeMs) + 1
      scan.seeFix(next.timeMs, next.fix)
    }
    return count + this.#passShown(scan, beforeMs)
  }

  #passShown(scan: Scan, beforeMs: number): number {
    let count = 0
    for (const [list, times] of this.#shown.entries()) {
      let next = this.#nexts[list] ?? 0
      const from = next
      while (next < times.length && (times[next] ?? 0) < beforeMs) next++
      this.#nexts[list] = next
      if (next > from) scan.seeDriven(times[next - 1] ?? 0)
      count += next - from
    }
    return count
  }
}

const HEAD_BYTES = 16
const NONE = Buffer.alloc(0)

function groupsOf(bytes: Buffer): Group[] {
  const groups: Group[] = []
  for (let at = 0; at < bytes.length; ) {
    const count = bytes.readInt32BE(at + 8)
    const timesAt = at + HEAD_BYTES
    const numbersAt = timesAt + 8 * count
    const end = numbersAt + bytes.readInt32BE(at + 12)
    const timesMs = timesOf(bytes.subarray(timesAt, numbersAt))
    groups.push({
      layoutId: bytes.readInt32BE(at),
      isShown: bytes.readInt32BE(at + 4) === 1,
      count,
      firstMs: timesMs.reduce((first, timeMs) => Math.min(first, timeMs), Number.POSITIVE_INFINITY),
      timesMs,
      numbers: bytes.subarray(numbersAt, end),
    })
    at = end
  }
  return groups
}

interface TimedFix {
  readonly timeMs: number
  /** Undefined where it is not known whether there is one, and where. */
  readonly fix: Position | undefined
}

function fixesOf({ timesMs, numbers }: Group, layout: SampleLayout): TimedFix[] {
  const place = layout.indexOf(POSITION)
  if (place < 0) return []
  const { numberCount } = layout
  const fixes: TimedFix[] = []
  let at = 0
  for (let index = 0; index < timesMs.length; index++) {
    const lon = unpackNumber(numbers, numberCount, place, at)
    const lat = unpackNumber(numbers, numberCount, place + 1, at)
    fixes.push({ timeMs: timesMs[index] ?? 0, fix: { lon, lat } })
    at += packedLength(numbers, numberCount, at)
  }
  return fixes
}

function timesOf(bytes: Buffer): Float64Array {
  const timesMs = new Float64Array(bytes.length / 8)
  for (let index = 0; index < timesMs.length; index++) timesMs[index] = timeMsAt(bytes, index)
  return timesMs
}

/** The database mostly gives them in their order. */
function ascending(timesMs: Float64Array): Float64Array {
  for (let index = 1; index < timesMs.length; index++)
    if ((timesMs[index] ?? 0) < (timesMs[index - 1] ?? 0)) return timesMs.toSorted()
  return timesMs
}

/**
 * Goes through fixes in the order of time. Where a car is moved, it stood at one of those since somebody was last shown to drive: as long
 * as all of them are in a box that is small enough, it is not.
 */
class Scan {
  readonly spans: TimeRange[] = []
  readonly #leastM: number
  #box: { west: number; south: number; east: number; north: number } | undefined
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(leastM: number) {
    this.#leastM = leastM
  }

  /** Somebody is shown to drive. */
  seeDriven(timeMs: number): void {
    if (timeMs <= this.#lastMs) return
    this.#box = undefined
    this.#lastMs = timeMs
  }

  /** @param fix undefined where it is not known whether there is one, and where */
  seeFix(timeMs: number, fix: Position | undefined): void {
    this.#lastMs = timeMs
    if (!fix || this.#isFar(fix)) this.spans.push({ fromMs: timeMs, toMs: timeMs })
  }

  #isFar({ lon, lat }: Position): boolean {
    const { west, south, east, north } = this.#box ?? { west: lon, south: lat, east: lon, north: lat }
    const farthest = { lon: lon - west > east - lon ? west : east, lat: lat - south > north - lat ? south : north }
    this.#box = {
      west: Math.min(west, lon),
      south: Math.min(south, lat),
      east: Math.max(east, lon),
      north: Math.max(north, lat),
    }
    // Nearer to the antimeridian, degrees do not say what is far.
    return Math.abs(lon) > MOST_LONGITUDE || distanceM(farthest, { lon, lat }) >= this.#leastM
  }
}

const MOST_LONGITUDE = 179
