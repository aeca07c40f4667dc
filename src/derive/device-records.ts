import type { EventTypeId } from '../catalogue/event-types.ts'
import { revised, updateOf } from '../db/bulk-rows.ts'
import type { LockedDevice } from '../db/shards.ts'
import { type Connection, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { instantMs, quotedItem } from '../db/values.ts'
import { grouped } from '../model/grouped.ts'
import { type DeviceId, type EventValue, eventsOf, valuesOf } from '../model/sample.ts'
import { isIn, type TimeRange } from '../model/time-range.ts'
import type { FoldContext } from './fold-part.ts'
import type { LatestValue, LatestValues } from './latest-values/latest-values.ts'
import { type KnownRules, NO_RULES, RULES_REVISION, type RuledAssignment, rulesOf } from './rules/rule-books.ts'
import { type FoldState, parseState } from './trips/state.ts'

export interface Assignment extends TimeRange {
  readonly accountId: number
  readonly vehicleId: number
}

/** The results so far of one device. Only the transaction that has locked its shard changes them. */
interface DerivedSoFar {
  /** The extent of its samples; undefined while there are none. */
  readonly extent: { readonly firstMs: number; readonly lastMs: number } | undefined
  readonly latestByVehicle: ReadonlyMap<number, LatestValues>
  /** The current state of the fold; undefined before its first sample, or while its samples wait to be folded. */
  readonly fold: FoldState | undefined
  /** The row of the drive that the fold is in. */
  readonly trip: CurrentTrip | undefined
}

/** The stored rows of a device that change when its samples arrive. */
export interface DeviceRecord extends DerivedSoFar, FoldContext {
  readonly deviceId: DeviceId
  readonly isOnline: boolean
  readonly isPluggedIn: boolean | null
  /** Only a key of its account claims it. */
  readonly isClaimed: boolean
  readonly assignments: readonly Assignment[]
  /** Until when another device is or was in these vehicles; nothing of those in which none ever was. */
  readonly othersUntilMs: ReadonlyMap<number, number>
  /** Another text when it was moved since, or has other rules. */
  readonly contextKey: string
}

interface CurrentTrip {
  readonly id: number
  readonly startMs: number
  readonly isOpen: boolean
}

const NOTHING_DERIVED: DerivedSoFar = {
  extent: undefined,
  latestByVehicle: new Map(),
  fold: undefined,
  trip: undefined,
}

/** Reads the records of known devices. */
export async function readDeviceRecords(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, DeviceRecord>> {
  const all = await connection.rows<RecordRow>(
    sql`
      select d.id as device_id, d.is_online, d.is_plugged_in, d.is_claimed, ${MOVES} as moves,
        a.account_id, a.vehicle_id, a.from_time, a.to_time, ${OTHERS_UNTIL} as others_until,
        ${RULES_REVISION} as rules_revision
      from devices d left join assignments a on a.device_id = d.id
      where d.id = any(${deviceIds}::bigint[]) and d.deleted is null
      order by d.id, a.from_time`,
    { prepareAs: 'device-records' },
  )
  const rows = grouped(all, row => row.device_id)
  const assignments = new Map([...rows].map(([deviceId, ofDevice]) => [deviceId, ofDevice.filter(isAssigned)]))
  const known = await rulesOf(connection, assignments)
  const derived = await readDerivedSoFar(connection, deviceIds)
  const records = new Map<DeviceId, DeviceRecord>()
  for (const [deviceId, [row]] of rows) {
    const ofDevice = assignments.get(deviceId) ?? []
    const soFar = derived.get(deviceId) ?? NOTHING_DERIVED
    records.set(deviceId, {
      deviceId,
      isOnline: row.is_online,
      isPluggedIn: row.is_plugged_in,
      isClaimed: row.is_claimed,
      assignments: ofDevice.map(assignmentOf),
      othersUntilMs: othersUntilOf(ofDevice),
      ...contextOf(row.moves, known.get(deviceId)),
      ...soFar,
    })
  }
  return records
}

/** A dongle that reports is never silent for so long that a rule would notice. */
export const STALE_MS = 30_000

/** Those without samples are left out. */
async function readDerivedSoFar(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, DerivedSoFar>> {
  if (deviceIds.length === 0) return new Map()
  const states = await connection.rows<StateRow>(
    sql`
      select device_id, first_time, last_time, fold, trip_id, trip_start, trip_end is not null as is_trip_open
      from device_states where device_id = any(${deviceIds}::bigint[])`,
    { prepareAs: 'device-states' },
  )
  const latest = await connection.rows<LatestRow>(
    sql`
      select device_id, vehicle_id, types, times, numbers, texts
      from latest_values where device_id = any(${deviceIds}::bigint[])`,
    { prepareAs: 'device-latest-values' },
  )
  const latestByDevice = grouped(latest, row => row.device_id)
  return new Map(
    states.map(row => [
      row.device_id,
      {
        extent:
          row.first_time === null || row.last_time === null
            ? undefined
            : { firstMs: instantMs(row.first_time), lastMs: instantMs(row.last_time) },
        latestByVehicle: new Map(
          (latestByDevice.get(row.device_id) ?? []).map(item => [item.vehicle_id, latestValuesOf(item)]),
        ),
        fold: row.fold === null ? undefined : parseState(row.fold),
        trip:
          row.trip_id === null || row.trip_start === null
            ? undefined
            : { id: row.trip_id, startMs: instantMs(row.trip_start), isOpen: row.is_trip_open },
      },
    ]),
  )
}

/** The context of its fold, and a text that is another one when that changed. */
function contextOf(
  moves: readonly string[],
  { rules, key }: KnownRules = NO_RULES,
): FoldContext & { readonly contextKey: string } {
  return { movesMs: moves.map(instantMs), rules, contextKey: `${moves.join()};${key}` }
}

/** Instants from which on an operator had the device `d` in another car. */
const MOVES = sql`array(
  select at_time from operator_moves m where m.device_id = d.id and at_time > '-infinity' order by at_time)`

/** Until when another device is or was in the vehicle of the assignment `a`. */
const OTHERS_UNTIL = sql`(
  select max(o.to_time) from assignments o where o.vehicle_id = a.vehicle_id and o.device_id <> a.device_id)`

/** In which vehicle the device was then; undefined when in none. */
export function assignmentAt(record: Pick<DeviceRecord, 'assignments'>, timeMs: number): Assignment | undefined {
  return record.assignments.find(assignment => isIn(assignment, timeMs))
}

interface DeviceRow {
  readonly is_online: boolean
  readonly is_plugged_in: boolean | null
  readonly is_claimed: boolean
  readonly moves: readonly string[]
}

interface StateRow {
  readonly device_id: DeviceId
  readonly first_time: string | null
  readonly last_time: string | null
  readonly fold: string | null
  readonly trip_id: number | null
  readonly trip_start: string | null
  readonly is_trip_open: boolean
}

interface AssignmentRow extends RuledAssignment {
  readonly device_id: DeviceId
  readonly others_until: string | null
}

/** The one row of a device that was never in a vehicle. */
interface Unassigned {
  readonly device_id: DeviceId
  readonly account_id: null
}

type RecordRow = DeviceRow & (AssignmentRow | Unassigned)

function isAssigned(row: RecordRow): row is DeviceRow & AssignmentRow {
  return row.account_id !== null
}

export function assignmentOf(row: Omit<RuledAssignment, 'rules_revision'>): Assignment {
  return {
    accountId: row.account_id,
    vehicleId: row.vehicle_id,
    fromMs: instantMs(row.from_time),
    toMs: instantMs(row.to_time),
  }
}

function othersUntilOf(rows: readonly AssignmentRow[]): ReadonlyMap<number, number> {
  return new Map(
    rows.flatMap(({ vehicle_id, others_until }) =>
      others_until === null ? [] : [[vehicle_id, instantMs(others_until)]],
    ),
  )
}

/** The arrays of `latest_values`, as the driver parses them. */
export interface LatestRow {
  readonly device_id: DeviceId
  readonly vehicle_id: number
  readonly types: readonly EventTypeId[]
  readonly times: readonly number[]
  readonly numbers: readonly number[]
  readonly texts: readonly string[]
}

export function latestValuesOf(row: Omit<LatestRow, 'device_id' | 'vehicle_id'>): LatestValues {
  let index = 0
  const latest = new Map<EventTypeId, LatestValue>()
  for (const [type, value] of eventsOf(row)) latest.set(type, { timeMs: row.times[index++] ?? 0, value })
  return latest
}

function latestArrays(latest: LatestValues): Omit<LatestRow, 'device_id' | 'vehicle_id'> {
  const values = new Map<EventTypeId, EventValue>()
  latest.forEach(({ value }, type) => values.set(type, value))
  const { types, numbers, texts } = valuesOf(values)
  return { types, times: types.map(type => latest.get(type)?.timeMs ?? 0), numbers, texts }
}

/** The columns of `latest_values`: arrays as PostgreSQL reads them, because arrays of arrays must not be ragged. */
export function latestColumns(latest: LatestValues): {
  readonly types: string
  readonly times: string
  readonly numbers: string
  readonly texts: string
} {
  const { types, times, numbers, texts } = latestArrays(latest)
  return {
    types: `{${types.join(',')}}`,
    times: `{${times.join(',')}}`,
    numbers: `{${numbers.join(',')}}`,
    texts: `{${texts.map(quotedItem).join(',')}}`,
  }
}

/** Gives vehicles new revisions, because clients see something else of them (decisions.md, *Sync*). Each is named once. */
export async function reviseVehicles(transaction: Transaction, vehicleIds: readonly number[]): Promise<void> {
  if (vehicleIds.length === 0) return
  const rows = vehicleIds.map(id => ({ id }))
  await transaction.rows(updateOf('vehicles', ['id'], await revised(transaction, rows)))
}

export async function reviseDevice({ transaction, deviceId }: LockedDevice): Promise<void> {
  await transaction.rows(updateOf('devices', ['id'], await revised(transaction, [{ id: deviceId }])))
}
