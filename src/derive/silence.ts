import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'
import { markDue, NOTHING_TO_FOLD, PRIORITY } from './due.ts'
import { SILENT_BY_RULES } from './incidents/silence.ts'

/** While a dongle uploads old samples, its newest sample is old although what it reports goes on. */
const BACKLOG_PAUSE_MS = 2000

/** The silences of devices that were marked: they need not be again. A text is another one after the next sample. */
export type KnownSilence = Map<DeviceId, string>

/** Marks silent dongles: their trip or incident cannot go on, or a rule asks for their silence. Not those with
 * something due. After the clock was set back, the last arrival may lie ahead. @param known changed in place */
export async function markSilent(
  database: Database,
  known: KnownSilence,
  pauseMs: number = BACKLOG_PAUSE_MS,
): Promise<number> {
  const rows = await database.rows<{ device_id: DeviceId; silence: string }>(
    sql`
      select s.device_id, concat_ws(' ', s.last_received, string_agg(silent.reason, ' ' order by silent.reason)) as silence
      from (
        select open.device_id, 'trip' as reason from device_states open
        where open.trip_silent_from < clock_timestamp()
          -- Of hardly any: joined, the trip of every dongle on the road is looked up.
          and (select t.is_open from trips t where t.device_id = open.device_id and t.id = open.trip_id)
        union all ${SILENT_BY_RULES}
      ) silent join device_states s on s.device_id = silent.device_id
      where s.last_received not between clock_timestamp() - ${pauseMs} * interval '1 millisecond'
          and clock_timestamp() + ${pauseMs} * interval '1 millisecond'
        and not exists (select from due d where d.device_id = s.device_id and d.kind = 'samples')
      group by s.device_id, s.last_received`,
    { prepareAs: 'silent-devices-to-mark' },
  )
  const silent = new Map(rows.map(row => [row.device_id, row.silence]))
  const marks = [...silent].filter(([deviceId, silence]) => known.get(deviceId) !== silence)
  if (marks.length > 0)
    await writeTransaction(database, transaction =>
      mark(
        transaction,
        marks.map(([id]) => id),
      ),
    )
  known.clear()
  for (const [deviceId, silence] of silent) known.set(deviceId, silence)
  return marks.length
}

function mark(transaction: Transaction, deviceIds: readonly DeviceId[]): Promise<unknown> {
  return markDue(
    transaction,
    deviceIds.map(deviceId => ({ deviceId, ...NOTHING_TO_FOLD, priority: PRIORITY.silence })),
  )
}
