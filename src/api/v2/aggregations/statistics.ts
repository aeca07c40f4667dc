import { requiredEventType } from '../../../catalogue/event-types.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import type { BinRow } from './query.ts'
import type { Aggregation, AggregationType, Subject } from './schema.ts'

/** What is counted, in integers so that sums are exact, and how many of them make one unit. */
interface Counted {
  readonly perUnit: number
  readonly count: (row: BinRow) => Readonly<Record<AggregationType, number | null>>
}

const COUNTED: Readonly<Record<Subject, Counted>> = {
  DRIVEN_DISTANCE: {
    perUnit: 1000,
    count: row => ({
      MIN: row.metresMin,
      MAX: row.metresMax,
      AVG: row.metresSum / row.trips,
      SUM: row.metresSum,
      START: row.metresBefore,
      END: row.metresAfter,
      DIFFERENCE: row.metresGrown,
    }),
  },
  TRIP_DURATION: {
    perUnit: 1,
    count: row => ({
      MIN: row.secondsMin,
      MAX: row.secondsMax,
      AVG: row.secondsSum / row.trips,
      SUM: row.secondsSum,
      START: row.secondsBefore,
      END: row.secondsAfter,
      DIFFERENCE: difference(row.secondsBefore, row.secondsAfter),
    }),
  },
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}

/** The statistics of each bin that exist, by event type and aggregation type (decisions.md, *Replies*, order). */
export function* statisticsOf(
  rows: readonly BinRow[],
  subjects: readonly Subject[],
  types: readonly AggregationType[],
): Generator<Aggregation> {
  const sorted = [...subjects].sort().map(subject => ({ ...requiredEventType(subject), ...COUNTED[subject], subject }))
  const sortedTypes = [...types].sort()
  for (const row of rows) {
    for (const { subject, unitId, unit, perUnit, count } of sorted) {
      const counts = count(row)
      for (const aggregationType of sortedTypes) {
        const counted = counts[aggregationType]
        if (counted === null) continue
        yield {
          vehicleId: row.vehicleId,
          eventType: subject,
          dataType: 'NUMBER',
          aggregationType,
          value: counted / perUnit,
          unitId,
          unit,
          bin: millisecondText(row.bin),
        }
      }
    }
  }
}
