import { rowOfCopy } from '../../db/copy.ts'
import { sql } from '../../db/sql.ts'
import { instantOfMs } from '../../db/values.ts'
import type { HistorySource } from '../history-source.ts'
import type { Interval } from '../interval.ts'
import { ofDevices } from '../sealed/sealed-days.ts'
import { type Extent, extentOf, PackedRun } from './packed-run.ts'
import type { SampleRun } from './sample-run.ts'
import type { WantedTypes } from './wanted-types.ts'

interface Rows extends Pick<Extent, 'count' | 'lastMs'> {
  readonly run: SampleRun
  /** Whether there are sealed days in the interval. */
  readonly touchesSealed: boolean
}

/** Which samples of an interval. */
interface Part {
  /** At most so many. */
  readonly most: number
  /** Whether it must be the first ones. To sort samples takes PostgreSQL as long as to find them. */
  readonly areFirst: boolean
}

const NONE = Buffer.alloc(0)

/**
 * Samples of a device in an interval, as columns: this process need not make an object of each. Two columns for all, because each takes
 * PostgreSQL a tenth of what it takes to find the samples; to group them by layout took a fifth.
 */
export async function readRows(
  source: HistorySource,
  { deviceId, fromMs, toMs }: Interval,
  { most, areFirst }: Part,
  wanted: WantedTypes,
): Promise<Rows> {
  const order = areFirst ? sql`order by s.time` : sql``
  const row = rowOfCopy(
    await source.copied(sql`
      select string_agg(timestamptz_send(time) || int4send(layout_id), ''::bytea), string_agg(numbers, ''::bytea),
        string_agg(int4send(octet_length(texts::text)) || convert_to(texts::text, 'UTF8'), ''::bytea)
          filter (where texts is not null),
        exists (select 1 from sealed_days d where ${ofDevices([deviceId], { fromMs, toMs })})
      from (
        select s.time, s.layout_id, s.numbers, s.texts from samples s
        where s.device_id = ${deviceId} and s.time >= ${instantOfMs(fromMs)} and s.time < ${instantOfMs(toMs)}
        ${order} limit ${most}) as s`),
  )
  const [heads = NONE, numbers = NONE, texts = NONE, sealed = NONE] = row ?? []
  const columns = { deviceId, heads, numbers, texts }
  const extent = extentOf(columns)
  const { count, lastMs, layoutIds } = extent
  const { layouts } = source
  await layouts.load(layoutIds, source)
  return { run: new PackedRun(columns, extent, layouts, wanted), count, lastMs, touchesSealed: sealed[0] === 1 }
}
