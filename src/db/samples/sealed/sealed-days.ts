import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { type Statement, sql } from '../../sql.ts'
import type { ReadingDirection } from '../growing-windows.ts'
import { OWN_LAYOUT_ID } from '../layouts.ts'
import type { SampleSource } from '../sample-source.ts'
import { daysOf, rangeOfDay } from './days.ts'
import { type StoredSample, samplesOfBody } from './sealed-body.ts'

/** A sealed day, unpacked. */
interface SealedDay {
  readonly deviceId: DeviceId
  readonly day: TimeRange
  /** Ascending by time. */
  readonly samples: readonly StoredSample[]
}

/** Those of some devices within a range: a condition on `d`, the sealed day. */
export function ofDevices(deviceIds: readonly DeviceId[], range: TimeRange): Statement {
  return sql`d.device_id = any(${[...new Set(deviceIds)]}::bigint[]) and ${within(range)}`
}

/** Those within a range. */
export function within(range: TimeRange): Statement {
  const { first, last } = daysOf(range)
  return sql`d.day between ${first}::date and ${last}::date`
}

/** Those that can have samples with one of these types; all, when none are given. */
export function havingTypes(types: readonly EventTypeId[] | undefined): Statement {
  return types
    ? sql`(d.layout_ids && array(select id from layouts where types && ${types}::smallint[]) or ${OWN_LAYOUT_ID} = any(d.layout_ids))`
    : sql`true`
}

/** The first sealed day of a condition in a direction, or undefined. */
export async function nextSealedDay(
  source: SampleSource,
  which: Statement,
  direction: ReadingDirection,
): Promise<TimeRange | undefined> {
  const next = direction === 'ascending' ? sql`min(d.day)` : sql`max(d.day)`
  const [row] = await source.rows<{ day: string | null }>(
    sql`select ${next}::text as day from sealed_days d where ${which}`,
  )
  return row?.day == null ? undefined : rangeOfDay(row.day)
}

interface SealedDayRow {
  readonly device_id: DeviceId
  readonly day: string
  readonly version: number
  /** null where this version is remembered */
  readonly body: Buffer | null
}

/**
 * The sealed days of a condition, unpacked, in the order of device and day. Read them after the rows of `samples` that belong to the same
 * time: sealing moves samples from there to here and never back, so none is missed, and a row that was read before is the newer one.
 */
export async function readSealedDays(source: SampleSource, which: Statement): Promise<SealedDay[]> {
  const known = rememberedOf(source)
  const versions = new Map(known)
  const rows = await source.rows<SealedDayRow>(sql`
    select d.device_id, d.day::text as day, d.version,
      case when d.version = any(${[...versions.keys()]}::bigint[]) then null else d.body end as body
    from sealed_days d where ${which} order by d.device_id, d.day`)
  return rows.map(({ device_id, day, version, body }) => {
    const samples = body ? samplesOfBody(device_id, body) : versions.get(version)
    if (!samples) throw new Error('a sealed day without a body')
    remember(known, version, samples)
    return { deviceId: device_id, day: rangeOfDay(day), samples }
  })
}

/** Whoever reads a day in pieces needs not unpack it for each. A day of one a second: so many samples of each database are remembered at most. */
const SAMPLES_REMEMBERED = 90_000
const rememberedDays = new WeakMap<object, Map<number, readonly StoredSample[]>>()

/** What is remembered, the longest unused first. The layouts stand for the database. */
function rememberedOf({ layouts }: SampleSource): Map<number, readonly StoredSample[]> {
  const known = rememberedDays.get(layouts) ?? new Map<number, readonly StoredSample[]>()
  rememberedDays.set(layouts, known)
  return known
}

function remember(
  known: Map<number, readonly StoredSample[]>,
  version: number,
  samples: readonly StoredSample[],
): void {
  known.delete(version)
  known.set(version, samples)
  let count = 0
  for (const some of known.values()) count += some.length
  for (const [oldest, some] of known) {
    if (count <= SAMPLES_REMEMBERED) return
    known.delete(oldest)
    count -= some.length
  }
}
