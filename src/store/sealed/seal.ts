import { setImmediate } from 'node:timers/promises'
import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { Database } from '../../db/database.ts'
import { revisionUs, timestampOfUs } from '../../db/revisions.ts'
import { type LockedDevice, lockDevices } from '../../db/shards.ts'
import { type Connection, rowsOf, sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { instantMs, instantOfMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { type SampleRow, samplesOfRows } from '../append.ts'
import { rollupOfDay } from '../rollups/keep.ts'
import type { SampleSource } from '../samples.ts'
import type { Client } from '../tables.ts'
import { type StoredSample, samplesOfBody, sealedBodyOf, UnpackedBody } from './body.ts'
import { dayText } from './days.ts'

/** A day of a device, packed and compared with what it was made of; nothing is written yet. */
interface PackedDay {
  readonly deviceId: DeviceId
  readonly day: TimeRange
  /** The rows of it: their revisions, by time. None of them may have changed when it is written. */
  readonly rows: ReadonlyMap<string, string>
  /** Of the sealed day that it replaces, if any. */
  readonly version: number | undefined
  readonly samples: readonly StoredSample[]
  readonly body: Buffer
  readonly rollup: Buffer
}

/** Packs the rows and the sealed samples of a day, without locks: they may change before it is written.
 * @returns undefined without rows @throws Error when the body would not give back every sample equal to the bit */
async function packDay(source: SampleSource, deviceId: DeviceId, day: TimeRange): Promise<PackedDay | undefined> {
  const rows = await source.rows<SampleRow & { readonly stored: string }>(sql`
    select device_id, time, stored, layout_id, numbers, texts from samples
    where device_id = ${deviceId} and time >= ${instantOfMs(day.fromMs)} and time < ${instantOfMs(day.toMs)} order by time`)
  if (rows.length === 0) return undefined
  if (rows.some(({ time }) => time.slice(23, 26) !== '000')) throw new Error('a sample with a time of microseconds')
  const samples = new Map<number, StoredSample>()
  const [sealed] = await source.rows<{ version: number; body: Buffer }>(
    sql`select version, body from sealed_days where device_id = ${deviceId} and day = ${dayText(day.fromMs)}::date`,
  )
  if (sealed) for (const sample of samplesOfBody(deviceId, sealed.body)) samples.set(sample.timeMs, sample)
  for (const [index, sample] of (await samplesOfRows(source.layouts, rows)).entries()) {
    const row = rows[index]
    if (row) samples.set(sample.timeMs, { ...sample, storedUs: revisionUs(row.stored), layoutId: row.layout_id })
  }
  const ascending = [...samples.values()].sort((a, b) => a.timeMs - b.timeMs)
  const body = await sealedBodyOf(ascending, setImmediate)
  const again = samplesOfBody(deviceId, body)
  if (again.length !== ascending.length || !ascending.every((sample, index) => isSame(sample, again[index])))
    throw new Error('a sealed day would not read back equal')
  return {
    deviceId,
    day,
    rows: new Map(rows.map(({ time, stored }) => [time, stored])),
    version: sealed?.version,
    samples: ascending,
    body,
    rollup: rollupOfDay(new UnpackedBody(body)),
  }
}

function isSame(a: StoredSample, b: StoredSample | undefined): boolean {
  return (
    b !== undefined &&
    a.timeMs === b.timeMs &&
    a.storedUs === b.storedUs &&
    a.layoutId === b.layoutId &&
    areEqual(a.types, b.types) &&
    areEqual(a.numbers, b.numbers) &&
    areEqual(a.texts, b.texts)
  )
}

function areEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => Object.is(value, b[index]))
}

/** Writes a packed day in place of its rows. When refused, the caller must roll back.
 * @returns refused: something changed since it was packed, or something of it is still to be derived */
async function writePackedDay(locked: LockedDevice, packed: PackedDay): Promise<'written' | 'refused'> {
  const { transaction, deviceId } = locked
  const { day, samples, rows, version, body, rollup } = packed
  const date = dayText(day.fromMs)
  const last = samples.at(-1)
  // Samples that wait to be derived are newer than all others, and are looked for in the rows.
  const derived = await transaction.rows(sql`
    select 1 from device_states where device_id = ${deviceId} and last_time >= ${instantOfMs(last?.timeMs ?? day.toMs)}`)
  if (derived.length === 0) return 'refused'
  const deleted = await transaction.rows<{ time: string; stored: string }>(sql`
    delete from samples where device_id = ${deviceId}
      and time >= ${instantOfMs(day.fromMs)} and time < ${instantOfMs(day.toMs)} returning time, stored`)
  if (deleted.length !== rows.size || deleted.some(({ time, stored }) => rows.get(time) !== stored)) return 'refused'
  const [former] = await transaction.rows<{ version: number }>(
    sql`delete from sealed_days where device_id = ${deviceId} and day = ${date}::date returning version`,
  )
  if (former?.version !== version) return 'refused'
  let values = 0
  let [firstUs, lastUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { types, storedUs } of samples) {
    values += types.length
    firstUs = Math.min(firstUs, storedUs)
    lastUs = Math.max(lastUs, storedUs)
  }
  const layoutIds = [...new Set(samples.map(({ layoutId }) => layoutId))]
  await transaction.rows(sql`
    insert into sealed_days (device_id, day, samples_count, values_count, first_stored, last_stored, layout_ids, body, rollup)
    values (${deviceId}, ${date}::date, ${samples.length}, ${values}, ${timestampOfUs(firstUs)}::timestamptz,
      ${timestampOfUs(lastUs)}::timestamptz, ${layoutIds}::integer[], ${body}, ${rollup})`)
  return 'written'
}

