import { areSamplesDistributed } from '../db/citus.ts'
import { rowOfCopy } from '../db/copied-row.ts'
import { sql } from '../db/sql.ts'
import { instantOfMs } from '../db/values.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { HistorySource } from './history-source.ts'
import { CHUNK_COLUMNS, chunkOf, numbersOf, type RawSample, samplesOfChunk, textsOf } from './packed-samples.ts'
import { ListedRun, MergedRuns, type SampleCursor } from './runs/sample-run.ts'
import { SealedRun } from './runs/sealed-run.ts'
import type { WantedTypes } from './runs/wanted-types.ts'
import { sealedDaysOf } from './sealed/days-of-history.ts'
import { ofDevices } from './sealed/sealed-days.ts'

/** So many are held at once at most. */
const MOST_SAMPLES = 20_000

/**
 * All samples of several short stretches of a device in one statement, and what is sealed of them in another one: to plan and begin one costs
 * as much as to read a thousand samples.
 * @param stretches finite, ascending and without overlaps
 * @returns those of each; undefined where there are too many: then they are to be read one by one
 */
export async function readStretches(
  source: HistorySource,
  deviceId: DeviceId,
  stretches: readonly TimeRange[],
  wanted: WantedTypes,
): Promise<readonly SampleCursor[] | undefined> {
  const [first, last] = [stretches[0], stretches.at(-1)]
  if (!first || !last || (await areSamplesDistributed(source))) return undefined
  const from = stretches.map(({ fromMs }) => instantOfMs(fromMs))
  const to = stretches.map(({ toMs }) => instantOfMs(toMs))
  const ordered = sql`
    select ${CHUNK_COLUMNS} from unnest(${from}::timestamptz[], ${to}::timestamptz[]) as piece (from_time, to_time)
    cross join lateral (
      select * from samples inner_s
      where inner_s.device_id = ${deviceId} and inner_s.time >= piece.from_time and inner_s.time < piece.to_time
      order by inner_s.time limit ${MOST_SAMPLES}
    ) as s
    order by s.time limit ${MOST_SAMPLES}`
  const range = { fromMs: first.fromMs, toMs: last.toMs }
  const options = { deviceId, sealed: sql`exists (select 1 from sealed_days d where ${ofDevices([deviceId], range)})` }
  const { layouts } = source
  const row = rowOfCopy(await source.copied(chunkOf(ordered, options)))
  const { samples, touchesSealed } = await samplesOfChunk(row, layouts, ids => layouts.load(ids, source), options)
  if (samples.length === MOST_SAMPLES) return undefined
  // Rows first: sealing moves samples from there to sealed days, never back.
  const days = touchesSealed ? await sealedDaysOf(source, deviceId, stretches) : []
  if (!days) return undefined
  let next = 0
  return stretches.map(({ fromMs, toMs }) => {
    const own: Sample[] = []
    for (let raw = samples[next]; raw && raw.timeMs < toMs; raw = samples[++next]) own.push(sampleOfRaw(raw))
    const ofStretch = days.filter(({ day }) => day.fromMs < toMs && day.toMs > fromMs)
    const bodies = ofStretch.map(({ body }) => body)
    return new MergedRuns([new ListedRun(own), new SealedRun(deviceId, bodies, { fromMs, toMs }, wanted)])
  })
}

function sampleOfRaw(raw: RawSample): Sample {
  const { deviceId, timeMs, layout } = raw
  return { deviceId, timeMs, types: layout.types, numbers: numbersOf(raw), texts: textsOf(raw) }
}
