import { type EventTypeId, eventTypeById } from '../../catalogue/event-types.ts'
import { numbersPerValue } from '../../model/sample.ts'
import { dayStartMs } from '../sealed/days.ts'
import type { UnpackedBody } from '../sealed/unpacked-body.ts'
import { summedHours } from './hour-rollup.ts'
import { RollupBody } from './read-rollup-body.ts'
import { type HoursOfType, rollupBodyOf } from './rollup-body.ts'

/** Whether a type has rollups: one number a value, and a BOOLEAN is 0 or 1. */
export function isRolledUp(type: EventTypeId): boolean {
  return numbersPerValue(eventTypeById(type)) === 1
}

/**
 * The rollup of a sealed day, from its unpacked columns.
 * @throws Error when it would not read back equal
 */
export function rollupOfDay(unpacked: UnpackedBody): Buffer {
  const types = new Map<EventTypeId, HoursOfType>()
  for (const type of unpacked.types) if (isRolledUp(type)) types.set(type, summedHours(unpacked.seriesOf(type)))
  const body = rollupBodyOf(dayStartMs(unpacked.timeMsAt(0)), types)
  const again = new RollupBody(body)
  for (const [type, hours] of types)
    if (!areEqual(hours, again.summedHoursOf(type))) throw new Error('a rollup would not read back equal')
  return body
}

/** Whether two rollups of a type say the same, to the bit. */
export function areEqual(a: HoursOfType, b: HoursOfType): boolean {
  if (!a || !b) return a === b
  return (
    a.length === b.length &&
    a.every((hour, index) => {
      const other = b[index]
      return (
        other !== undefined &&
        hour.count === other.count &&
        hour.sum.whole * 10n ** BigInt(other.sum.scale) === other.sum.whole * 10n ** BigInt(hour.sum.scale) &&
        ENDS.every(end => hour[end].timeMs === other[end].timeMs && Object.is(hour[end].value, other[end].value))
      )
    })
  )
}

const ENDS = ['first', 'lowest', 'highest', 'last'] as const
