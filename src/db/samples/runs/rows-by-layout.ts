import type { DeviceId } from '../../../model/sample.ts'
import { type CopiedRow, rowsOfCopy } from '../../copied-row.ts'
import { sql } from '../../sql.ts'
import { instantOfMs } from '../../values.ts'
import type { HistorySource } from '../history-source.ts'
import type { Interval } from '../interval.ts'
import { OWN_LAYOUT_ID } from '../layouts.ts'
import { msOfPostgres } from '../packed-samples.ts'
import { ofDevices } from '../sealed/sealed-days.ts'
import { inOrder, OwnRun, type PackedColumns, PackedRun } from './packed-run.ts'
import type { SampleRun } from './sample-run.ts'
import type { WantedTypes } from './wanted-types.ts'

interface Rows {
  readonly runs: readonly SampleRun[]
  readonly count: number
  /** Of the last one. */
  readonly lastMs: number
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
 * Samples of a device in an interval, by layout: PostgreSQL takes a third less for that than for the same with a layout for each, and this
 * process need not make an object of each.
 */
export async function readRows(
  source: HistorySource,
  { deviceId, fromMs, toMs }: Interval,
  { most, areFirst }: Part,
  wanted: WantedTypes,
): Promise<Rows> {
  const order = areFirst ? sql`order by s.time` : sql``
  const rows = rowsOfCopy(
    await source.copied(sql`
      select layout_id, array_agg(time), string_agg(numbers, ''::bytea),
        string_agg(int4send(octet_length(texts::text)) || convert_to(texts::text, 'UTF8'), ''::bytea)
          filter (where texts is not null)
      from (
        select s.time, s.layout_id, s.numbers, s.texts from samples s
        where s.device_id = ${deviceId} and s.time >= ${instantOfMs(fromMs)} and s.time < ${instantOfMs(toMs)}
        ${order} limit ${most}) as s
      group by layout_id
      union all
      (select null, null, null, null from sealed_days d where ${ofDevices([deviceId], { fromMs, toMs })} limit 1)`),
  )
  const groups = rows.flatMap(row => groupOf(deviceId, row) ?? [])
  const { layouts } = source
  await layouts.load(
    groups.map(({ layoutId }) => layoutId),
    source,
  )
  return {
    runs: groups.map(({ layoutId, columns }) => {
      if (layoutId === OWN_LAYOUT_ID) return new OwnRun(inOrder(columns, undefined))
      const layout = layouts.byId(layoutId)
      return new PackedRun(inOrder(columns, layout), layout, wanted)
    }),
    count: groups.reduce((sum, { columns }) => sum + columns.timesMs.length, 0),
    lastMs: groups.reduce((last, { columns }) => columns.timesMs.reduce((a, b) => Math.max(a, b), last), fromMs),
    touchesSealed: groups.length < rows.length,
  }
}

/** @returns undefined for the row that says that there are sealed days */
function groupOf(deviceId: DeviceId, [layoutId, times = NONE, numbers = NONE, texts = NONE]: CopiedRow) {
  if (!layoutId) return undefined
  const columns: PackedColumns = { deviceId, timesMs: timesOf(times), numbers, texts }
  return { layoutId: layoutId.readInt32BE(0), columns }
}

/** Before the elements of an array of one dimension. */
const ARRAY_HEAD_BYTES = 20
/** The length of the element, and eight bytes. */
const ELEMENT_BYTES = 12

function timesOf(array: Buffer): Float64Array {
  const timesMs = new Float64Array((array.length - ARRAY_HEAD_BYTES) / ELEMENT_BYTES)
  const view = new DataView(array.buffer, array.byteOffset, array.byteLength)
  let at = ARRAY_HEAD_BYTES + 4
  for (let index = 0; index < timesMs.length; index++, at += ELEMENT_BYTES)
    timesMs[index] = msOfPostgres(view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4))
  return timesMs
}
