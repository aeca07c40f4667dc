import { makeOfVin } from '../../catalogue/makes.ts'
import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantOfMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { OperatorMove, Tenure } from '../assignment-rows.ts'
import type { Assignment } from '../device-records.ts'
import type { VinRun } from '../trips/state.ts'
import { type Home, type Placed, placeMoved, placeStays, staysOf } from './placement.ts'
import { afterRename, createVehicle, type HeldVins, NOTHING_SET } from './vehicle-ids.ts'

/** Readings and moves of a device during the time in which it belonged to one account. */
interface TenureFacts {
  readonly deviceId: DeviceId
  readonly tenure: Tenure
  /** Its VIN readings in that time, ascending. */
  readonly runs: readonly VinRun[]
  /** Where operators put it in that time, ascending. */
  readonly moves: readonly OperatorMove[]
}

interface NamedVehicle {
  readonly accountId: number
  readonly vehicleId: number
  readonly vin: string
}

export interface PlacedTenure {
  readonly spans: readonly Assignment[]
  /** Vehicles that get the VIN when the vehicle that still has it is retired. */
  readonly namedLater: readonly NamedVehicle[]
}

/** Finds the vehicles of a device while one account had it (docs/adr/0009, docs/adr/0011).
 * Names them, and makes missing ones. */
export function placeTenure(held: HeldVins, facts: TenureFacts): Promise<PlacedTenure> {
  return facts.moves.length === 0 ? placeByReadings(held, facts) : placeByMoves(held, facts)
}

async function placeByReadings(held: HeldVins, { deviceId, tenure, runs }: TenureFacts): Promise<PlacedTenure> {
  const { accountId } = tenure
  const transaction = held.transactionFor(accountId)
  const { vehicleOfVin, operatorVins } = await readVehiclesOfVins(transaction, accountId, vinsOf(runs))
  const home = await readHome(transaction, deviceId, tenure)
  const placement = placeStays(staysOf(runs, operatorVins), home, vehicleOfVin)
  if (placement.homeVin !== home.vin) await nameHome(held, { accountId, deviceId }, home, placement.homeVin)
  return { spans: await spansOf(held, deviceId, tenure, placement.placed, new Map()), namedLater: [] }
}

interface Leg {
  readonly fromMs: number
  readonly toMs: number
  readonly home: Home
  readonly isMoved: boolean
}

/** Places each leg between two moves by what was read in it. VINs known from this dongle alone are derived again, so
 * that the order in which readings and moves became known does not matter. */
async function placeByMoves(held: HeldVins, facts: TenureFacts): Promise<PlacedTenure> {
  const { deviceId, tenure, runs } = facts
  const { accountId } = tenure
  const transaction = held.transactionFor(accountId)
  const legs = await legsOf(transaction, facts)
  const homes = new Map(legs.map(({ home }) => [home.vehicleId, home]))
  const vins = vinsOf(runs)
  const { vehicleOfVin, operatorVins } = await readVehiclesOfVins(transaction, accountId, vins)
  const own = await readOwnOfVins(transaction, { deviceId, tenure, vins, except: [...homes.keys()] })
  const known = new Map([...vehicleOfVin].filter(([vin]) => !own.has(vin)))
  for (const { vehicleId, vin } of homes.values())
    if (vin !== undefined && vehicleOfVin.get(vin) === vehicleId && isGivenAnew(homes, vehicleId)) known.delete(vin)

  const names = new Map([...homes].map(([id, { vin }]) => [id, isGivenAnew(homes, id) ? undefined : vin]))
  const ofNewVehicles = new Set<string>()
  const placed: Placed[] = []
  for (const { fromMs, toMs, home: stored, isMoved } of legs) {
    const home = { ...stored, vin: names.get(stored.vehicleId) }
    const read = runs.filter(({ firstMs }) => firstMs >= fromMs && firstMs < toMs)
    const stays = staysOf(read, operatorVins, isMoved ? fromMs : undefined)
    let vin: string | undefined
    if (isMoved) {
      const placement = placeMoved(fromMs, stays, home, { vehicleOfVin: known, ofNewVehicles })
      vin = placement.vin
      placed.push(...placement.placed)
    } else {
      const placement = placeStays(stays, home, known)
      vin = placement.homeVin
      placed.push(...placement.placed)
    }
    names.set(home.vehicleId, vin)
    if (vin !== undefined) known.set(vin, home.vehicleId)
    for (const { vehicle } of placed)
      if (vehicle.kind === 'new' && vehicle.vin !== undefined) ofNewVehicles.add(vehicle.vin)
  }
  const namedLater = await nameHomes(held, { accountId, deviceId, homes, names, own })
  return { spans: await spansOf(held, deviceId, tenure, placed, own), namedLater }
}

