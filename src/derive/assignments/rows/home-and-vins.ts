import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { instantOfMs } from '../../../db/values.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { Home } from '../derive/placement.ts'
import type { Tenure } from './assignment-rows.ts'
import { NOTHING_SET } from './operators-word.ts'

/** The vehicles of an account that VINs lead to. */
interface VehiclesOfVins {
  readonly vehicleOfVin: ReadonlyMap<string, number>
  /** VINs that operators entered. */
  readonly operatorVins: ReadonlySet<string>
}

/**
 * Finds the vehicles with these VINs, including those whose VIN an operator has replaced: the dongle still reads the VIN that
 * the operator corrected.
 */
export async function readVehiclesOfVins(
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

/**
 * The vehicles that were created only because this device read these VINs while it belonged to the account, and that no
 * operator has changed.
 * @param except vehicles to leave out
 */
export async function readOwnOfVins(
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

/**
 * The vehicle that stands for a device: the one that answers to its `IMEI_…`; otherwise the one with which it joined, if an operator
 * gave that its VIN; otherwise the one of its first assignment.
 */
export async function readHome(transaction: Transaction, deviceId: DeviceId, tenure: Tenure): Promise<Home> {
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

/**
 * A vehicle that stands for a device during one tenure. What the device read in it during another tenure counts like the readings
 * of another device, because each tenure is placed by itself.
 */
export async function readVehicleAs(
  transaction: Transaction,
  { deviceId, tenure: { fromMs, toMs } }: { readonly deviceId: DeviceId; readonly tenure: Tenure },
  vehicleId: number,
): Promise<Home> {
  const [row] = await transaction.rows<HomeRow>(sql`
    select v.id, v.vin, v.vin_by_operator, v.first_device_id = ${deviceId} as is_own,
      v.vin is not null and exists (
        select from assignments a join vin_runs r on r.device_id = a.device_id and r.vin = v.vin
        where a.vehicle_id = v.id and (a.device_id <> ${deviceId}
          or (a.to_time <= ${instantOfMs(fromMs)} or a.from_time >= ${instantOfMs(toMs)})
            and r.first_time >= a.from_time and r.first_time < a.to_time)) as is_shared,
      exists (select from operator_moves m where m.vehicle_id = v.id) as is_chosen
    from vehicles v where v.id = ${vehicleId}`)
  if (!row) throw new Error(`the device ${deviceId} is assigned to a vehicle that does not exist`)
  return {
    vehicleId: row.id,
    vin: row.vin ?? undefined,
    isByOperator: row.vin_by_operator,
    isOwn: row.is_own,
    isShared: row.is_shared,
    isChosen: row.is_chosen,
  }
}

interface HomeRow {
  readonly id: number
  readonly vin: string | null
  readonly vin_by_operator: boolean
  readonly is_own: boolean
  readonly is_shared: boolean
  readonly is_chosen: boolean
}
