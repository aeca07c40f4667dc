import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId } from '../../intake/sample.ts'
import { allOf, type Statement, sql } from '../sql.ts'
import { instantOfMs } from '../values.ts'
import { unpackNumbers } from './packed-numbers.ts'
import type { RawConnection, RawRow } from './raw-rows.ts'
import type { Shape } from './shapes.ts'

/** A time in which samples of a device are wanted; milliseconds, `toMs` exclusive. */
export interface Interval {
  readonly deviceId: DeviceId
  readonly fromMs: number
  readonly toMs: number
}

/** A sample as the database wrote it: nothing is parsed before it is needed. */
export interface RawSample {
  readonly deviceId: string
  /** `2020-02-22 14:37:07.797+00` */
  readonly time: string
  readonly shape: Shape
  /** Packed, in hexadecimal digits after `\\x`; null where the shape has none. */
  readonly numbers: string | null
  /** An array `{a,b}`; null where the shape has none. */
  readonly texts: string | null
}

export interface SampleOrder {
  /** Only samples that hold one of these; undefined for all. */
  readonly types: readonly EventTypeId[] | undefined
  readonly direction: 'ascending' | 'descending'
}

/** Rows of one round trip: enough for a page of events of usual samples, little enough to stop early. */
const CHUNK_ROWS = 2500

/**
 * The reading interface of the store: the samples of devices in intervals, in time order (ties by device), a chunk
 * at a time. Stop iterating and no more is read.
 */
export async function* readSamples(
  connection: RawConnection,
  intervals: readonly Interval[],
  { types, direction }: SampleOrder,
): AsyncGenerator<RawSample> {
  if (intervals.length === 0) return
  let last: RawSample | undefined
  while (true) {
    const beyond = last ? [beyondSample(last, direction)] : []
    const parts = intervals.map(
      ({ deviceId, fromMs, toMs }) => sql`(
        select ${COLUMNS} from samples s
        where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)} and time < ${instantOfMs(toMs)}
          and ${allOf([...beyond, ...holding(types)])}
        order by time ${directionOf(direction)} limit ${CHUNK_ROWS})`,
    )
    const rows = await connection.query(
      parts.length === 1
        ? only(parts)
        : sql`select * from (${unionOf(parts)}) as s order by ${ordering(direction)} limit ${CHUNK_ROWS}`,
    )
    for (const sample of await samplesOf(connection, rows)) {
      last = sample
      yield sample
    }
    if (rows.length < CHUNK_ROWS) return
  }
}

const FIRST_WINDOW_MS = 60_000
const WINDOW_GROWTH = 4

/**
 * The samples of all cars that an account saw, in time order (ties by device). Goes through time in windows that
 * grow until there is something in them, so that neither a quiet year nor a busy minute is read at once.
 * @param range milliseconds, `toMs` exclusive; both finite
 */
export async function* readFleetSamples(
  connection: RawConnection,
  accountId: number,
  range: { readonly fromMs: number; readonly toMs: number },
  { types, direction }: SampleOrder,
): AsyncGenerator<RawSample> {
  let { fromMs, toMs } = range
  for (let windowMs = FIRST_WINDOW_MS; fromMs < toMs; windowMs *= WINDOW_GROWTH) {
    const window =
      direction === 'ascending'
        ? { fromMs, toMs: Math.min(fromMs + windowMs, toMs) }
        : { fromMs: Math.max(toMs - windowMs, fromMs), toMs }
    let last: RawSample | undefined
    let rows: RawRow[]
    do {
      const beyond = last ? [beyondSample(last, direction)] : []
      rows = await connection.query(sql`
        select ${COLUMNS} from samples s
        join assignments a on a.device_id = s.device_id and s.time >= a.from_time and s.time < a.to_time
        where a.account_id = ${accountId}
          and s.time >= ${instantOfMs(window.fromMs)} and s.time < ${instantOfMs(window.toMs)}
          and ${allOf([...beyond, ...holding(types)])}
        order by ${ordering(direction)} limit ${CHUNK_ROWS}`)
      for (const sample of await samplesOf(connection, rows)) {
        last = sample
        yield sample
      }
      // A full chunk means that the window is large enough as it is.
      if (rows.length === CHUNK_ROWS) windowMs = Math.max(windowMs / WINDOW_GROWTH, FIRST_WINDOW_MS)
    } while (rows.length === CHUNK_ROWS)
    if (direction === 'ascending') fromMs = window.toMs
    else toMs = window.fromMs
  }
}

