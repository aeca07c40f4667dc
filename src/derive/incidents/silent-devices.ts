import { sql } from '../../db/sql.ts'
import { STANDS } from './rows/stored-incidents.ts'

/**
 * Selects devices with incidents that are open although nothing came for longer than they can go on without, and devices that were silent for
 * as long as a rule asks for that has not found it yet, with a reason that is another one when their rules changed.
 */
export const SILENT_BY_RULES = sql`
  select found.device_id, concat_ws(' ', 'rules', (
    select max(b.revision) from assignments a join rule_books b on b.account_id = a.account_id
    where a.device_id = found.device_id and a.to_time = 'infinity')) as reason
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
  ) found`
