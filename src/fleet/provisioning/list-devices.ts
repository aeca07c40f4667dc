import type { Connection } from '../../db/database.ts'
import { allOf, sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'

/** A dongle as an operator sees it. */
export interface ListedDevice {
  readonly imei: DeviceId
  readonly account: string
  readonly vehicleId: string
  readonly plate: string
  readonly vin: string | null
  readonly make: string
  readonly model: string
  readonly isOnline: boolean
  /** By the database's clock; null while nothing came. */
  readonly lastReceived: string | null
  readonly hardware: string
  readonly firmware: string
}

/**
 * The dongles of one account or of all, by IMEI.
 * @param search a part of anything that is listed, whatever its letters' case
 */
export function listDevices(
  connection: Connection,
  { account, search }: { readonly account: string | undefined; readonly search: string | undefined },
): Promise<ListedDevice[]> {
  const conditions = [sql`a.to_time = 'infinity'`]
  if (account !== undefined) conditions.push(sql`c.name = ${account}`)
  if (search !== undefined)
    conditions.push(sql`strpos(lower(concat_ws(' ', d.id, v.public_id, v.license_plate, v.vin, v.make, v.model,
      d.hardware_type, d.firmware_version, c.name)), lower(${search})) > 0`)
  return connection.rows<ListedDevice>(sql`
    select d.id as imei, c.name as account, v.public_id as "vehicleId", v.license_plate as plate, v.vin, v.make, v.model,
      d.is_online as "isOnline", s.last_received as "lastReceived", d.hardware_type as hardware,
      d.firmware_version as firmware
    from devices d
    join assignments a on a.device_id = d.id
    join vehicles v on v.id = a.vehicle_id
    join accounts c on c.id = a.account_id
    left join device_states s on s.device_id = d.id
    where ${allOf(conditions)} order by d.id`)
}