/** A sample in the order of storing. */
export interface StoredPlace {
  readonly stored: string
  readonly time: string
  readonly deviceId: number
}

/** A sample with the stamp under which it was stored last. */
export interface StoredSample extends RawSample {
  readonly stored: string
}

/** What a reader may see: conditions on `s`, the sample, `a`, the assignment it falls in, and what is joined to them. */
export interface Visibility {
  readonly join: Statement
  readonly conditions: readonly Statement[]
}

/**
 * Samples in the order in which they were stored, late ones included (design, decision 10).
 * @param start a stamp, to begin after it, or a sample, to begin with it
 */
export async function* readStoredSamples(
  connection: RawConnection,
  { join, conditions }: Visibility,
  start: StoredPlace | string,
  types: readonly EventTypeId[] | undefined,
): AsyncGenerator<StoredSample> {
  let bound =
    typeof start === 'string' ? sql`s.stored > ${start}::timestamptz` : sql`${STORED_ORDER} >= ${placeOf(start)}`
  while (true) {
    const rows = await connection.query(sql`
      select ${COLUMNS}, s.stored from samples s
      join assignments a on a.device_id = s.device_id and s.time >= a.from_time and s.time < a.to_time ${join}
      where ${allOf([bound, ...conditions, ...holding(types)])}
      order by s.stored, s.time, s.device_id limit ${CHUNK_ROWS}`)
    for (const [index, raw] of (await samplesOf(connection, rows)).entries()) {
      const sample = { ...raw, stored: rows[index]?.[5] ?? '' }
      bound = sql`${STORED_ORDER} > ${placeOf({ ...sample, deviceId: Number(sample.deviceId) })}`
      yield sample
    }
    if (rows.length < CHUNK_ROWS) return
  }
}

const STORED_ORDER = sql`(s.stored, s.time, s.device_id)`

function placeOf({ stored, time, deviceId }: StoredPlace): Statement {
  return sql`(${stored}::timestamptz, ${time}::timestamptz, ${deviceId}::bigint)`
}

const COLUMNS = sql`s.device_id, s.time, s.shape_id, s.numbers, s.texts`

/** The samples of a chunk, and of each the columns behind `COLUMNS`. */
async function samplesOf(connection: RawConnection, rows: readonly RawRow[]): Promise<RawSample[]> {
  const { shapes } = connection
  await shapes.load(rows.map(row => Number(row[2])))
  return rows.map(row => ({
    deviceId: row[0] ?? '',
    time: row[1] ?? '',
    shape: shapes.byId(Number(row[2])),
    numbers: row[3] ?? null,
    texts: row[4] ?? null,
  }))
}

/** The numbers of a raw sample, parsed. */
export function numbersOf({ shape, numbers }: RawSample): number[] {
  return numbers === null ? [] : unpackNumbers(Buffer.from(numbers.slice(2), 'hex'), shape.numberCount)
}

function holding(types: readonly EventTypeId[] | undefined): Statement[] {
  return types ? [sql`s.shape_id in (select id from shapes where types && ${types}::smallint[])`] : []
}

function beyondSample({ time, deviceId }: RawSample, direction: SampleOrder['direction']): Statement {
  return direction === 'ascending'
    ? sql`(s.time, s.device_id) > (${time}::timestamptz, ${deviceId}::bigint)`
    : sql`(s.time, s.device_id) < (${time}::timestamptz, ${deviceId}::bigint)`
}

function directionOf(direction: SampleOrder['direction']): Statement {
  return direction === 'ascending' ? sql`` : sql`desc`
}

function ordering(direction: SampleOrder['direction']): Statement {
  return direction === 'ascending' ? sql`s.time, s.device_id` : sql`s.time desc, s.device_id desc`
}

function unionOf(parts: readonly Statement[]): Statement {
  return parts.slice(1).reduce((all, part) => sql`${all} union all ${part}`, only(parts))
}

function only(parts: readonly Statement[]): Statement {
  const [first] = parts
  if (!first) throw new Error('a union of nothing')
  return first
}