/** The day of the oldest row that may be sealed, before the start of a day `beforeMs`. Nothing of it was stored since
 * the revision `quietSince`, so that a burst of late data is sealed once. */
export async function nextDayToSeal(
  source: SampleSource,
  deviceId: DeviceId,
  { fromMs, beforeMs, quietSince }: { readonly fromMs: number; readonly beforeMs: number; readonly quietSince: string },
): Promise<{ readonly dayMs: number; readonly isQuiet: boolean } | undefined> {
  const [row] = await source.rows<{ day: string; is_quiet: boolean }>(sql`
    select first.day::text as day, (
      select max(s.stored) <= ${quietSince}::timestamptz from samples s
      where s.device_id = ${deviceId} and s.time >= first.day and s.time < first.day + 1) as is_quiet
    from (
      select time::date as day from samples
      where device_id = ${deviceId} and time >= ${instantOfMs(fromMs)} and time < ${instantOfMs(beforeMs)}
      order by time limit 1) as first`)
  return row && { dayMs: instantMs(`${row.day}T00:00:00.000000Z`), isQuiet: row.is_quiet }
}

class Refused extends Error {}

/** Seals a day of a device in one transaction.
 * @returns refused: see `writePackedDay`; it can be tried again @throws Error when it would not read back equal */
export async function sealDay(
  database: Database,
  deviceId: DeviceId,
  day: TimeRange,
): Promise<PackedDay | 'refused' | 'nothing'> {
  const packed = await packDay(database, deviceId, day)
  if (!packed) return 'nothing'
  try {
    await writeTransaction(database, async transaction => {
      const locked = await lockDevices(transaction, [deviceId])
      if ((await writePackedDay(locked.device(deviceId), packed)) === 'refused') throw new Refused()
    })
    return packed
  } catch (error) {
    if (error instanceof Refused) return 'refused'
    throw error
  }
}

/** True while an operator has paused sealing, on all nodes. */
export async function isSealingPaused(connection: Connection): Promise<boolean> {
  const [row] = await connection.rows<{ paused: boolean }>(sql`select exists (select from sealing_paused) as paused`)
  return row?.paused ?? false
}

/** Pauses sealing on all nodes: a day that is being sealed is finished. Or lets it go on. */
export async function pauseSealing(connection: Connection, isPaused: boolean): Promise<void> {
  await connection.rows(
    isPaused
      ? sql`insert into sealing_paused default values on conflict do nothing`
      : sql`delete from sealing_paused where only_row`,
  )
}

/** How much history is sealed and how much is not. */
export interface SealedFigures {
  readonly days: number
  readonly samples: number
  readonly values: number
  /** With indexes and everything. */
  readonly bytes: number
  /** The first and the last of them; null without any. */
  readonly firstDay: string | null
  readonly lastDay: string | null
  /** Samples in rows, as PostgreSQL estimates them, and what their tables take. */
  readonly rowSamples: number
  readonly rowBytes: number
  readonly rowTables: number
}

/** Counts what is sealed; what is not is estimated by PostgreSQL. */
export async function readSealedFigures(connection: Connection): Promise<SealedFigures> {
  const [figures] = await connection.rows<SealedFigures>(sql`
    select d.*, table_bytes('sealed_days') as bytes, t.*
    from (
      select count(*) as days, coalesce(sum(samples_count), 0)::bigint as samples,
        coalesce(sum(values_count), 0)::bigint as "values", min(day)::text as "firstDay", max(day)::text as "lastDay"
      from sealed_days
    ) d, (
      select count(*) as "rowTables", coalesce(sum(table_bytes(c.oid)), 0)::bigint as "rowBytes",
        coalesce(sum(table_rows(c.oid)), 0)::bigint as "rowSamples"
      from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'samples'::regclass
    ) t`)
  if (!figures) throw new Error('no figures of sealed days')
  return figures
}

/** The size of a sealed day, and how its columns are coded, for people. */
export interface SealedDayFigures {
  readonly samples: number
  readonly bodyBytes: number
  readonly rollupBytes: number
  /** By event type; of a position, longitude and latitude. */
  readonly codings: ReadonlyMap<EventTypeId, readonly string[]>
}

/** @returns undefined where the day of the device is not sealed */
export async function readSealedDayFigures(
  connection: Connection,
  deviceId: DeviceId,
  dayMs: number,
): Promise<SealedDayFigures | undefined> {
  const [row] = await connection.rows<{ body: Buffer; rollup_bytes: number }>(sql`
    select body, octet_length(rollup) as rollup_bytes from sealed_days
    where device_id = ${deviceId} and day = ${dayText(dayMs)}::date`)
  if (!row) return undefined
  const body = new UnpackedBody(row.body)
  const codings = new Map(body.types.map(type => [type, body.codingsOf(type)]))
  return { samples: body.count, bodyBytes: row.body.length, rollupBytes: row.rollup_bytes, codings }
}

/** In pieces, so that no transaction is long. */
const DELETED_AT_ONCE = 2000

export async function hasSealedBefore(client: Client, beforeMs: number): Promise<boolean> {
  const [row] = await rowsOf<{ has: boolean }>(
    client,
    sql`select exists (select 1 from sealed_days where day < ${dayText(beforeMs)}::date) as has`,
  )
  return row?.has ?? false
}

/** Deletes sealed days before the start of a day. */
export async function deleteSealedBefore(client: Client, beforeMs: number): Promise<void> {
  let deleted: number
  do {
    const rows = await rowsOf(
      client,
      sql`
        delete from sealed_days where (device_id, day) in (
          select device_id, day from sealed_days where day < ${dayText(beforeMs)}::date limit ${DELETED_AT_ONCE}) returning 1`,
    )
    deleted = rows.length
  } while (deleted === DELETED_AT_ONCE)
}
