import type { EventTypeId } from '../../catalogue/event-types.ts'
import { sql } from '../../db/sql.ts'
import type { DeviceId, Sample } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { ReadingDirection } from '../growing-windows.ts'
import type { SampleSource } from '../sample-source.ts'
import { havingTypes, nextSealedDay, ofDevices, readSealedDays } from './sealed-days.ts'

interface Wanted extends TimeRange {
  readonly deviceId: DeviceId
  readonly direction: ReadingDirection
  readonly types?: readonly EventTypeId[]
  readonly most: number
}

/**
 * The first samples of a device in a direction, from rows of `samples` that were read already, and from sealed days.
 * @param hot the first rows in that direction, at most `most`; fewer when there are no more
 * @returns at most `most`; fewer when there are no more
 */
export async function withSealedDays(
  source: SampleSource,
  hot: readonly Sample[],
  { deviceId, fromMs, toMs, direction, types, most }: Wanted,
): Promise<Sample[]> {
  const isAscending = direction === 'ascending'
  const last = hot.length < most ? undefined : hot.at(-1)?.timeMs
  // Behind the last row there may be others, which were not read.
  let left: TimeRange = {
    fromMs: isAscending ? fromMs : (last ?? fromMs),
    toMs: isAscending && last !== undefined ? Math.min(toMs, last + 1) : toMs,
  }
  const times = new Set(hot.map(({ timeMs }) => timeMs))
  const sealed: Sample[] = []
  while (sealed.length < most && left.fromMs < left.toMs) {
    const which = sql`${ofDevices([deviceId], left)} and ${havingTypes(types)}`
    const day = await nextSealedDay(source, which, direction)
    if (!day) break
    for (const { body } of await readSealedDays(source, ofDevices([deviceId], day))) {
      const { first, end } = body.placesIn(left)
      const holds = body.holding(types)
      for (let step = 0; step < end - first && sealed.length < most; step++) {
        const place = isAscending ? first + step : end - 1 - step
        if (holds(place) && !times.has(body.timeMsAt(place))) sealed.push(plain(body.sampleAt(deviceId, place)))
      }
    }
    left = isAscending ? { ...left, fromMs: day.toMs } : { ...left, toMs: day.fromMs }
  }
  if (sealed.length === 0) return [...hot]
  const order = isAscending ? 1 : -1
  return [...hot, ...sealed].sort((a, b) => order * (a.timeMs - b.timeMs)).slice(0, most)
}

/** Without what only rows have. */
export function plain({ deviceId, timeMs, types, numbers, texts }: Sample): Sample {
  return { deviceId, timeMs, types, numbers, texts }
}
