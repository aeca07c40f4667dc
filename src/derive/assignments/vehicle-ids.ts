import { makeOfVin } from '../../catalogue/makes.ts'
import { revised, unnestOf } from '../../db/bulk-rows.ts'
import { allOf, listOf, type Statement, sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantMs } from '../../db/values.ts'
import { grouped } from '../../model/grouped.ts'
import type { DeviceId } from '../../model/sample.ts'
import { readFixesWithin } from '../../store/index.ts'
import { type DeviceAssignments, successorOf } from '../assignment-rows.ts'
import type { Assignment } from '../device-records.ts'
import { leaveIncidentsTo } from '../incidents/write-incidents.ts'
import type { TouchedTrip } from '../trips/shared-cars.ts'
import { areTwoCars } from './placement.ts'

interface NewVehicle {
  readonly accountId: number
  /** undefined: its id is the `IMEI_…` of the device. */
  readonly vin: string | undefined
  readonly deviceId: DeviceId
}

export async function createVehicle(held: HeldVins, { accountId, vin, deviceId }: NewVehicle): Promise<number> {
  const transaction = held.transactionFor(accountId)
  const [row] = await transaction.rows<{ id: number; public_id: string }>(sql`
    insert into vehicles (account_id, first_device_id, vin, make, modified)
    values (${accountId}, ${deviceId}, ${vin ?? null}, ${vin === undefined ? '' : makeOfVin(vin)},
      ${await transaction.takeRevisions(1)}::timestamptz)
    returning id, public_id`)
  if (!row) throw new Error('a new vehicle got no row')
  await forgetFormerId(transaction, accountId, row.public_id)
  return row.id
}

/** Writes what follows from a new public id: the former id keeps working, and all that
 * shows it changed (decisions.md, *Sync*). */
export async function afterRename(
  transaction: Transaction,
  vehicle: { readonly accountId: number; readonly vehicleId: number },
  ids: { readonly before: string; readonly now: string; readonly isByOperator: boolean },
): Promise<void> {
  const { before, now, isByOperator } = ids
  if (before === now) return
  await forgetFormerId(transaction, vehicle.accountId, now)
  await keepFormerId(transaction, vehicle, before, isByOperator)
  await reviseWhatShowsItsId(transaction, vehicle.vehicleId)
}

/** Makes a former id lead to that vehicle; clients that sync see it deleted.
 * @param isByOperator an operator replaced the VIN */
export async function keepFormerId(
  transaction: Transaction,
  { accountId, vehicleId }: { readonly accountId: number; readonly vehicleId: number },
  publicId: string,
  isByOperator: boolean,
): Promise<void> {
  await transaction.rows(sql`
    insert into former_vehicle_ids (account_id, public_id, vehicle_id, by_operator, deleted, modified)
    values (${accountId}, ${publicId}, ${vehicleId}, ${isByOperator}, clock_timestamp(),
      ${await transaction.takeRevisions(1)}::timestamptz)
    on conflict (account_id, public_id) do update set vehicle_id = excluded.vehicle_id,
      by_operator = excluded.by_operator, deleted = excluded.deleted, modified = excluded.modified`)
}

/** An id that is in use again is no longer a former id. */
export async function forgetFormerId(transaction: Transaction, accountId: number, publicId: string): Promise<void> {
  await transaction.rows(sql`
    delete from former_vehicle_ids where account_id = ${accountId} and public_id = ${publicId}`)
}

async function reviseWhatShowsItsId(transaction: Transaction, vehicleId: number): Promise<void> {
  const isInside = sql`item.id in (
    select device_id from assignments where vehicle_id = ${vehicleId} and to_time = 'infinity')`
  const isIts = sql`item.vehicle_id = ${vehicleId}`
  await revise(transaction, sql`devices`, isInside)
  await revise(transaction, sql`trips`, isIts)
  await revise(transaction, sql`dtcs`, isIts)
  await revise(transaction, sql`incidents`, isIts)
  const namesIt = sql`exists (
    select from rule_versions w where w.rule_id = item.id and ${vehicleId}::bigint = any(w.vehicle_ids))`
  await revise(transaction, sql`rules`, namesIt)
}

