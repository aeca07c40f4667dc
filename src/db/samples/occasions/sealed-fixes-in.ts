import { requiredEventType } from '../../../catalogue/event-types.ts'
import { perLayout, SampleLayout } from '../../../model/sample-layout.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import type { HistorySource } from '../history-source.ts'
import type { Interval } from '../interval.ts'
import { SealedRun } from '../runs/sealed-run.ts'
import { WantedTypes } from '../runs/wanted-types.ts'
import { sealedDaysIn } from '../sealed/days-of-history.ts'
import { Spans } from './spans.ts'

/** In degrees. */
export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

const POSITION = requiredEventType('POSITION')
const placeIn = perLayout(layout => ({ index: layout.indexOf(POSITION) }))

/** When sealed days have fixes in a box: only their columns of positions are unpacked. */
export async function* sealedFixesIn(
  source: HistorySource,
  { deviceId, fromMs, toMs }: Interval,
  boxes: readonly Box[],
): AsyncGenerator<TimeRange> {
  const wanted = new WantedTypes([POSITION.id])
  for await (const days of sealedDaysIn(source, { deviceId, fromMs, toMs }, [POSITION.id]))
    for (const { body } of days) {
      const spans = new Spans()
      const run = new SealedRun(deviceId, body, { fromMs, toMs }, wanted)
      while (Number.isFinite(run.nextMs)) {
        const { timeMs, types, numbers } = run.next()
        const { index } = placeIn(SampleLayout.of(types))
        if (index >= 0 && isInAny(boxes, numbers[index] ?? 0, numbers[index + 1] ?? 0)) spans.add(timeMs)
      }
      yield* spans.all
    }
}

function isInAny(boxes: readonly Box[], lon: number, lat: number): boolean {
  for (const { west, south, east, north } of boxes)
    if (lon > west && lon < east && lat > south && lat < north) return true
  return false
}
