import type { EventTypeId } from '../../catalogue/event-types.ts'
import { extentOf, isIn } from '../../model/time-range.ts'
import type { Interval } from '../interval.ts'
import type { RawConnection } from '../raw-connection.ts'
import { coverHours } from './covered-hours.ts'
import { HOURS_OF_A_DAY, HourColumns } from './hour-columns.ts'
import type { RollupBody } from './read-rollup-body.ts'
import { readRolledDays } from './rolled-days.ts'

/** Values of a device as far as rollups tell them, and where they do not. */
interface RolledSeries {
  /** Hours with values, ascending, of each type that has a rollup wherever it has values. */
  readonly hours: ReadonlyMap<EventTypeId, HourColumns>
  /** What is to be read from samples beside them, ascending. */
  readonly left: readonly Interval[]
}

/**
 * Reads rollups instead of samples where they say all of an hour.
 * @param intervals finite ones of one device, which do not overlap
 * @param types each with one number a value
 */
export async function readRolledSeries(
  source: Pick<RawConnection, 'rows' | 'row'>,
  intervals: readonly Interval[],
  types: readonly EventTypeId[],
): Promise<RolledSeries> {
  const ascending = intervals.toSorted((a, b) => a.fromMs - b.fromMs)
  const [first] = ascending
  const days = first ? await readRolledDays(source, first.deviceId, extentOf(ascending)) : []
  const hours = new Map(types.flatMap(type => hoursOf(days, type) ?? []))
  const liesIn = (hourMs: number, interval: Interval) =>
    [...hours.values()].every(ofType => {
      const place = ofType.placeOf(hourMs)
      return place === undefined || FIRST_AND_LAST.every(end => isIn(interval, ofType.column(end)[place] ?? Number.NaN))
    })
  const { covered, left } = coverHours(
    ascending,
    days.map(({ dayMs }) => dayMs),
    liesIn,
  )
  for (const ofType of hours.values()) ofType.keepWithin(covered)
  return { hours, left }
}

const FIRST_AND_LAST = ['firstMs', 'lastMs'] as const

/** All hours of a type, unless a day has no rollup of it. */
function hoursOf(days: readonly RollupBody[], type: EventTypeId): [[EventTypeId, HourColumns]] | undefined {
  const hours = new HourColumns(days.length * HOURS_OF_A_DAY)
  return days.every(day => day.addHours(type, hours)) ? [[type, hours]] : undefined
}