/** Its VIN comes from readings of this dongle alone. */
function isGivenAnew(homes: ReadonlyMap<number, Home>, vehicleId: number): boolean {
  const home = homes.get(vehicleId)
  return home?.vin !== undefined && !home.isByOperator && !home.isShared
}

async function legsOf(transaction: Transaction, { deviceId, tenure, moves }: TenureFacts): Promise<Leg[]> {
  const { fromMs, toMs } = tenure
  const legs: Leg[] = []
  const [first] = moves
  if (!first || first.atMs > fromMs)
    legs.push({
      fromMs,
      toMs: first?.atMs ?? toMs,
      home: await readHome(transaction, deviceId, tenure),
      isMoved: false,
    })
  for (const [index, { atMs, vehicleId }] of moves.entries())
    legs.push({
      fromMs: atMs,
      toMs: moves[index + 1]?.atMs ?? toMs,
      home: await readVehicleAs(transaction, { deviceId, tenure }, vehicleId),
      isMoved: true,
    })
  return legs
}

/** Takes VINs away before it gives any, so that those are free. @returns the vehicles that must wait for theirs. */
async function nameHomes(
  held: HeldVins,
  {
    accountId,
    deviceId,
    homes,
    names,
    own,
  }: {
    readonly accountId: number
    readonly deviceId: DeviceId
    readonly homes: ReadonlyMap<number, Home>
    readonly names: ReadonlyMap<number, string | undefined>
    readonly own: ReadonlyMap<string, number>
  },
): Promise<NamedVehicle[]> {
  const changed = [...homes.values()].filter(({ vehicleId, vin }) => names.get(vehicleId) !== vin)
  const nameOf = (home: Home, vin: string | undefined) =>
    nameHome(held, { accountId, deviceId: home.isChosen ? undefined : deviceId }, home, vin)
  for (const home of changed) if (home.vin !== undefined) await nameOf(home, undefined)
  const later: NamedVehicle[] = []
  for (const home of changed) {
    const vin = names.get(home.vehicleId)
    if (vin === undefined) continue
    if (own.has(vin)) later.push({ accountId, vehicleId: home.vehicleId, vin })
    else await nameOf(home, vin)
  }
  return later
}

function vinsOf(runs: readonly VinRun[]): string[] {
  return [...new Set(runs.map(run => run.vin))]
}

/** The placement in existing vehicles, within the tenure.
 * @param existing made earlier for the VINs that need a new one */
