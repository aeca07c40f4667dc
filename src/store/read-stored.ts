import type { EventTypeId } from '../catalogue/event-types.ts'
import { revisionUs, timestampOfUs } from '../db/revisions.ts'
import { allOf, type Statement, sql } from '../db/sql.ts'
import { instantMs, instantOfMs } from '../db/values.ts'
import { grouped } from '../model/grouped.ts'
import type { DeviceId } from '../model/sample.ts'
import { clippedTo, type TimeRange } from '../model/time-range.ts'
import { duringTime, holding, type SampleOrder, samplesIn, withLayoutOf } from './read.ts'
import { CHUNK_COLUMNS, type Interval, keyOf, type RawSample, readChunk, type SampleSource } from './samples.ts'
import { havingTypes, rangeOfDay, readSealedDays, touchedBy, within } from './sealed/days.ts'

/* Samples in the order in which they were stored (design, decision 10): by revision, time, device. Sealed days keep
 * revisions for clients that are behind by longer than samples stay unsealed. */

export interface StoredPosition {
  readonly stored: string
  readonly time: string
  readonly deviceId: number
}

export function storedPositionOf({ storedUs, timeMs, deviceId }: RawSample): StoredPosition {
  return { stored: timestampOfUs(storedUs), time: timestampOfUs(timeMs * 1000), deviceId }
}

/** Which samples a reader may see. */
interface StoredScope {
  /** On `a`, the assignment in which a sample lies, and what is joined to it: the trip `t`. */
  readonly join: Statement
  readonly conditions: readonly Statement[]
  readonly range: TimeRange
  /** Only samples during the trip `t`. */
  readonly isOfTrip: boolean
  /** Only samples up to this revision. */
  readonly storedTo: string | undefined
}

const CHUNK_SAMPLES = 2200

/** @param start a revision, to begin after it, or a sample, to begin with it */
export async function* readStoredSamples(
  source: SampleSource,
  scope: StoredScope,
  start: StoredPosition | string,
  { types, nextSamples }: Omit<SampleOrder, 'direction'>,
): AsyncGenerator<RawSample[]> {
  const { join, conditions, range, storedTo, isOfTrip } = scope
  const visible = allOf([
    ...conditions,
    duringTime(range),
    ...(isOfTrip ? [sql`s.time between t.start_time and t.end_time`] : []),
    ...(storedTo === undefined ? [] : [sql`s.stored <= ${storedTo}::timestamptz`]),
    ...withLayoutOf(types),
  ])
  let after = start
  let bound =
    typeof start === 'string' ? sql`s.stored > ${start}::timestamptz` : sql`${STORED_ORDER} >= ${valuesOf(start)}`
  for (;;) {
    const most = Math.min(CHUNK_SAMPLES, nextSamples?.() ?? CHUNK_SAMPLES)
    const { samples, touchesSealed } = await readChunk(
      source,
      sql`
      select ${CHUNK_COLUMNS} from samples s
      join assignments a on a.device_id = s.device_id and s.time >= a.from_time and s.time < a.to_time ${join}
      where ${bound} and ${visible}
      order by s.stored, s.time, s.device_id limit ${most}`,
      { withStored: true, sealed: isSealedSince(after) },
    )
    const read = touchesSealed
      ? await withSealed(source, scope, { rows: samples, after, isAfterIncluded: after === start, types, most })
      : { samples, upTo: samples.length < most ? undefined : samples.at(-1) }
    yield read.samples.filter(holding(types))
    if (!read.upTo) return
    after = storedPositionOf(read.upTo)
    bound = sql`${STORED_ORDER} > ${valuesOf(after)}`
  }
}

const STORED_ORDER = sql`(s.stored, s.time, s.device_id)`

function valuesOf({ stored, time, deviceId }: StoredPosition): Statement {
  return sql`(${stored}::timestamptz, ${time}::timestamptz, ${deviceId}::bigint)`
}

/** A condition on the sealed day `d`: it may have samples that were stored since then. */
function isSealedSince(after: StoredPosition | string): Statement {
  return sql`d.last_stored >= ${typeof after === 'string' ? after : after.stored}::timestamptz`
}

interface StoredOrder {
  /** The first rows of the same, in order: `most`, or all. */
  readonly rows: readonly RawSample[]
  readonly after: StoredPosition | string
  readonly isAfterIncluded: boolean
  readonly types: readonly EventTypeId[] | undefined
  readonly most: number
}

/** Days that are unpacked at a time. */
const DAYS_AT_ONCE = 50

/** The first samples from rows and from all sealed days that may hold one: this takes long for a fleet.
 * @returns `upTo`: there may be more behind this one; undefined when there are none */