async function revise(transaction: Transaction, table: Statement, condition: Statement): Promise<void> {
  const [row] = await transaction.rows<{ count: number }>(sql`select count(*) from ${table} as item where ${condition}`)
  if (!row || row.count === 0) return
  const first = await transaction.takeRevisions(row.count)
  await transaction.rows(sql`
    update ${table} as item set modified = ${first}::timestamptz + numbered.offset_us * interval '1 microsecond'
    from (select id, row_number() over (order by id) - 1 as offset_us from ${table} as item where ${condition}) numbered
    where item.id = numbered.id and ${condition}`)
}

/** Accounts whose VINs a transaction has locked: until it ends, nobody else assigns VINs
 * there. Only `lockVins` makes one. */
class HeldVins {
  readonly #transaction: Transaction
  readonly #accountIds: ReadonlySet<number>

  constructor(transaction: Transaction, accountIds: readonly number[]) {
    this.#transaction = transaction
    this.#accountIds = new Set(accountIds)
  }

  /** The right to give VINs to vehicles of that account. @throws Error unless its VINs are locked */
  transactionFor(accountId: number): Transaction {
    if (!this.#accountIds.has(accountId)) throw new Error(`the transaction does not hold the VINs of ${accountId}`)
    return this.#transaction
  }
}

export type { HeldVins }

/** Waits for the sole right to give or take VINs of these accounts. To avoid deadlocks, shards are locked before the
 * VINs, rows of vehicles after them, and accounts in ascending order. */
export async function lockVins(transaction: Transaction, accountIds: Iterable<number>): Promise<HeldVins> {
  const wanted = [...new Set(accountIds)]
  await transaction.rows(
    sql`select id from accounts where id = any(${wanted}::integer[]) order by id for no key update`,
  )
  return new HeldVins(transaction, wanted)
}

/** Makes the `IMEI_…` of a device lead to `first`, its first vehicle in the account, unless it is a vehicle's id. */
export async function keepPlaceholderId(
  transaction: Transaction,
  deviceId: DeviceId,
  { accountId, vehicleId }: Assignment,
): Promise<void> {
  await transaction.rows(sql`
    update former_vehicle_ids set vehicle_id = ${vehicleId}
    where account_id = ${accountId} and public_id = ${`IMEI_${deviceId}`} and vehicle_id <> ${vehicleId}`)
}

interface UnusedVehicle {
  readonly id: number
  readonly account_id: number
  readonly public_id: string
}

/** Locks those of a device's former vehicles in which no dongle ever was, by what is known now, and for which no operator set anything. */
export function lockUnusedVehicles(transaction: Transaction, before: DeviceAssignments): Promise<UnusedVehicle[]> {
  return transaction.rows<UnusedVehicle>(sql`
    select id, account_id, public_id from vehicles v
    where id = any(${before.spans.map(({ vehicleId }) => vehicleId)}::bigint[])
      and not exists (select from assignments a where a.vehicle_id = v.id)
      and not exists (select from operator_moves m where m.vehicle_id = v.id) and ${NOTHING_SET}
    order by id for update`)
}

/** The days of statistics of these vehicles, which must be worked out again so that none is left. */
export async function readDaysOf(transaction: Transaction, unused: readonly UnusedVehicle[]): Promise<TouchedTrip[]> {
  if (unused.length === 0) return []
  const accountOf = new Map(unused.map(({ id, account_id }) => [id, account_id]))
  const days = await transaction.rows<{ vehicle_id: number; start: string }>(sql`
    select vehicle_id, day::timestamp at time zone 'UTC' as start
    from vehicle_days where vehicle_id = any(${unused.map(({ id }) => id)}::bigint[])`)
  return days.flatMap(({ vehicle_id: vehicleId, start }) => {
    const accountId = accountOf.get(vehicleId)
    return accountId === undefined ? [] : [{ accountId, vehicleId, timeMs: instantMs(start) }]
  })
}

/** Removes vehicles that everything has left. Their ids lead to the successor; clients that sync see them deleted. */
export async function retireVehicles(
  transaction: Transaction,
  before: DeviceAssignments,
  spans: readonly Assignment[],
  unused: readonly UnusedVehicle[],
): Promise<void> {
  for (const { id, public_id } of unused) {
    const successor = successorOf(before, spans, id)
    const successorId = successor.vehicleId
    await transaction.rows(sql`
      update former_vehicle_ids set vehicle_id = ${successorId} where vehicle_id = ${id}`)
    await leaveDeletedTo(transaction, sql`trips`, id, successorId)
    await leaveDeletedTo(transaction, sql`dtcs`, id, successorId)
    await leaveIncidentsTo(transaction, { accountId: successor.accountId, vehicleId: id, successorId })
    await transaction.rows(sql`delete from vehicles where id = ${id}`)
    await keepFormerId(transaction, successor, public_id, false)
  }
}

/** Moves the objects that stayed behind because they are marked as deleted: the vehicle's id leads to the successor now. */
export async function leaveDeletedTo(
  transaction: Transaction,
  table: Statement,
  vehicleId: number,
  successorId: number,
): Promise<void> {
  const rows = await transaction.rows<{ device_id: number; id: number }>(
    sql`select device_id, id from ${table} where vehicle_id = ${vehicleId} order by id`,
  )
  if (rows.length === 0) return
  await transaction.rows(sql`
    update ${table} as item set vehicle_id = ${successorId}, modified = u.modified
    from ${unnestOf({ device_id: 'bigint', id: 'bigint', modified: 'timestamptz' }, await revised(transaction, rows))}
    where item.device_id = u.device_id and item.id = u.id`)
}

const TEXTS = [sql`license_plate`, sql`model`, sql`vehicle`, sql`kba`, sql`fuel_type_set`, sql`color`, sql`car_group`]
const NUMBERS = [sql`tecdoc_make_id`, sql`tecdoc_model_id`, sql`tecdoc_vehicle_id`]

/** The vehicle `v` has no settings by an operator, not even a VIN. */
export const NOTHING_SET = allOf([
  sql`not v.vin_by_operator`,
  sql`not v.make_by_operator`,
  sql`v.alarm_system is null`,
  sql`v.deleted is null`,
  ...TEXTS.map(column => sql`v.${column} = ''`),
  ...NUMBERS.map(column => sql`v.${column} = 0`),
])

/** Gives the vehicle `successor` those settings of `old` that it lacks: the `set` of a statement. */
export const TAKEN_OVER = listOf([
  ...TEXTS.map(
    column => sql`${column} = case when successor.${column} = '' then old.${column} else successor.${column} end`,
  ),
  ...NUMBERS.map(
    column => sql`${column} = case when successor.${column} = 0 then old.${column} else successor.${column} end`,
  ),
  sql`make = case when old.make_by_operator and not successor.make_by_operator then old.make else successor.make end`,
  sql`make_by_operator = successor.make_by_operator or old.make_by_operator`,
  sql`alarm_system_set = case when successor.alarm_system is null then old.alarm_system_set else successor.alarm_system_set end`,
  sql`alarm_system = coalesce(successor.alarm_system, old.alarm_system)`,
])

/** `successor` has every setting of `old`. */
export const HAS_ALL = allOf([
  ...TEXTS.map(column => sql`old.${column} in ('', successor.${column})`),
  ...NUMBERS.map(column => sql`old.${column} in (0, successor.${column})`),
  sql`(not old.make_by_operator or old.make = successor.make)`,
  sql`coalesce(old.alarm_system, successor.alarm_system) is not distinct from successor.alarm_system`,
])

/** Removes all settings of a vehicle but its VIN: the `set` of a statement. */
export const UNSET: Statement = listOf([
  ...TEXTS.map(column => sql`${column} = ''`),
  ...NUMBERS.map(column => sql`${column} = 0`),
  sql`make = ''`,
  sql`make_by_operator = false`,
  sql`alarm_system = null`,
  sql`alarm_system_set = null`,
  sql`deleted = null`,
])

// VINs that several dongles read.

/** These devices and the others that read one of their VINs: trips of one show whether the other is in the same car. */
export async function readersOfSameVins(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<DeviceId[]> {
  if (deviceIds.length === 0) return []
  const rows = await transaction.rows<{ ids: [DeviceId, DeviceId] }>(
    sql`
      select array[r.device_id, o.device_id] as ids
      from vin_runs r join vin_runs o on o.vin = r.vin and o.device_id <> r.device_id
      where r.device_id = any(${deviceIds}::bigint[]) group by 1`,
    { prepareAs: 'readers-of-same-vins' },
  )
  return [...new Set(rows.flatMap(({ ids }) => ids))]
}

/** A drive of one dongle that long before or after one of another tells whether a car can have made both. */
const AROUND = sql`interval '15 minutes'`
/** One fix of each dongle is compared in that time, and so many, the newest. */
const STEP_MS = 30_000
const MOST_FIXES = 400

/** An ended trip while that VIN was the last one that its dongle had read. */
const tripDuring = (trip: Statement, run: Statement) => sql`
  ${trip}.device_id = ${run}.device_id and not ${trip}.is_open and ${trip}.start_time >= ${run}.boundary
  and (${trip}.deleted is null or ${trip}.superseded_by is not null) and not exists (
    select from vin_runs n where n.device_id = ${run}.device_id and n.first_time > ${run}.first_time
      and n.boundary <= ${trip}.start_time)`

/** VINs that this device and another one of its account read while they drove at once in two places: two cars have that
 * VIN, or it is none. Follows from the set of trips and samples alone. */
export async function readDisputedVins(transaction: Transaction, deviceId: DeviceId): Promise<ReadonlySet<string>> {
  const rows = await transaction.rows<{ vin: string; other_id: DeviceId; own: Drive; other: Drive }>(sql`
    select r.vin, o.device_id as other_id,
      array[greatest(t.start_time, u.start_time - ${AROUND}), least(t.end_time, u.end_time + ${AROUND})] as own,
      array[greatest(u.start_time, t.start_time - ${AROUND}), least(u.end_time, t.end_time + ${AROUND})] as other
    from vin_runs r join vin_runs o on o.vin = r.vin and o.device_id <> r.device_id and o.is_confirmed
    join trips t on ${tripDuring(sql`t`, sql`r`)}
    join trips u on ${tripDuring(sql`u`, sql`o`)} and u.account_id = t.account_id
      and u.start_time < t.end_time + ${AROUND} and u.end_time > t.start_time - ${AROUND}
    where r.device_id = ${deviceId} and r.is_confirmed
    order by least(t.end_time, u.end_time) desc, greatest(t.start_time, u.start_time) desc`)
  const disputed = new Set<string>()
  for (const drives of grouped(rows, row => `${row.vin} ${row.other_id}`).values()) {
    const [{ vin, other_id: otherId }] = drives
    if (disputed.has(vin)) continue
    const [during, duringOther] = [drives.map(({ own }) => own), drives.map(({ other }) => other)]
    const fixes = await readFixesDuring(transaction, deviceId, during)
    if (areTwoCars(fixes, await readFixesDuring(transaction, otherId, duringOther))) disputed.add(vin)
  }
  return disputed
}

type Drive = readonly [from: string, to: string]

/** @param drives the newest first */
async function readFixesDuring(transaction: Transaction, deviceId: DeviceId, drives: readonly Drive[]) {
  const steps = new Set<number>()
  const stepOf = (instant: string) => Math.floor(instantMs(instant) / STEP_MS)
  for (const [from, to] of drives)
    for (let step = stepOf(to); step >= stepOf(from) && steps.size < MOST_FIXES; step--) steps.add(step)
  const starts = [...steps].sort((a, b) => a - b).map(step => step * STEP_MS)
  const intervals = starts.map(fromMs => ({ deviceId, fromMs, toMs: fromMs + STEP_MS }))
  return (await readFixesWithin(transaction, intervals, { isFromEnd: false, skip: 0, most: 1 })).flat()
}
