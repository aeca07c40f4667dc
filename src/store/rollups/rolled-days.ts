import { sql } from '../../db/sql.ts'
import { instantOfMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { RawConnection } from '../raw-connection.ts'
import { DAY_MS, dayStartMs, dayText } from '../sealed/days.ts'
import { isKnownRollup, RollupBody } from './read-rollup-body.ts'

/**
 * The rollups of the sealed days of a device that lie in a range as far as they say everything of their day: not where late samples stand
 * beside it as rows. In the order of time.
 * @param range finite
 */
export async function readRolledDays(
  source: Pick<RawConnection, 'rows' | 'row'>,
  deviceId: DeviceId,
  range: TimeRange,
): Promise<RollupBody[]> {
  const days = sql`
    select day, rollup from sealed_days
    where device_id = ${deviceId} and day between ${dayText(range.fromMs)}::date and ${dayText(range.toMs - 1)}::date
      and rollup is not null`
  const rows = sql`
    from samples s where s.device_id = ${deviceId}
      and s.time >= ${instantOfMs(dayStartMs(range.fromMs))} and s.time < ${instantOfMs(dayStartMs(range.toMs - 1) + DAY_MS)}`
  const [rollups, hasRows] =
    (await source.row(sql`
    select joined, exists (select ${rows} and s.time >= first and s.time < beyond)
    from (select ${JOINED} as joined, min(day) as first, max(day) + 1 as beyond from (${days}) as days) as together`)) ??
    []
  if (hasRows?.[0] !== 1) return bodiesOf(rollups)
  // Days with rows come first: sealing moves samples from there to here and never back, so none is missed.
  const withRows = await source.rows<{ day: string }>(sql`
    with recursive days_with_rows (day) as (
      (select s.time::date ${rows} order by s.time limit 1)
      union all
      select (select s.time::date ${rows} and s.time >= w.day + 1 order by s.time limit 1)
      from days_with_rows w where w.day is not null
    )
    select day::text as day from days_with_rows where day is not null`)
  const [others] =
    (await source.row(sql`
      select ${JOINED} from (${days} and day <> all (${withRows.map(({ day }) => day)}::date[])) as days`)) ?? []
  return bodiesOf(others)
}

/** The rollups of `days`, each behind its length. */
const JOINED = sql`string_agg(int4send(octet_length(rollup)) || rollup, ''::bytea order by day)`
const LENGTH_BYTES = 4

function bodiesOf(joined: Buffer | undefined): RollupBody[] {
  const bodies: RollupBody[] = []
  if (!joined) return bodies
  for (let at = 0; at < joined.length; ) {
    const start = at + LENGTH_BYTES
    at = start + joined.readInt32BE(at)
    const rollup = joined.subarray(start, at)
    if (isKnownRollup(rollup)) bodies.push(new RollupBody(rollup))
  }
  return bodies
}
