import type { EventTypeId } from '../../catalogue/event-types.ts'
import { OWN_LAYOUT_ID } from '../../db/layouts.ts'
import { type Statement, sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { ReadingDirection } from '../growing-windows.ts'
import type { SampleSource } from '../sample-source.ts'
import { daysOf, rangeOfDay } from './days.ts'
import { RememberedDays } from './remembered-days.ts'
import { UnpackedBody } from './unpacked-body.ts'

/** A sealed day, unpacked as far as it is needed. */
export interface SealedDay {
  readonly deviceId: DeviceId
  readonly day: TimeRange
  readonly body: UnpackedBody
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

interface NextDayRow extends SealedDayRow {
  readonly samples_count: number
  readonly fits: boolean
}

interface SealedDayRow {
  readonly device_id: DeviceId
  readonly day: string
  readonly version: number
  readonly values_count: number
  /** null where this version is remembered */
  readonly body: Buffer | null
}

/**
 * The sealed days of a condition, in the order of device and day. Read them after the rows of `samples` that belong to the same
 * time: sealing moves samples from there to here and never back, so none is missed, and a row that was read before is the newer one.
 */
export async function readSealedDays(
  source: SampleSource,
  which: Statement,
  options?: { readonly prepareAs: string },
): Promise<SealedDay[]> {
  const remembered = RememberedDays.of(source).snapshot()
  const rows = await source.rows<SealedDayRow>(
    sql`
    select d.device_id, d.day::text as day, d.version, d.values_count, ${bodyUnless(remembered)} as body
    from sealed_days d where ${which} order by d.device_id, d.day`,
    options,
  )
  return rows.map(row => dayOfRow(source, row, remembered))
}

/** So much is fetched in one statement, unless the first day alone is more. */
export const SAMPLES_AT_ONCE = 50_000
const BYTES_AT_ONCE = 8_000_000

/** Whether the days `d` of a window are not too much for that. */
export function fitAtOnce(window: Statement, mostSamples = SAMPLES_AT_ONCE): Statement {
  return sql`(sum(d.samples_count) over ${window} <= ${mostSamples}::integer
    and sum(octet_length(d.body)) over ${window} <= ${BYTES_AT_ONCE}::integer)`
}

/** Whole days of all devices of a condition; or the first one, where that is too much to be fetched in one statement. */
type NextDays =
  | { readonly kind: 'fetched'; readonly days: readonly SealedDay[] }
  | { readonly kind: 'large'; readonly day: TimeRange; readonly samples: number }

/** Which of them: those of some devices within a range that can have samples with one of the types. */
interface WantedDays {
  readonly deviceIds: readonly DeviceId[]
  readonly range: TimeRange
  readonly types: readonly EventTypeId[] | undefined
  readonly direction: ReadingDirection
  /** Days are fetched until they have so many samples. */
  readonly samples: number
}

/** The next sealed days in a direction, in the order of day, then device; none when there are no more. When: as `readSealedDays` says. */
export async function readNextSealedDays(
  source: SampleSource,
  { deviceIds, range, types, direction, samples }: WantedDays,
): Promise<NextDays> {
  const remembered = RememberedDays.of(source).snapshot()
  const order = direction === 'ascending' ? sql`` : sql`desc`
  const rows = await source.rows<NextDayRow>(
    sql`
    select d.device_id, d.day::text as day, d.version, d.values_count, d.samples_count, d.fits,
      case when d.fits then ${bodyUnless(remembered)} end as body
    from (
      select d.*, rank() over w = 1 as is_first,
        coalesce(sum(d.samples_count) over (w groups between unbounded preceding and 1 preceding), 0)
          < ${Math.min(samples, SAMPLES_AT_ONCE)}::integer as is_wanted,
        ${fitAtOnce(sql`w`)} as fits
      from sealed_days d where ${ofDevices(deviceIds, range)} and ${havingTypes(types)}
      window w as (order by d.day ${order})) as d
    where d.is_first or (d.is_wanted and d.fits)
    order by d.day ${order}, d.device_id`,
    // It takes longer to plan than to run.
    { prepareAs: `next-sealed-days-${direction}${types ? '-of-types' : ''}` },
  )
  const [first] = rows
  if (first && !first.fits)
    return { kind: 'large', day: rangeOfDay(first.day), samples: rows.reduce((sum, row) => sum + row.samples_count, 0) }
  return { kind: 'fetched', days: rows.map(row => dayOfRow(source, row, remembered)) }
}

function bodyUnless(remembered: ReadonlyMap<number, UnpackedBody>): Statement {
  return sql`case when d.version = any(${[...remembered.keys()]}::bigint[]) then null else d.body end`
}

interface FetchedDay {
  readonly deviceId: DeviceId
  readonly day: TimeRange
  readonly version: number
  readonly valuesCount: number
  /** null where this version is remembered */
  readonly body: Buffer | null
}

function dayOfRow(
  source: SampleSource,
  { device_id, day, version, values_count, body }: SealedDayRow,
  remembered: ReadonlyMap<number, UnpackedBody>,
): SealedDay {
  return dayOf(
    source,
    { deviceId: device_id, day: rangeOfDay(day), version, valuesCount: values_count, body },
    remembered,
  )
}

/** A day that was fetched, as it was unpacked before, if it is remembered. */
export function dayOf(
  source: SampleSource,
  { deviceId, day, version, valuesCount, body: stored }: FetchedDay,
  remembered: Pick<ReadonlyMap<number, UnpackedBody>, 'get'> = RememberedDays.of(source),
): SealedDay {
  const body = remembered.get(version) ?? (stored && new UnpackedBody(stored))
  if (!body) throw new Error('a sealed day without a body')
  RememberedDays.of(source).note(version, body, valuesCount)
  return { deviceId, day, body }
}
