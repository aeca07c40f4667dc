import { KEEPER_LOCK_KIND } from '../advisory-locks.ts'
import type { Connection } from '../database.ts'
import { type Statement, sql } from '../sql.ts'
import type { Transaction } from '../transaction.ts'
import { LANE_COUNT } from './lanes.ts'

/** From now on somebody else remembers what waits in these lanes, where nothing waits at the moment. */
export async function writeKeeper(
  transaction: Transaction,
  lanes: readonly number[],
  keeper: number | undefined,
): Promise<void> {
  await transaction.rows(sql`
    update lanes set keeper = ${keeper ?? null}::bigint, waiting_since = null where lane = any(${lanes}::smallint[])`)
}

/** In these lanes samples wait that were stored with this stamp or later; undefined when none does any more. */
export async function writeWaitingSince(
  transaction: Transaction,
  lanes: readonly number[],
  stored: string | undefined,
): Promise<void> {
  if (lanes.length === 0) return
  await transaction.rows(
    sql`update lanes set waiting_since = ${stored ?? null}::timestamptz where lane = any(${lanes}::smallint[])`,
    { prepareAs: 'write-waiting-since' },
  )
}

/**
 * Whether a device is in no lane of which another process remembers what waits: that one sees to its devices, and taking
 * the lane away would only make both slower.
 * @param deviceId a column
 */
export function isNobodyElses(deviceId: Statement, keeper: number): Statement {
  return sql`not exists (
    select from lanes where lane = ${deviceId} % ${LANE_COUNT} and waiting_since is not null and keeper <> ${keeper})`
}

/** Lanes in which samples wait that nobody remembers any more: their keeper does not run. */
export async function readForsakenLanes(connection: Connection): Promise<number[]> {
  const rows = await connection.rows<{ lane: number }>(sql`
    with waiting as materialized (select keeper from lanes where waiting_since is not null group by keeper),
    -- Taken for the length of this statement, where whoever runs under that number does not hold it.
    gone as materialized (
      select keeper from waiting where pg_try_advisory_xact_lock(${KEEPER_LOCK_KIND}::integer, keeper::integer))
    select lane from lanes join gone using (keeper) where waiting_since is not null order by lane`)
  return rows.map(row => row.lane)
}
