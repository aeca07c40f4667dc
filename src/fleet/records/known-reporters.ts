import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'

/** A dongle that is known, as far as it matters to what comes from it without a key. */
export interface KnownReporter {
  /** The model; empty while nobody knows it. */
  readonly hardwareType: string
  /** Networks (CIDR) from which it may report; empty for anywhere. */
  readonly networks: readonly string[]
  /** Only a key of its account claims it. */
  readonly isClaimed: boolean
}

/** Those of the devices that are known. */
export async function readKnownReporters(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, KnownReporter>> {
  const rows = await connection.rows<KnownReporter & { readonly id: DeviceId }>(
    sql`
      select d.id, d.hardware_type as "hardwareType", d.is_claimed as "isClaimed",
        case when d.networks <> '{}' then d.networks else coalesce(c.networks, '{}') end as networks
      from devices d
      left join assignments a on a.device_id = d.id and a.to_time = 'infinity'
      left join accounts c on c.id = a.account_id
      where d.id = any(${deviceIds}::bigint[]) and d.deleted is null`,
    { prepareAs: 'known-reporters' },
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** The accounts to which those of the dongles belong now that are known. */
export async function readDeviceOwners(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, number>> {
  const rows = await connection.rows<{ device_id: DeviceId; account_id: number }>(
    sql`
      select device_id, account_id from assignments
      where device_id = any(${deviceIds}::bigint[]) and to_time = 'infinity'`,
    { prepareAs: 'device-owners' },
  )
  return new Map(rows.map(row => [row.device_id, row.account_id]))
}