async function withSealed(
  source: SampleSource,
  scope: StoredScope,
  { rows, after, isAfterIncluded, types, most }: StoredOrder,
): Promise<{ readonly samples: readonly RawSample[]; readonly upTo: RawSample | undefined }> {
  const lastRow = rows.length < most ? undefined : rows.at(-1)
  const storedToUs = scope.storedTo === undefined ? Number.POSITIVE_INFINITY : revisionUs(scope.storedTo)
  const isWanted = (sample: RawSample) => {
    const order = compareWith(sample, after)
    return (
      (order > 0 || (isAfterIncluded && order === 0)) &&
      (!lastRow || compareStored(sample, lastRow) < 0) &&
      sample.storedUs <= storedToUs
    )
  }
  const days = await readDaysInScope(source, scope, after, lastRow, types)
  let found: RawSample[] = []
  for (let at = 0; at < days.length; at += DAYS_AT_ONCE) {
    const some = days.slice(at, at + DAYS_AT_ONCE)
    const last = found.length < most ? undefined : found[most - 1]
    if (last && (some[0]?.firstStoredUs ?? 0) > last.storedUs) break
    const intervals = some.flatMap(day => day.intervals)
    const samples = samplesIn(await readSealedDays(source, touchedBy(intervals)), intervals, types, true)
    found = [...found, ...samples.filter(isWanted)].sort(compareStored).slice(0, most)
  }
  const newest = await withoutReplaced(source, found)
  // Of a full selection, what lies behind its last one was not looked at.
  const ends = [lastRow, found.length < most ? undefined : found.at(-1)].filter(end => end !== undefined)
  const [upTo] = ends.sort(compareStored)
  const samples = [...rows, ...newest].filter(sample => !upTo || compareStored(sample, upTo) <= 0).sort(compareStored)
  return { samples, upTo }
}

function compareStored(
  a: Pick<RawSample, 'storedUs' | 'timeMs' | 'deviceId'>,
  b: Pick<RawSample, 'storedUs' | 'timeMs' | 'deviceId'>,
): number {
  return a.storedUs - b.storedUs || a.timeMs - b.timeMs || a.deviceId - b.deviceId
}

/** A revision stands for the last sample that could have it. */
function compareWith(sample: RawSample, after: StoredPosition | string): number {
  if (typeof after === 'string') return sample.storedUs > revisionUs(after) ? 1 : -1
  const { stored, time, deviceId } = after
  return compareStored(sample, {
    storedUs: revisionUs(stored),
    timeMs: instantMs(time),
    deviceId: deviceId as DeviceId,
  })
}

interface DayInScope {
  readonly firstStoredUs: number
  /** When the reader may see the device on that day. */
  readonly intervals: readonly Interval[]
}

interface DayRow {
  readonly device_id: DeviceId
  readonly day: string
  readonly first_stored: string
  readonly from_time: string
  readonly to_time: string
}

/** The sealed days that may hold a sample, by the first revision. */
async function readDaysInScope(
  source: SampleSource,
  { join, conditions, range, isOfTrip, storedTo }: StoredScope,
  after: StoredPosition | string,
  end: RawSample | undefined,
  types: readonly EventTypeId[] | undefined,
): Promise<DayInScope[]> {
  // The end of a trip is its last sample.
  const [from, to] = isOfTrip
    ? [sql`greatest(a.from_time, t.start_time)`, sql`least(a.to_time, t.end_time + interval '1 ms')`]
    : [sql`a.from_time`, sql`a.to_time`]
  const rows = await source.rows<DayRow>(sql`
    select d.device_id, d.day::text as day, d.first_stored, ${from} as from_time, ${to} as to_time
    from sealed_days d join assignments a on a.device_id = d.device_id and a.from_time < d.day + 1 and a.to_time > d.day ${join}
    where ${allOf([
      ...conditions,
      isSealedSince(after),
      within(range),
      havingTypes(types),
      ...(storedTo === undefined ? [] : [sql`d.first_stored <= ${storedTo}::timestamptz`]),
      ...(end ? [sql`d.first_stored <= ${instantOfMs(Math.ceil(end.storedUs / 1000))}::timestamptz`] : []),
    ])}
    order by d.first_stored, d.device_id, d.day`)
  return [...grouped(rows, ({ device_id: deviceId, day }) => `${deviceId} ${day}`).values()].map(ofDay => ({
    firstStoredUs: revisionUs(ofDay[0]?.first_stored ?? ''),
    intervals: ofDay.flatMap(({ device_id: deviceId, day, from_time: fromTime, to_time: toTime }) => {
      const seen = clippedTo(range, { deviceId, fromMs: instantMs(fromTime), toMs: instantMs(toTime) })
      return (seen && clippedTo(rangeOfDay(day), seen)) ?? []
    }),
  }))
}

/** Without those of which there is a newer row: it comes where it was stored. */
async function withoutReplaced(source: SampleSource, samples: readonly RawSample[]): Promise<readonly RawSample[]> {
  if (samples.length === 0) return samples
  const times = samples.map(({ timeMs }) => timeMs)
  const rows = await source.rows<{ device_id: DeviceId; time: string }>(sql`
    select s.device_id, s.time
    from unnest(${samples.map(({ deviceId }) => deviceId)}::bigint[], ${times.map(instantOfMs)}::timestamptz[]) as u (device_id, time)
    join samples s on s.device_id = u.device_id and s.time = u.time
    where s.time between ${instantOfMs(Math.min(...times))} and ${instantOfMs(Math.max(...times))}`)
  const replaced = new Set(rows.map(row => keyOf({ deviceId: row.device_id, timeMs: instantMs(row.time) })))
  return samples.filter(sample => !replaced.has(keyOf(sample)))
}
