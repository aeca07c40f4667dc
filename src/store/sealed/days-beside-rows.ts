import { type Statement, sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { SampleSource } from '../sample-source.ts'
import { DAY_MS, daysOf } from './days.ts'
import { dayOf, ofDevices, SAMPLES_AT_ONCE, type SealedDay } from './sealed-days.ts'

/** Sealed days of so many days are fetched with the rows beside them, in the same statement: most of what people look at is one. */
const MOST_DAYS = 2

/** Whether so few days are wanted that they can come with the rows. */
export function canComeWithRows(range: TimeRange): boolean {
  const { first, last } = daysOf(range)
  return Date.parse(last) - Date.parse(first) < MOST_DAYS * DAY_MS
}

/** A statement for the sealed days of a device in a range: null where there are none, and nothing in it where they are too much. */
export function daysBesideRows(deviceId: DeviceId, range: TimeRange): Statement {
  const isLarge = sql`d.samples_count > ${SAMPLES_AT_ONCE}::integer`
  return sql`
    select case when bool_or(${isLarge}) then ''::bytea else string_agg(
      int8send(d.version) || int4send(d.day - date '1970-01-01') || int4send(d.values_count) || int4send(octet_length(d.body)) || d.body,
      ''::bytea order by d.day) filter (where not ${isLarge}) end
    from sealed_days d where ${ofDevices([deviceId], range)}`
}

const HEAD_BYTES = 20

/** The days that came with rows, ascending; undefined where they are to be read by themselves. */
export function daysOfBytes(source: SampleSource, deviceId: DeviceId, bytes: Buffer): SealedDay[] | undefined {
  if (bytes.length === 0) return undefined
  const days: SealedDay[] = []
  for (let at = 0; at < bytes.length; ) {
    const version = Number(bytes.readBigInt64BE(at))
    const fromMs = bytes.readInt32BE(at + 8) * DAY_MS
    const end = at + HEAD_BYTES + bytes.readInt32BE(at + 16)
    // Copied, because it may be remembered for longer than what it came with.
    const body = Buffer.from(bytes.subarray(at + HEAD_BYTES, end))
    days.push(
      dayOf(source, {
        deviceId,
        day: { fromMs, toMs: fromMs + DAY_MS },
        version,
        valuesCount: bytes.readInt32BE(at + 12),
        body,
      }),
    )
    at = end
  }
  return days
}
