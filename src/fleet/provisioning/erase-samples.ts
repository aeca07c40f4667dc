import { OWN_LAYOUT_ID } from '../../db/samples/layouts.ts'
import { storedBytesOfAll, storedTextBytes } from '../../db/samples/stored-bytes.ts'
import type { HeldDevice } from '../../db/shards/held-devices.ts'
import { sql } from '../../db/sql.ts'

/**
 * Erases every sample of a dongle. What they took counts no longer for the accounts that had the dongle at their times:
 * about, as it was counted. The caller deletes its assignments afterwards.
 * @param accountIds every account that ever had it
 */
export async function eraseSamples(
  { transaction, deviceId }: HeldDevice,
  accountIds: readonly number[],
): Promise<void> {
  // In the order in which nodes add to them.
  await transaction.rows(sql`
    select 1 from account_volumes where account_id = any(${accountIds}::integer[]) order by account_id, week for update`)
  const [ownTypes, texts] = [
    sql`case when e.layout_id = ${OWN_LAYOUT_ID} then e.texts[1] end`,
    sql`case when e.layout_id = ${OWN_LAYOUT_ID} then e.texts[2:] else e.texts end`,
  ]
  await transaction.rows(sql`
    with erased as (
      delete from samples where device_id = ${deviceId} returning time, layout_id, texts
    ), alike as (
      select a.account_id, date_trunc('week', e.time at time zone 'UTC')::date as week, e.layout_id, ${ownTypes} as own_types,
        count(*) as samples, sum(${storedTextBytes(texts)}) as text_bytes
      from erased e join assignments a on a.device_id = ${deviceId} and a.from_time <= e.time and e.time < a.to_time
      group by 1, 2, 3, 4
    ), freed as (
      select alike.account_id, week,
        sum(${storedBytesOfAll(sql`coalesce(h.types, own_types::smallint[])`, sql`samples`, sql`text_bytes`)}) as bytes
      from alike left join layouts h on h.id = layout_id group by 1, 2
    )
    update account_volumes v set bytes = greatest(0, v.bytes - freed.bytes)::bigint
    from freed where v.account_id = freed.account_id and v.week = freed.week`)
}
