import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { currentDeviceOf } from '../records/current-device.ts'
import type { CarColumns, DeviceEntry } from './device-entry.ts'

/** A dongle that exists, with the car that it is in now. */
export interface KnownDevice extends CarColumns {
  readonly id: DeviceId
  readonly firmware_version: string
  readonly hardware_set: string
  readonly account_id: number
  readonly account_name: string
  readonly vehicle_id: number
  readonly public_id: string
  readonly vin: string | null
  readonly vin_by_operator: boolean
  readonly make_by_operator: boolean
}

/** A car that has a VIN. */
interface KnownCar {
  readonly vehicleId: number
  readonly publicId: string
  /** The dongle that it has now. */
  readonly deviceId: DeviceId | null
}

/** What is stored of the dongles and VINs in some entries. */
export interface KnownFleet {
  readonly devices: ReadonlyMap<DeviceId, KnownDevice>
  carOfVin(accountId: number, vin: string): KnownCar | undefined
}

export async function readKnownFleet(transaction: Transaction, entries: readonly DeviceEntry[]): Promise<KnownFleet> {
  const devices = await transaction.rows<KnownDevice>(sql`
    select d.id, d.firmware_version, d.hardware_set, a.account_id, c.name as account_name, a.vehicle_id, v.public_id, v.vin,
      v.vin_by_operator, v.make_by_operator, v.license_plate, v.make, v.model, v.vehicle, v.fuel_type_set, v.kba,
      v.tecdoc_make_id, v.tecdoc_model_id, v.tecdoc_vehicle_id
    from devices d
    join assignments a on a.device_id = d.id and a.to_time = 'infinity'
    join accounts c on c.id = a.account_id
    join vehicles v on v.id = a.vehicle_id
    where d.id = any(${entries.map(entry => entry.deviceId)}::bigint[])`)
  const cars = await transaction.rows<{
    account_id: number
    vin: string
    id: number
    public_id: string
    device_id: DeviceId | null
  }>(sql`
    select v.account_id, v.vin, v.id, v.public_id, ${currentDeviceOf(sql`v.id`)} as device_id
    from vehicles v where v.vin = any(${entries.flatMap(entry => entry.vin ?? [])}::text[])`)
  const carByKey = new Map(
    cars.map(row => [
      `${row.account_id} ${row.vin}`,
      { vehicleId: row.id, publicId: row.public_id, deviceId: row.device_id },
    ]),
  )
  return {
    devices: new Map(devices.map(row => [row.id, row])),
    carOfVin: (accountId, vin) => carByKey.get(`${accountId} ${vin}`),
  }
}
