import type { Connection } from '../../../db/database.ts'
import type { RejectionReason } from '../../../db/rejected-frames.ts'
import { sql } from '../../../db/sql.ts'

interface RefusedRow {
  readonly last: string
  readonly times: number
  readonly gateway: string
  readonly deviceId: number | null
  readonly sender: string
  readonly reason: RejectionReason
  readonly why: string
  readonly isKnown: boolean
}

const MOST_SENDERS = 100

/**
 * Who was refused, the last one first; each sender with the same reason once.
 * @param accountId only dongles that this account has now; undefined for all
 */
export function readRefusedSenders(connection: Connection, accountId: number | undefined): Promise<RefusedRow[]> {
  return connection.rows<RefusedRow>(sql`
    with grouped as (
      select gateway, device_id, sender, reason, (array_agg(why order by id desc))[1] as why,
        max(received) as last, count(*)::integer as times
      from rejected_frames f
      where ${accountId ?? null}::integer is null or exists (
        select from assignments a
        where a.device_id = f.device_id and a.to_time = 'infinity' and a.account_id = ${accountId ?? null}::integer)
      group by gateway, device_id, sender, reason)
    select gateway, device_id as "deviceId", sender, reason, why, last, times,
      exists (select from devices d where d.id = device_id and d.deleted is null) as "isKnown"
    from grouped order by last desc, sender limit ${MOST_SENDERS}`)
}
