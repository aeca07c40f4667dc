import type { Connection } from '../../db/database.ts'
import { isNobodyElses } from '../../db/shards/kept-shards.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'
import { STANDS } from './rows/stored-incidents.ts'

/** A dongle that fell silent. */
interface SilentDevice {
  readonly deviceId: DeviceId
  /** Another text after its next sample, or when its rules changed. */
  readonly silence: string
}

interface SilentOptions {
  /** By id. */
  readonly after: number
  /** One from which anything arrived within that time is sending a backlog. */
  readonly pauseMs: number
  readonly most: number
  readonly leaseOwner: number | undefined
}

/**
 * Devices with incidents that are open although nothing came for longer than they can go on without, and devices that were silent for as
 * long as a rule asks for that has not found it yet. After the clock was set back, the last arrival may seem to lie in the future.
 */
export async function readSilentDevices(
  connection: Connection,
  { after, pauseMs, most, leaseOwner }: SilentOptions,
): Promise<SilentDevice[]> {
  const rows = await connection.rows<{ device_id: DeviceId; silence: string }>(
    sql`
      select s.device_id, concat_ws(' ', s.last_time, (
        select max(b.revision) from assignments a join rule_books b on b.account_id = a.account_id
        where a.device_id = s.device_id and a.to_time = 'infinity')) as silence
      from (
        select item.device_id from incidents item join device_states s on s.device_id = item.device_id
        where item.end_time is null and ${STANDS}
          and s.last_time + item.longest_gap_s * interval '1 second' < clock_timestamp()
        union
        select a.device_id from rule_versions w
          join assignments a on a.account_id = w.account_id and a.to_time = 'infinity'
            and (w.vehicle_ids is null or a.vehicle_id = any(w.vehicle_ids))
          join device_states s on s.device_id = a.device_id
        where w.kind = 'OFFLINE' and w.from_time < w.to_time and w.from_time <= clock_timestamp()
          and s.last_time + (w.parameters ->> 'forMinutes')::float8 * interval '1 minute' <= least(w.to_time, clock_timestamp())
          and exists (
            select from rule_versions heard
            where heard.rule_id = w.rule_id and heard.from_time <= s.last_time and heard.to_time > s.last_time)
          and not exists (
            select from incidents item where item.device_id = a.device_id and item.rule_id = w.rule_id
              and item.decided_time = 'infinity' and item.deleted is null)
      ) silent join device_states s on s.device_id = silent.device_id
      where s.device_id > ${after}
        and s.last_received not between clock_timestamp() - ${pauseMs} * interval '1 millisecond'
          and clock_timestamp() + ${pauseMs} * interval '1 millisecond'
        and ${isNobodyElses(sql`s.device_id`, leaseOwner)}
      order by s.device_id limit ${most}`,
    { prepareAs: 'devices-silent-by-rules' },
  )
  return rows.map(row => ({ deviceId: row.device_id, silence: row.silence }))
}
