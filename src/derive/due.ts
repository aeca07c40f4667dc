import type { Database } from '../db/database.ts'
import type { LockedDevice, LockedDevices } from '../db/shards.ts'
import { type Connection, type Statement, sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { instantMs, instantOfMs } from '../db/values.ts'
import type { DeviceId, Sample } from '../model/sample.ts'

/** The version of all rules in `trips/`. Histories folded by an older one are folded again (docs/adr/0016). Increment
 * it with every release whose fold may give different results, or states in another format. */
export const DERIVATION_VERSION = 1

/** What is due of a device: a row of each kind at most. */
type DueKind =
  /** What changed samples change. */
  | 'samples'
  /** In which cars it was, which concerns other devices, too. */
  | 'cars'
  /** All of a range, in pieces. */
  | 'history'

/** How urgent something due is. Of several marks of a kind the least number counts. */
export const PRIORITY = {
  /** In which cars a device was. */
  cars: 0,
  /** Samples behind what is derived, or others in a car: once the burst is over. */
  late: 1,
  /** New samples: the process that stored them derives them, another one only if that takes too long. */
  live: 2,
  /** Nothing came for so long that a trip or an incident may have ended. */
  silence: 3,
  /** Rules or areas changed. */
  rules: 4,
  /** The history was folded by an older version of the program. */
  version: 5,
} as const

/** Something of a device that is to be derived. */
interface DueMark {
  readonly deviceId: DeviceId
  /** From the oldest to the newest instant that is to be folded. Infinite where nothing is. */
  readonly fromMs: number
  readonly toMs: number
  /** No sample that was stored is later; undefined when no sample changed. */
  readonly lastMs?: number | undefined
  /** When something arrived from the device, by the clock of the database. */
  readonly receivedMs?: number
  readonly priority: number
}

export interface DueRow {
  readonly deviceId: DeviceId
  readonly kind: DueKind
  readonly fromMs: number
  readonly toMs: number
  readonly lastMs: number | undefined
  readonly receivedMs: number | undefined
  readonly priority: number
  readonly version: number
}

/** The extent of all stored samples, also those still due, for `joinExtent`; null while there are none. `device_states`
 * alone misses those. They may reach a minute too far. A move may be due from minus infinity, but no sample is older than 2000. */
export const FIRST_STORED = sql`least(s.first_time,
  case when q.last_time is not null then greatest(q.from_time, timestamptz '2000-01-01Z') end)`
export const LAST_STORED = sql`greatest(s.last_time, q.last_time)`

/** Joins the states `s` of a device and what is due of it, `q`. @param deviceId a column, such as `a.device_id` */
export function joinExtent(deviceId: Statement): Statement {
  return sql`left join device_states s on s.device_id = ${deviceId}
    left join due q on q.device_id = ${deviceId} and q.kind = 'samples'`
}

/** Nothing is to be folded, but the device is to be looked at. */
export const NOTHING_TO_FOLD = { fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY }

/** A device of which a transaction stored samples. */
export interface StoredDevice {
  readonly deviceId: DeviceId
  /** Those that changed, ascending by time. */
  readonly samples: readonly Sample[]
  /** Something behind what is derived changed. */
  readonly isLate: boolean
}

/** A mark reaches so far beyond the newest sample, so that what comes next needs no other one. */
const MARKED_AHEAD_MS = 60_000

/** Marks what a transaction stored. @returns the versions of these marks */
export function markStored(
  locked: LockedDevices,
  devices: readonly StoredDevice[],
): Promise<ReadonlyMap<DeviceId, number>> {
  return markDue(
    locked.transaction,
    devices.map(({ deviceId, samples, isLate }) => {
      const span = isLate ? spanOf(samples) : spanAheadOf(samples)
      return {
        deviceId,
        ...span,
        lastMs: samples.length > 0 ? span.toMs : undefined,
        receivedMs: locked.lockedMs,
        priority: isLate ? PRIORITY.late : PRIORITY.live,
      }
    }),
  )
}

/** What a mark of new samples covers. */
export function spanAheadOf(samples: readonly Sample[]): { readonly fromMs: number; readonly toMs: number } {
  const { fromMs, toMs } = spanOf(samples)
  return { fromMs, toMs: toMs + MARKED_AHEAD_MS }
}

export function spanOf(samples: readonly Sample[]): { readonly fromMs: number; readonly toMs: number } {
  const [first, last] = [samples[0], samples.at(-1)]
  return first && last ? { fromMs: first.timeMs, toMs: last.timeMs } : NOTHING_TO_FOLD
}

/** Marks devices as to be derived, in the transaction that stored samples or found a dongle silent.
 * @returns the versions of these marks */
export async function markDue(
  transaction: Transaction,
  marks: readonly DueMark[],
): Promise<ReadonlyMap<DeviceId, number>> {
  if (marks.length === 0) return new Map()
  const sorted = marks.toSorted((a, b) => a.deviceId - b.deviceId)
  // Numbers, which are written faster than instants as texts; `epoch_ms` takes none that is infinite.
  const rows = await transaction.rows<{ device_id: DeviceId; version: number }>(
    sql`
      insert into due as d (device_id, kind, from_time, to_time, last_time, received, priority)
      select device_id, 'samples', to_timestamp(from_ms / 1000), to_timestamp(to_ms / 1000), to_timestamp(last_ms / 1000),
        to_timestamp(received_ms / 1000), priority
      from unnest(
        ${sorted.map(mark => mark.deviceId)}::bigint[],
        ${sorted.map(mark => mark.fromMs)}::float8[],
        ${sorted.map(mark => mark.toMs)}::float8[],
        ${sorted.map(mark => mark.lastMs ?? null)}::float8[],
        ${sorted.map(mark => mark.receivedMs ?? null)}::float8[],
        ${sorted.map(mark => mark.priority)}::smallint[]
      ) as u (device_id, from_ms, to_ms, last_ms, received_ms, priority)
      ${MERGED} returning d.device_id, d.version`,
    { prepareAs: 'mark-due' },
  )
  return new Map(rows.map(row => [row.device_id, row.version]))
}

/** Merges a mark into the row that is there. */
const MERGED = sql`
  on conflict (device_id, kind) do update set from_time = least(d.from_time, excluded.from_time),
    to_time = greatest(d.to_time, excluded.to_time), last_time = greatest(d.last_time, excluded.last_time),
    received = greatest(d.received, excluded.received), priority = least(d.priority, excluded.priority),
    version = excluded.version`

/** Marks devices whose samples are to be folded again, without new ones. @param devices selects `device_id` and `from_time` */
export async function markToFoldAgain(transaction: Transaction, devices: Statement): Promise<void> {
  await transaction.rows(sql`
    insert into due as d (device_id, kind, from_time, to_time, priority)
    select w.device_id, 'samples', w.from_time, s.last_time, ${PRIORITY.late}
    from (${devices}) w join device_states s using (device_id) order by w.device_id
    ${MERGED}`)
}

/** Marks devices of which it is to be worked out again in which cars they were. */
export async function markCars(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<void> {
  if (deviceIds.length === 0) return
  await transaction.rows(
    sql`
      insert into due as d (device_id, kind, from_time, to_time, priority)
      select s.device_id, 'cars', 'infinity', '-infinity', ${PRIORITY.cars}
      from device_states s where device_id = any(${deviceIds}::bigint[]) order by device_id
      ${MERGED}`,
    { prepareAs: 'mark-cars' },
  )
}

/** Histories are to be folded again from then on, or all of one that is outdated.
 * @param toMs an equal state behind it ends that; infinite where states may be equal though results are not */
export async function enterHistories(
  transaction: Transaction,
  devices: readonly { readonly deviceId: DeviceId; readonly fromMs: number; readonly toMs?: number }[],
  priority: number = PRIORITY.rules,
): Promise<void> {
  if (devices.length === 0) return
  const deviceIds = devices.map(({ deviceId }) => deviceId)
  const from = devices.map(({ fromMs }) => instantOfMs(fromMs))
  const to = devices.map(({ toMs }) => instantOfMs(toMs ?? Number.POSITIVE_INFINITY))
  await markHistories(
    transaction,
    sql`
      select s.device_id, case when s.folded_by < ${DERIVATION_VERSION} then '-infinity' else u.from_time end as from_time,
        case when s.folded_by < ${DERIVATION_VERSION} then 'infinity' else u.to_time end as to_time
      from unnest(${deviceIds}::bigint[], ${from}::timestamptz[], ${to}::timestamptz[]) as u (device_id, from_time, to_time)
      join device_states s using (device_id)`,
    priority,
  )
}

/** Marks the histories that an older version of the program folded. */
export async function enterOutdatedHistories(database: Database): Promise<void> {
  await writeTransaction(database, transaction =>
    markHistories(
      transaction,
      sql`
        select device_id, timestamptz '-infinity' as from_time, timestamptz 'infinity' as to_time from device_states s
        where folded_by < ${DERIVATION_VERSION}
          and not exists (select from due d where d.device_id = s.device_id and d.kind = 'history')`,
      PRIORITY.version,
    ),
  )
}

/** The whole history of a device follows from the rules of this program. */
export async function writeFoldedByNow({ transaction, deviceId }: LockedDevice): Promise<void> {
  await transaction.rows(sql`
    update device_states set folded_by = ${DERIVATION_VERSION}
    where device_id = ${deviceId} and folded_by < ${DERIVATION_VERSION}`)
}

function markHistories(transaction: Transaction, devices: Statement, priority: number): Promise<unknown> {
  return transaction.rows(sql`
    insert into due as d (device_id, kind, from_time, to_time, priority)
    select device_id, 'history', from_time, to_time, ${priority} from (${devices}) w order by device_id
    ${MERGED}`)
}

interface DueColumns {
  readonly device_id: DeviceId
  readonly kind: DueKind
  readonly from_time: string
  readonly to_time: string
  readonly last_time: string | null
  readonly received: string | null
  readonly priority: number
  readonly version: number
}

export async function readDue(
  { transaction, deviceIds }: LockedDevices,
  kind: DueKind = 'samples',
): Promise<ReadonlyMap<DeviceId, DueRow>> {
  const rows = await transaction.rows<DueColumns>(
    sql`
      select device_id, kind, from_time, to_time, last_time, received, priority, version from due
      where device_id = any(${deviceIds}::bigint[]) and kind = ${kind}`,
    { prepareAs: 'read-due' },
  )
  return new Map(rows.map(row => [row.device_id, dueRowOf(row)]))
}

function dueRowOf(row: DueColumns): DueRow {
  return {
    deviceId: row.device_id,
    kind: row.kind,
    fromMs: instantMs(row.from_time),
    toMs: instantMs(row.to_time),
    lastMs: row.last_time === null ? undefined : instantMs(row.last_time),
    receivedMs: row.received === null ? undefined : instantMs(row.received),
    priority: row.priority,
    version: row.version,
  }
}

/** Deletes rows that are derived, unless more was marked meanwhile. */
export async function clearDue(
  { transaction }: LockedDevices,
  rows: readonly Pick<DueRow, 'deviceId' | 'kind' | 'version'>[],
): Promise<void> {
  if (rows.length === 0) return
  await transaction.rows(
    sql`
      delete from due d using unnest(
        ${rows.map(row => row.deviceId)}::bigint[], ${rows.map(row => row.kind)}::text[], ${rows.map(row => row.version)}::bigint[]
      ) as u (device_id, kind, version)
      where d.device_id = u.device_id and d.kind = u.kind and d.version = u.version`,
    { prepareAs: 'clear-due' },
  )
}

/** Late samples were folded: a range of the history that is being folded beside it does not know them. */
export async function noteFoldedBesideHistory({ transaction, deviceIds }: LockedDevices): Promise<void> {
  await transaction.rows(
    sql`update due set version = nextval('due_versions') where device_id = any(${deviceIds}::bigint[]) and kind = 'history'`,
    { prepareAs: 'note-folded-beside-history' },
  )
}

/** A history is folded again up to an instant, unless more was marked meanwhile. */
export async function moveHistoryOn(
  { transaction }: LockedDevices,
  { deviceId, version }: DueRow,
  foldedToMs: number,
): Promise<void> {
  await transaction.rows(sql`
    update due set from_time = ${instantOfMs(foldedToMs)}, version = nextval('due_versions')
    where device_id = ${deviceId} and kind = 'history' and version = ${version}`)
}

/** Reads the history that is due of one device, outside of a transaction. */
export async function readHistory(connection: Connection, deviceId: DeviceId): Promise<DueRow | undefined> {
  const [row] = await connection.rows<DueColumns>(sql`
    select device_id, kind, from_time, to_time, last_time, received, priority, version from due
    where device_id = ${deviceId} and kind = 'history'`)
  return row && dueRowOf(row)
}

/** A burst is over after this long without samples; then it costs one fold. */
const QUIET_MS = 1000
/** A dongle that never pauses does not wait longer than this, so that everything is derived within seconds. */
const LONGEST_WAIT_MS = 2500
/** The process that stored samples derives them sooner than that, while it lives. */
const LEFT_AFTER_MS = 15_000

/** Where the clock was set back, times of before lie ahead: nobody waits until it has caught up. */
const isPast = (time: Statement, ms: number) =>
  sql`${time} not between clock_timestamp() - ${ms} * interval '1 millisecond' and clock_timestamp() + ${ms} * interval '1 millisecond'`

/** The row `d` is for whoever has time. */
const IS_READY = sql`(d.kind <> 'history' or d.priority = ${PRIORITY.late}) and case
  when d.priority = ${PRIORITY.late} then ${isPast(sql`coalesce(d.received, d.since)`, QUIET_MS)} or ${isPast(sql`d.since`, LONGEST_WAIT_MS)}
  when d.priority = ${PRIORITY.live} then ${isPast(sql`d.since`, LEFT_AFTER_MS)}
  else true end`

/** Devices wait for whoever has time. */
export const DEVICES_WAIT = sql`(select true from due d where ${IS_READY} limit 1) is not null`

/** Histories wait that are to be folded again for other reasons than samples. */
export const HISTORIES_WAIT = sql`
  (select true from due d where d.kind = 'history' and d.priority > ${PRIORITY.late} limit 1) is not null`

/** A device for which something waits, and the account that has it now. */
export interface DueDevice {
  readonly deviceId: DeviceId
  readonly accountId: number | null
  readonly kind: DueKind
}

/** The devices that are ready, the most urgent first; of those one of each account and then the next one of each. */
export async function readReadyDevices(
  connection: Connection,
  { except, most }: { readonly except: readonly DeviceId[]; readonly most: number },
): Promise<DueDevice[]> {
  return connection.rows<DueDevice>(
    sql`${DUE_DEVICES} where ${IS_READY} and d.device_id <> all(${except}::bigint[]) ${IN_TURN} limit ${most}`,
    { prepareAs: 'ready-devices' },
  )
}

/** A device whose history is to be folded again for another reason than samples; undefined when there is none besides `except`. */
export async function readNextHistory(
  connection: Connection,
  except: readonly DeviceId[],
): Promise<DueDevice | undefined> {
  const [device] = await connection.rows<DueDevice>(
    sql`
      ${DUE_DEVICES} where d.kind = 'history' and d.priority > ${PRIORITY.late} and d.device_id <> all(${except}::bigint[])
      ${IN_TURN} limit 1`,
    { prepareAs: 'next-history' },
  )
  return device
}

/** All devices of which something is due, whether ready or not. */
export async function readAllDue(connection: Connection): Promise<DueDevice[]> {
  return connection.rows<DueDevice>(sql`${DUE_DEVICES} where d.priority < ${PRIORITY.rules} ${IN_TURN}`)
}

const DUE_DEVICES = sql`
  select d.device_id as "deviceId", a.account_id as "accountId", d.kind
  from due d left join assignments a on a.device_id = d.device_id and a.to_time = 'infinity'`
const IN_TURN = sql`
  order by d.priority, row_number() over (partition by d.priority, a.account_id order by d.since, d.device_id), d.since, d.device_id`

/** How many devices were folded by older rules than those of this program. */
export async function countOutdated(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ outdated: number }>(
    sql`select count(*) as outdated from device_states where folded_by < ${DERIVATION_VERSION}`,
    { prepareAs: 'count-outdated' },
  )
  return row?.outdated ?? 0
}

export async function countHistories(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ devices: number }>(sql`select count(*) as devices from device_states`)
  return row?.devices ?? 0
}

/** How many devices of an account are to be folded again. */
export async function countHistoriesOf(connection: Connection, accountId: number): Promise<number> {
  const [row] = await connection.rows<{ devices: number }>(sql`
    select count(distinct d.device_id) as devices
    from due d join assignments a using (device_id) where d.kind = 'history' and a.account_id = ${accountId}`)
  return row?.devices ?? 0
}

/** The devices that are in the middle of being folded by the rules of this program, by their ids, and how far they are. */
export async function readHistoriesUnderWay(
  connection: Connection,
): Promise<{ readonly deviceId: DeviceId; readonly foldedTo: string }[]> {
  return connection.rows(sql`
    select d.device_id as "deviceId", d.from_time as "foldedTo" from due d join device_states s using (device_id)
    where d.kind = 'history' and s.folded_by < ${DERIVATION_VERSION} and d.from_time > '-infinity' order by d.device_id`)
}
