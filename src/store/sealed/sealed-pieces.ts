import type { EventTypeId } from '../../catalogue/event-types.ts'
import { sql } from '../../db/sql.ts'
import { isIn } from '../../model/time-range.ts'
import type { Interval } from '../interval.ts'
import type { RawSample } from '../packed-samples.ts'
import type { SampleSource } from '../sample-source.ts'
import { touchedDays } from './days.ts'
import { keyOf, rawSampleAt } from './raw-sealed.ts'
import { havingTypes, readSealedDays } from './sealed-days.ts'

const PIECES_AT_ONCE = 40

/**
 * Adds what is sealed of many short intervals to the rows of the same, of one interval after the other, each in the order of time.
 * @param hot all rows of these intervals with one of the types, in that order
 */
export async function* withSealedPieces(
  source: SampleSource,
  hot: readonly RawSample[],
  pieces: readonly Interval[],
  types: readonly EventTypeId[],
): AsyncGenerator<RawSample[]> {
  let nextHot = 0
  for (let at = 0; at < pieces.length; at += PIECES_AT_ONCE) {
    const some = pieces.slice(at, at + PIECES_AT_ONCE)
    const days = new Map(
      some.flatMap(piece => touchedDays(piece).map(day => [`${piece.deviceId} ${day}`, { ...piece, day }])),
    )
    const sealed = await readSealedDays(
      source,
      sql`(d.device_id, d.day) in (select * from unnest(
        ${[...days.values()].map(({ deviceId }) => deviceId)}::bigint[], ${[...days.values()].map(({ day }) => day)}::date[]))
        and ${havingTypes(types)}`,
    )
    for (const piece of some) {
      const rows: RawSample[] = []
      for (
        let row = hot[nextHot];
        row && row.deviceId === piece.deviceId && isIn(piece, row.timeMs);
        row = hot[++nextHot]
      )
        rows.push(row)
      const keys = new Set(rows.map(keyOf))
      const found: RawSample[] = []
      for (const { deviceId, body } of sealed) {
        if (deviceId !== piece.deviceId) continue
        const holds = body.holding(types)
        const { first, end } = body.placesIn(piece)
        for (let place = first; place < end; place++) {
          const isHidden = keys.size > 0 && keys.has(keyOf({ deviceId, timeMs: body.timeMsAt(place) }))
          if (holds(place) && !isHidden) found.push(rawSampleAt(deviceId, body, place, { withStored: false }))
        }
      }
      if (found.length > 0) yield [...rows, ...found].sort((a, b) => a.timeMs - b.timeMs)
      else if (rows.length > 0) yield rows
    }
  }
}
