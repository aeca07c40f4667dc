import { revised, unnestOf } from '../../../db/bulk-rows.ts'
import type { Connection } from '../../../db/database.ts'
import type { HeldDevices } from '../../../db/shards/held-devices.ts'
import { isNobodyElses } from '../../../db/shards/kept-shards.ts'
import { type Statement, sql } from '../../../db/sql.ts'
import type { DeviceId } from '../../../model/sample.ts'

/** Of an open incident `item` of a device with the state `s`: nothing came for longer than it can go on without. */
const IS_SILENT = sql`
  item.end_time is null and item.deleted is null
  and s.last_time + item.longest_gap_s * interval '1 second' < clock_timestamp()`

/**
 * Devices after `after`, by id, with incidents that are open although the dongle fell silent. One from which anything arrived within
 * `pauseMs` is sending a backlog. After the clock was set back, the last arrival may seem to lie in the future.
 */
export async function readDevicesWithSilentIncidents(
  connection: Connection,
  {
    after,
    pauseMs,
    leaseOwner,
    most,
  }: Readonly<Record<'after' | 'pauseMs' | 'most', number>> & { readonly leaseOwner: number | undefined },
): Promise<DeviceId[]> {
  const rows = await connection.rows<{ device_id: DeviceId }>(
    sql`
      select distinct item.device_id from incidents item join device_states s on s.device_id = item.device_id
      where item.device_id > ${after} and ${IS_SILENT}
        and s.last_received not between clock_timestamp() - ${pauseMs} * interval '1 millisecond'
          and clock_timestamp() + ${pauseMs} * interval '1 millisecond'
        and ${isNobodyElses(sql`item.device_id`, leaseOwner)}
      order by item.device_id limit ${most}`,
    { prepareAs: 'devices-with-silent-incidents' },
  )
  return rows.map(row => row.device_id)
}

/**
 * Ends what goes on at dongles that fell silent, with their last sample. The fold is left unchanged, so that an incident goes on when
 * later samples show it.
 * @returns how many ended
 */
export async function endIncidentsIfSilent(held: HeldDevices): Promise<number> {
  const { transaction, deviceIds } = held
  const silent = await transaction.rows<{ id: number; device_id: DeviceId }>(silentOf(deviceIds))
  if (silent.length === 0) return 0
  const rows = await revised(transaction, silent)
  await transaction.rows(sql`
    update incidents item set end_time = greatest(s.last_time, item.start_time), modified = u.modified
    from ${unnestOf({ device_id: 'bigint', id: 'bigint', modified: 'timestamptz' }, rows)}
      join device_states s on s.device_id = u.device_id
    where item.device_id = u.device_id and item.id = u.id`)
  return silent.length
}

function silentOf(deviceIds: readonly DeviceId[]): Statement {
  return sql`
    select item.id, item.device_id from incidents item join device_states s on s.device_id = item.device_id
    where item.device_id = any(${deviceIds}::bigint[]) and ${IS_SILENT} order by item.device_id, item.id`
}