async function spansOf(
  held: HeldVins,
  deviceId: DeviceId,
  { accountId, fromMs, toMs }: Tenure,
  placed: readonly Placed[],
  existing: ReadonlyMap<string, number>,
): Promise<Assignment[]> {
  const created = new Map<string | undefined, number>(existing)
  const spans: Assignment[] = []
  for (const [index, { vehicle, fromMs: placedMs }] of placed.entries()) {
    const span = {
      fromMs: Math.max(placedMs, fromMs),
      toMs: Math.min(placed[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY, toMs),
    }
    if (span.fromMs >= span.toMs) continue
    let vehicleId = vehicle.kind === 'known' ? vehicle.vehicleId : created.get(vehicle.vin)
    if (vehicle.kind === 'new') {
      vehicleId ??= await createVehicle(held, { accountId, deviceId, vin: vehicle.vin })
      created.set(vehicle.vin, vehicleId)
    }
    if (vehicleId === undefined) throw new Error('a placement without a vehicle')
    const last = spans.at(-1)
    if (last?.vehicleId === vehicleId) spans.splice(-1, 1, { ...last, toMs: span.toMs })
    else spans.push({ accountId, vehicleId, ...span })
  }
  return spans
}

interface VehiclesOfVins {
  readonly vehicleOfVin: ReadonlyMap<string, number>
  readonly operatorVins: ReadonlySet<string>
}

/** Finds the vehicles with these VINs, also those whose VIN an operator corrected: the
 * dongle still reads the former one. */
async function readVehiclesOfVins(
  transaction: Transaction,
  accountId: number,
  vins: readonly string[],
): Promise<VehiclesOfVins> {
  if (vins.length === 0) return { vehicleOfVin: new Map(), operatorVins: new Set() }
  const publicIds = vins.map(vin => `VIN${vin}`)
  const rows = await transaction.rows<{ vin: string; vehicle_id: number; is_operators: boolean }>(sql`
    select substr(f.public_id, 4) as vin, v.id as vehicle_id, false as is_operators
    from former_vehicle_ids f join vehicles v on v.id = f.vehicle_id
    where f.account_id = ${accountId} and f.public_id = any(${publicIds}::text[]) and f.by_operator
    union all
    select vin, id, vin_by_operator from vehicles
    where account_id = ${accountId} and public_id = any(${publicIds}::text[])`)
  return {
    vehicleOfVin: new Map(rows.map(row => [row.vin, row.vehicle_id])),
    operatorVins: new Set(rows.filter(row => row.is_operators).map(row => row.vin)),
  }
}

/** The vehicles, but for `except`, that exist only because this device read these VINs in
 * the account, unchanged by operators. */
async function readOwnOfVins(
  transaction: Transaction,
  {
    deviceId,
    tenure: { accountId, fromMs, toMs },
    vins,
    except,
  }: { deviceId: DeviceId; tenure: Tenure; vins: readonly string[]; except: readonly number[] },
): Promise<Map<string, number>> {
  if (vins.length === 0) return new Map()
  const rows = await transaction.rows<{ vin: string; id: number }>(sql`
    select vin, id from vehicles v
    where account_id = ${accountId} and public_id = any(${vins.map(vin => `VIN${vin}`)}::text[])
      and first_device_id = ${deviceId} and v.id <> all(${except}::bigint[]) and ${NOTHING_SET}
      and exists (select from assignments a where a.vehicle_id = v.id and a.device_id = ${deviceId})
      and not exists (
        select from assignments a where a.vehicle_id = v.id and (a.device_id <> ${deviceId}
          or a.from_time < ${instantOfMs(fromMs)} or a.from_time >= ${instantOfMs(toMs)}))
      and not exists (select from operator_moves m where m.vehicle_id = v.id)`)
  return new Map(rows.map(row => [row.vin, row.id]))
}

/** The vehicle that stands for a device: that of its `IMEI_…`; else the one it joined with, if an operator gave that
 * its VIN; else that of its first assignment. */
async function readHome(transaction: Transaction, deviceId: DeviceId, tenure: Tenure): Promise<Home> {
  const { accountId, firstVehicleId } = tenure
  const [row] = await transaction.rows<{ id: number }>(sql`
    with own as (
      select id, vin, vin_by_operator, min(id) over () as first_id
      from vehicles v where account_id = ${accountId} and first_device_id = ${deviceId}
        and not exists (
          select from operator_moves m where m.device_id = ${deviceId} and m.vehicle_id = v.id and m.is_new_vehicle)
    )
    select id, 1 as preference from own where vin is null
    union all select id, 2 from own where id = first_id and vin_by_operator
    union all select ${firstVehicleId}::bigint, 3
    order by preference limit 1`)
  return readVehicleAs(transaction, { deviceId, tenure }, row?.id ?? firstVehicleId)
}

/** A vehicle that stands for a device during one tenure. Each tenure is placed by itself, so what the device read in
 * another one counts like readings of another device. */
async function readVehicleAs(
  transaction: Transaction,
  { deviceId, tenure: { fromMs, toMs } }: { readonly deviceId: DeviceId; readonly tenure: Tenure },
  vehicleId: number,
): Promise<Home> {
  const [row] = await transaction.rows<Omit<Home, 'vin'> & { readonly vin: string | null }>(sql`
    select v.id as "vehicleId", v.vin, v.vin_by_operator as "isByOperator", v.first_device_id = ${deviceId} as "isOwn",
      v.vin is not null and exists (
        select from assignments a join vin_runs r on r.device_id = a.device_id and r.vin = v.vin
        where a.vehicle_id = v.id and (a.device_id <> ${deviceId}
          or (a.to_time <= ${instantOfMs(fromMs)} or a.from_time >= ${instantOfMs(toMs)})
            and r.first_time >= a.from_time and r.first_time < a.to_time)) as "isShared",
      exists (select from operator_moves m where m.vehicle_id = v.id) as "isChosen"
    from vehicles v where v.id = ${vehicleId}`)
  if (!row) throw new Error(`the device ${deviceId} is assigned to a vehicle that does not exist`)
  return { ...row, vin: row.vin ?? undefined }
}

/** Sets the VIN read in a vehicle, or removes a wrong one; no other vehicle of the account may have it.
 * @param deviceId for which it stands without a VIN; undefined to leave that as it is */
export async function nameHome(
  held: HeldVins,
  { accountId, deviceId }: { readonly accountId: number; readonly deviceId: DeviceId | undefined },
  { vehicleId }: Pick<Home, 'vehicleId'>,
  vin: string | undefined,
): Promise<void> {
  const transaction = held.transactionFor(accountId)
  const [row] = await transaction.rows<{ before: string; now: string }>(sql`
    update vehicles v set vin = ${vin ?? null},
      make = case when v.make_by_operator then v.make else ${vin === undefined ? '' : makeOfVin(vin)} end,
      first_device_id = case when ${vin === undefined} then coalesce(${deviceId ?? null}::bigint, v.first_device_id)
        else v.first_device_id end,
      modified = ${await transaction.takeRevisions(1)}::timestamptz
    from (select id, public_id from vehicles where id = ${vehicleId} for update) old
    where v.id = old.id returning old.public_id as before, v.public_id as now`)
  if (!row) throw new Error(`the vehicle ${vehicleId} is gone`)
  await afterRename(transaction, { accountId, vehicleId }, { ...row, isByOperator: false })
}
