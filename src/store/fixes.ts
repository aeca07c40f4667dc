import { requiredEventType } from '../catalogue/event-types.ts'
import type { AccountReads } from '../db/account-reads.ts'
import { areSamplesDistributed } from '../db/citus.ts'
import { type Statement, sql } from '../db/sql.ts'
import { instantOfMs } from '../db/values.ts'
import type { Position } from '../model/sample.ts'
import { extentOf, isIn, WEEK_MS, weekStartMs } from '../model/time-range.ts'
import { clipped, duringTime, holding, samplesIn, withLayoutOf } from './read.ts'
import {
  CHUNK_COLUMNS,
  type Interval,
  keyOf,
  numberOf,
  type RawSample,
  readChunk,
  type SampleSource,
  withRawConnection,
} from './samples.ts'
import { havingTypes, ofDevices, readSealedDays, touchedBy } from './sealed/days.ts'

/* The fixes of hundreds of short intervals, such as the trips of a fleet, in one statement. `readSamples` has a
 * subquery for each interval, which takes longer to plan than to run when there are many. */

const POSITION = requiredEventType('POSITION')

/** Fixes, a column for each field: of hundreds of thousands, objects would cost several times as much. */
export interface Fixes {
  readonly count: number
  readonly deviceIds: Float64Array
  /** Milliseconds since 1970. */
  readonly timesMs: Float64Array
  /** In degrees. */
  readonly longitudes: Float64Array
  readonly latitudes: Float64Array
}

export interface TimedFix {
  readonly timeMs: number
  readonly fix: Position
}

export interface FoundFix extends TimedFix {
  /** All that was measured with it. */
  readonly sample: RawSample
}

/** Which fixes of each interval are wanted: `most` of them behind the first `skip`, from its begin or from its end on. */
export interface FixesWanted {
  readonly isFromEnd: boolean
  readonly skip: number
  readonly most: number
}

/** So many samples and so many intervals are one statement at most. */
const SAMPLES_AT_ONCE = 50_000
const INTERVALS_AT_ONCE = 500

/** The fixes of one interval after the other, by time. Each statement takes a turn of the account.
 * @param intervals finite ones, of each device in the order of time and without overlaps */
export async function* readFixesOfIntervals(
  reads: AccountReads,
  intervals: readonly Interval[],
): AsyncGenerator<Fixes> {
  const pieces = intervals.flatMap(weeksOf)
  for (let at = 0; at < pieces.length; at += INTERVALS_AT_ONCE) {
    let left: readonly Interval[] = pieces.slice(at, at + INTERVALS_AT_ONCE)
    while (left.length > 0) {
      const read = await withRawConnection(reads, source => readIntervals(source, left, { most: SAMPLES_AT_ONCE }))
      yield columnsOf(read.ofIntervals.flat())
      left = read.left
    }
  }
}

/** A few fixes of each of many intervals, by time. @param intervals finite ones, of each device without overlaps */
export async function readFixesWithin(
  source: SampleSource,
  intervals: readonly Interval[],
  { isFromEnd, skip, most }: FixesWanted,
): Promise<readonly (readonly FoundFix[])[]> {
  const found: (readonly FoundFix[])[] = []
  for (let at = 0; at < intervals.length; at += INTERVALS_AT_ONCE) {
    const some = intervals.slice(at, at + INTERVALS_AT_ONCE)
    const ends = { most: some.length * (skip + most), ofEach: skip + most, isFromEnd }
    const { ofIntervals } = await readIntervals(source, some, ends)
    for (const fixes of ofIntervals) {
      const length = fixes.length
      const own = isFromEnd
        ? fixes.slice(Math.max(0, length - skip - most), Math.max(0, length - skip))
        : fixes.slice(skip, skip + most)
      found.push(own.map(sample => ({ timeMs: sample.timeMs, fix: fixOf(sample), sample })))
    }
  }
  return found
}

/** By weeks, so that no sort is long. */
function weeksOf(interval: Interval): Interval[] {
  const weeks: Interval[] = []
  for (let { fromMs } = interval; fromMs < interval.toMs; fromMs = weekStartMs(fromMs) + WEEK_MS)
    weeks.push({ ...interval, fromMs, toMs: Math.min(interval.toMs, weekStartMs(fromMs) + WEEK_MS) })
  return weeks
}

interface RowsWanted {
  /** Of all intervals together. */
  readonly most: number
  /** Of each interval, from its begin or its end on. */
  readonly ofEach?: number
  readonly isFromEnd?: boolean
}

/** The fixes of each interval, from rows and sealed days. @returns `left`: intervals that were not read, because there
 * are more than `most` rows, whose number is not known before */
