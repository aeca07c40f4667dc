import type { EventTypeId } from '../../catalogue/event-types.ts'
import { sql } from '../../db/sql.ts'
import { instantOfMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import { clippedTo, DAY_MS, extentOf, HOUR_MS, isIn, type TimeRange } from '../../model/time-range.ts'
import type { Interval, RawConnection } from '../samples.ts'
import { dayStartMs, dayText } from '../sealed/days.ts'
import { RollupBody } from './body.ts'
import { HOURS_OF_A_DAY, HourColumns, hourStartMs } from './hours.ts'

/** Values of a device as far as rollups have them, and where they do not. */
interface RolledSeries {
  /** Hours with values, ascending, of each type that has a rollup wherever it has values. */
  readonly hours: ReadonlyMap<EventTypeId, HourColumns>
  /** The intervals to read from samples beside them, ascending. */
  readonly left: readonly Interval[]
}

/** Reads rollups instead of samples where they have all of an hour.
 * @param intervals finite ones of one device, without overlaps @param types each with one number a value */
export async function readRolledSeries(
  source: Pick<RawConnection, 'rows' | 'row'>,
  intervals: readonly Interval[],
  types: readonly EventTypeId[],
): Promise<RolledSeries> {
  const ascending = intervals.toSorted((a, b) => a.fromMs - b.fromMs)
  const [first] = ascending
  const days = first ? await readRolledDays(source, first.deviceId, extentOf(ascending)) : []
  const hours = new Map(types.flatMap(type => hoursOf(days, type) ?? []))
  const liesIn = (hourMs: number, interval: Interval) =>
    [...hours.values()].every(ofType => {
      const place = ofType.placeOf(hourMs)
      return place === undefined || FIRST_AND_LAST.every(end => isIn(interval, ofType.column(end)[place] ?? Number.NaN))
    })
  const { covered, left } = coverHours(
    ascending,
    days.map(({ dayMs }) => dayMs),
    liesIn,
  )
  for (const ofType of hours.values()) ofType.keepWithin(covered)
  return { hours, left }
}

const FIRST_AND_LAST = ['firstMs', 'lastMs'] as const

/** All hours of a type, unless a day has no rollup of it. */
function hoursOf(days: readonly RollupBody[], type: EventTypeId): [[EventTypeId, HourColumns]] | undefined {
  const hours = new HourColumns(days.length * HOURS_OF_A_DAY)
  return days.every(day => day.addHours(type, hours)) ? [[type, hours]] : undefined
}

/** The rollups of a device in a finite range, by time, without days that have late samples as rows. */
async function readRolledDays(
  source: Pick<RawConnection, 'rows' | 'row'>,
  deviceId: DeviceId,
  range: TimeRange,
): Promise<RollupBody[]> {
  const days = sql`
    select day, rollup from sealed_days
    where device_id = ${deviceId} and day between ${dayText(range.fromMs)}::date and ${dayText(range.toMs - 1)}::date`
  const rows = sql`
    from samples s where s.device_id = ${deviceId}
      and s.time >= ${instantOfMs(dayStartMs(range.fromMs))} and s.time < ${instantOfMs(dayStartMs(range.toMs - 1) + DAY_MS)}`
  const [rollups, hasRows] =
    (await source.row(sql`
    select joined, exists (select ${rows} and s.time >= first and s.time < beyond)
    from (select ${JOINED} as joined, min(day) as first, max(day) + 1 as beyond from (${days}) as days) as together`)) ??
    []
  if (hasRows?.[0] !== 1) return bodiesOf(rollups)
  // Days with rows come first: sealing moves samples from there to here and never back, so none is missed.
  const withRows = await source.rows<{ day: string }>(sql`
    with recursive days_with_rows (day) as (
      (select s.time::date ${rows} order by s.time limit 1)
      union all
      select (select s.time::date ${rows} and s.time >= w.day + 1 order by s.time limit 1)
      from days_with_rows w where w.day is not null
    )
    select day::text as day from days_with_rows where day is not null`)
  const [others] =
    (await source.row(sql`
      select ${JOINED} from (${days} and day <> all (${withRows.map(({ day }) => day)}::date[])) as days`)) ?? []
  return bodiesOf(others)
}

/** The rollups of `days`, each behind its length. */
const JOINED = sql`string_agg(int4send(octet_length(rollup)) || rollup, ''::bytea order by day)`
const LENGTH_BYTES = 4

function bodiesOf(joined: Buffer | undefined): RollupBody[] {
  const bodies: RollupBody[] = []
  if (!joined) return bodies
  for (let at = 0; at < joined.length; ) {
    const start = at + LENGTH_BYTES
    at = start + joined.readInt32BE(at)
    bodies.push(new RollupBody(joined.subarray(start, at)))
  }
  return bodies
}

/** Intervals, divided into what rollups say all of, and what is left to be read from samples. */
interface Covered<Span extends TimeRange> {
  /** Whole hours, ascending. */
  readonly covered: readonly TimeRange[]
  readonly left: readonly Span[]
}

/** Divides ascending intervals of one device by days that have rollups.
 * @param liesIn whether all that an hour has lies in an interval that begins or ends within the hour */
export function coverHours<Span extends TimeRange>(
  intervals: readonly Span[],
  daysMs: readonly number[],
  liesIn: (hourMs: number, interval: Span) => boolean,
): Covered<Span> {
  const covered: TimeRange[] = []
  const left: Span[] = []
  for (const interval of intervals) {
    const hours = wholeHours(interval, liesIn)
    let { fromMs } = interval
    for (const dayMs of daysMs) {
      const part = clippedTo(hours, { fromMs: dayMs, toMs: dayMs + DAY_MS })
      if (!part) continue
      if (fromMs < part.fromMs) left.push({ ...interval, fromMs, toMs: part.fromMs })
      covered.push(part)
      fromMs = part.toMs
    }
    if (fromMs < interval.toMs) left.push({ ...interval, fromMs })
  }
  return { covered, left }
}

function wholeHours<Span extends TimeRange>(
  interval: Span,
  liesIn: (hourMs: number, interval: Span) => boolean,
): TimeRange {
  const [firstMs, lastMs] = [hourStartMs(interval.fromMs), hourStartMs(interval.toMs)]
  return {
    fromMs: firstMs === interval.fromMs || liesIn(firstMs, interval) ? firstMs : firstMs + HOUR_MS,
    toMs: lastMs === interval.toMs || !liesIn(lastMs, interval) ? lastMs : lastMs + HOUR_MS,
  }
}
