import type { EventTypeId } from '../../catalogue/event-types.ts'
import { revisionUs } from '../../db/revisions.ts'
import { allOf, type Statement, sql } from '../../db/sql.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import { clippedTo, extentOf, isIn, type TimeRange } from '../../model/time-range.ts'
import type { RawSample } from '../packed-samples.ts'
import type { SampleSource } from '../sample-source.ts'
import type { StoredPlace } from '../stored-place.ts'
import { rangeOfDay } from './days.ts'
import { keyOf, rawSampleAt } from './raw-sealed.ts'
import { havingTypes, readSealedDays, within } from './sealed-days.ts'

/** What a reader may see of samples in the order in which they were stored. */
export interface StoredScope {
  /** On `a`, the assignment in which a sample lies, and what is joined to it: the trip `t`. */
  readonly join: Statement
  readonly conditions: readonly Statement[]
  readonly range: TimeRange
  /** Only samples during the trip `t`. */
  readonly isOfTrip: boolean
  /** Only samples up to this revision. */
  readonly storedTo: string | undefined
}

interface StoredOrder {
  /** The first rows of the same, in their order: `most`, or all. */
  readonly hot: readonly RawSample[]
  /** A revision, or a sample. */
  readonly after: StoredPlace | string
  /** Whether that sample itself is wanted, too. */
  readonly isAfterIncluded: boolean
  readonly types: readonly EventTypeId[] | undefined
  readonly most: number
}

/** A condition on the sealed day `d`: it may have samples that were stored since then. */
export function isSealedSince(after: StoredPlace | string): Statement {
  return sql`d.last_stored >= ${typeof after === 'string' ? after : after.stored}::timestamptz`
}

/** Days that are unpacked at a time. */
const DAYS_AT_ONCE = 50

/**
 * The first samples in the order of storing, from rows and from sealed days. All days that may hold one are looked at, so this takes
 * long for a fleet; only clients that are behind by longer than samples stay unsealed need it.
 */
export async function sealedOfScope(
  source: SampleSource,
  scope: StoredScope,
  { hot, after, isAfterIncluded, types, most }: StoredOrder,
): Promise<StoredStretch> {
  const bound = boundOf(after)
  const lastHot = hot.length < most ? undefined : hot.at(-1)
  const isWanted = (sample: Stored) => {
    const place = bound && compareStored(sample, bound)
    return (
      (place === undefined || place > 0 || (isAfterIncluded && place === 0)) &&
      (!lastHot || compareStored(sample, lastHot) < 0)
    )
  }
  const days = await readDays(source, scope, after, lastHot, types)
  const storedToUs = scope.storedTo === undefined ? Number.POSITIVE_INFINITY : revisionUs(scope.storedTo)
  let found: RawSample[] = []
  for (let at = 0; at < days.length; at += DAYS_AT_ONCE) {
    const some = days.slice(at, at + DAYS_AT_ONCE)
    const last = found.length < most ? undefined : found[most - 1]
    if (last && (some[0]?.firstStoredUs ?? 0) > last.storedUs) break
    const clips = new Map(some.map(day => [`${day.deviceId} ${day.day.fromMs}`, day.clips]))
    const which = sql`(d.device_id, d.day) in (
      select * from unnest(${some.map(({ deviceId }) => deviceId)}::bigint[], ${some.map(({ text }) => text)}::date[]))`
    for (const { deviceId, day, body } of await readSealedDays(source, which)) {
      const holds = body.holding(types)
      const ofDay = clips.get(`${deviceId} ${day.fromMs}`) ?? []
      const { first, end } = body.placesIn(extentOf(ofDay))
      for (let place = first; place < end; place++) {
        const [timeMs, storedUs] = [body.timeMsAt(place), body.storedUsAt(place)]
        if (
          isWanted({ deviceId, timeMs, storedUs }) &&
          ofDay.some(clip => isIn(clip, timeMs)) &&
          storedUs <= storedToUs &&
          holds(place)
        )
          found.push(rawSampleAt(deviceId, body, place, { withStored: true }))
      }
    }
    found = found.sort(compareStored).slice(0, most)
  }
  const newest = await withoutReplaced(source, found)
  // Of a full selection, what lies behind its last one was not looked at.
  const ends: Stored[] = [lastHot, found.length < most ? undefined : found.at(-1)].filter(place => place !== undefined)
  const [upTo] = ends.sort(compareStored)
  const samples = [...hot, ...newest].filter(sample => !upTo || compareStored(sample, upTo) <= 0).sort(compareStored)
  return { samples, upTo }
}

interface StoredStretch {
  readonly samples: readonly RawSample[]
  /** There may be more behind this one; undefined when there are none. */
  readonly upTo: Stored | undefined
}

interface Stored {
  readonly storedUs: number
  readonly timeMs: number
  readonly deviceId: DeviceId
}

function compareStored(a: Stored, b: Stored): number {
  return a.storedUs - b.storedUs || a.timeMs - b.timeMs || a.deviceId - b.deviceId
}

/** A revision stands for the last sample that could have it. */
function boundOf(after: StoredPlace | string): Stored | undefined {
  if (typeof after === 'string')
    return {
      storedUs: revisionUs(after),
      timeMs: Number.MAX_SAFE_INTEGER,
      deviceId: Number.MAX_SAFE_INTEGER as DeviceId,
    }
  return { storedUs: revisionUs(after.stored), timeMs: instantMs(after.time), deviceId: after.deviceId as DeviceId }
}

interface DayInScope {
  readonly deviceId: DeviceId
  readonly text: string
  readonly day: TimeRange
  readonly firstStoredUs: number
  /** When the reader may see the device on that day. */
  readonly clips: readonly TimeRange[]
}

async function readDays(
  source: SampleSource,
  { join, conditions, range, isOfTrip, storedTo }: StoredScope,
  after: StoredPlace | string,
  end: RawSample | undefined,
  types: readonly EventTypeId[] | undefined,
): Promise<DayInScope[]> {
  const [tripFrom, tripTo] = isOfTrip
    ? [sql`t.start_time`, sql`t.end_time`]
    : [sql`null::timestamptz`, sql`null::timestamptz`]
  const rows = await source.rows<DayRow>(sql`
    select d.device_id, d.day::text as day, d.first_stored, a.from_time, a.to_time, ${tripFrom} as trip_from, ${tripTo} as trip_to
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
  const days = new Map<string, DayInScope & { readonly clips: TimeRange[] }>()
  for (const row of rows) {
    const key = `${row.device_id} ${row.day}`
    const day = days.get(key) ?? {
      deviceId: row.device_id,
      text: row.day,
      day: rangeOfDay(row.day),
      firstStoredUs: revisionUs(row.first_stored),
      clips: [],
    }
    days.set(key, day)
    const assigned = { fromMs: instantMs(row.from_time), toMs: instantMs(row.to_time) }
    const trip = {
      fromMs: row.trip_from === null ? Number.NEGATIVE_INFINITY : instantMs(row.trip_from),
      toMs: row.trip_to === null ? Number.POSITIVE_INFINITY : instantMs(row.trip_to) + 1,
    }
    const clip = clippedTo(range, assigned)
    const clippedToTrip = clip && clippedTo(trip, clip)
    if (clippedToTrip) day.clips.push(clippedToTrip)
  }
  return [...days.values()]
}

interface DayRow {
  readonly device_id: DeviceId
  readonly day: string
  readonly first_stored: string
  readonly from_time: string
  readonly to_time: string
  readonly trip_from: string | null
  readonly trip_to: string | null
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