async function readIntervals(source: SampleSource, intervals: readonly Interval[], wanted: RowsWanted) {
  const deviceIds = intervals.map(({ deviceId }) => deviceId)
  const sealed = ofDevices(deviceIds, extentOf(intervals))
  const { samples, touchesSealed } = await readChunk(source, await selectRows(source, intervals, wanted), { sealed })
  const last = wanted.ofEach === undefined && samples.length === wanted.most ? samples.at(-1) : undefined
  const end = last ? intervals.findIndex(each => each.deviceId === last.deviceId && isIn(each, last.timeMs)) : -1
  const cutMs = (last?.timeMs ?? 0) + 1
  const read = last
    ? intervals.slice(0, end + 1).map((each, at) => (at === end ? { ...each, toMs: cutMs } : each))
    : intervals
  const left = last ? intervals.slice(end).map((each, at) => (at === 0 ? { ...each, fromMs: cutMs } : each)) : []
  const rows = ofEach(read, samples)
  const ofIntervals = touchesSealed ? await besideSealed(source, read, rows) : rows
  const holds = holding([POSITION.id])
  return {
    ofIntervals: ofIntervals.map(own => own.filter(holds)),
    left: left.filter(({ fromMs, toMs }) => fromMs < toMs),
  }
}

/** Samples that come in the order of the intervals. */
function ofEach(intervals: readonly Interval[], samples: readonly RawSample[]): RawSample[][] {
  let next = 0
  return intervals.map(interval => {
    const start = next
    for (
      let row = samples[next];
      row?.deviceId === interval.deviceId && isIn(interval, row.timeMs);
      row = samples[next]
    )
      next++
    return samples.slice(start, next)
  })
}

const SEALED_INTERVALS_AT_ONCE = 40

async function besideSealed(
  source: SampleSource,
  intervals: readonly Interval[],
  rows: readonly (readonly RawSample[])[],
): Promise<RawSample[][]> {
  const types = [POSITION.id]
  const found: RawSample[][] = []
  for (let at = 0; at < intervals.length; at += SEALED_INTERVALS_AT_ONCE) {
    const some = intervals.slice(at, at + SEALED_INTERVALS_AT_ONCE)
    const days = await readSealedDays(source, sql`${touchedBy(some)} and ${havingTypes(types)}`)
    for (const [index, interval] of some.entries()) {
      const own = rows[at + index] ?? []
      const hidden = new Set(own.map(keyOf))
      const sealed = samplesIn(
        days.filter(({ deviceId, day }) => deviceId === interval.deviceId && clipped([interval], day).length > 0),
        [interval],
        types,
      )
      found.push([...own, ...sealed.filter(sample => !hidden.has(keyOf(sample)))].sort((a, b) => a.timeMs - b.timeMs))
    }
  }
  return found
}

/** Selects the rows of intervals that can hold a fix, in the order of the intervals and of time. */
async function selectRows(
  source: SampleSource,
  intervals: readonly Interval[],
  { most, ofEach: mostOfEach = most, isFromEnd = false }: RowsWanted,
): Promise<Statement> {
  const from = intervals.map(({ fromMs }) => instantOfMs(fromMs))
  const to = intervals.map(({ toMs }) => instantOfMs(toMs))
  const pieces = sql`
    unnest(${intervals.map(({ deviceId }) => deviceId)}::bigint[], ${from}::timestamptz[], ${to}::timestamptz[])
      with ordinality as piece (device_id, from_time, to_time, place)`
  const [canHoldFix = sql`true`] = withLayoutOf([POSITION.id])
  const ofPiece = sql`s.device_id = piece.device_id and s.time >= piece.from_time and s.time < piece.to_time and ${canHoldFix}
    and ${duringTime(extentOf(intervals))}`
  const direction = isFromEnd ? sql`desc` : sql`asc`
  if (!(await areSamplesDistributed(source)))
    return sql`
      select ${CHUNK_COLUMNS} from ${pieces}
      cross join lateral (select * from samples s where ${ofPiece} order by s.time ${direction} limit ${mostOfEach}) as s
      order by piece.place, s.time limit ${most}`
  // Workers take no limit for each piece, but they number the rows of their devices.
  return sql`
    select ${CHUNK_COLUMNS} from (
      select s.*, piece.place,
        row_number() over (partition by s.device_id, piece.place order by s.time ${direction}) as number
      from ${pieces} join samples s on ${ofPiece}
    ) as s
    where s.number <= ${mostOfEach}
    order by s.place, s.time limit ${most}`
}

function fixOf(sample: RawSample): Position {
  const index = sample.layout.indexOf(POSITION)
  return { lon: numberOf(sample, index), lat: numberOf(sample, index + 1) }
}

function columnsOf(samples: readonly RawSample[]): Fixes {
  const [deviceIds, timesMs, longitudes, latitudes] = [0, 1, 2, 3].map(() => new Float64Array(samples.length)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  for (const [index, sample] of samples.entries()) {
    const { lon, lat } = fixOf(sample)
    deviceIds[index] = sample.deviceId
    timesMs[index] = sample.timeMs
    longitudes[index] = lon
    latitudes[index] = lat
  }
  return { count: samples.length, deviceIds, timesMs, longitudes, latitudes }
}
