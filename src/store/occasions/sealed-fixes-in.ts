import { requiredEventType } from '../../catalogue/event-types.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { HistorySource } from '../history-source.ts'
import type { Interval } from '../interval.ts'
import { sealedDaysIn } from '../sealed/days-of-history.ts'
import type { UnpackedBody } from '../sealed/unpacked-body.ts'
import { Spans } from './spans.ts'

/** In degrees. */
export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

const POSITION = requiredEventType('POSITION').id

/** When sealed days have fixes in a box: only their columns of positions are unpacked. */
export async function* sealedFixesIn(
  source: HistorySource,
  { deviceId, fromMs, toMs }: Interval,
  boxes: readonly Box[],
): AsyncGenerator<TimeRange> {
  for await (const days of sealedDaysIn(source, { deviceId, fromMs, toMs }, [POSITION]))
    for (const { body } of days) yield* fixesIn(body, { fromMs, toMs }, boxes)
}

/** Column by column: as long as no longitude is in a box, neither latitudes nor times are unpacked. */
function fixesIn(body: UnpackedBody, range: TimeRange, boxes: readonly Box[]): readonly TimeRange[] {
  const longitudes = body.numbersWith(POSITION, 0)
  if (!longitudes || !boxes.some(box => isAnyBetween(longitudes, box))) return []
  const latitudes = body.numbersWith(POSITION, 1)
  if (!latitudes) return []
  const spans = new Spans()
  const places = body.placesWith(POSITION)
  for (let rank = 0; rank < longitudes.length; rank++) {
    if (!isInAny(boxes, longitudes[rank] as number, latitudes[rank] as number)) continue
    const timeMs = body.timeMsAt(places ? (places[rank] as number) : rank)
    if (timeMs >= range.fromMs && timeMs < range.toMs) spans.add(timeMs)
  }
  return spans.all
}

function isAnyBetween(longitudes: Float64Array, { west, east }: Box): boolean {
  for (let rank = 0; rank < longitudes.length; rank++) {
    const lon = longitudes[rank] as number
    if (lon > west && lon < east) return true
  }
  return false
}

function isInAny(boxes: readonly Box[], lon: number, lat: number): boolean {
  for (const { west, south, east, north } of boxes)
    if (lon > west && lon < east && lat > south && lat < north) return true
  return false
}
