import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anySample, SOME_TYPES } from '../../../test/any-sample.ts'
import type { EventTypeId } from '../../catalogue/event-types.ts'
import { type DeviceId, type EventValue, eventsOf, sampleOf } from '../../model/sample.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, batteryStateOf, withBatteryState } from './battery-state.ts'

/** The next double in that direction: as close to a threshold as a voltage can be. */
function nextDouble(value: number, direction: 1 | -1): number {
  const bits = new BigInt64Array(new Float64Array([value]).buffer)
  bits[0] = bits[0]! + BigInt(direction * Math.sign(value))
  return new Float64Array(bits.buffer)[0]!
}

it.each([
  ['Overvoltage', 15.2, Number.MAX_VALUE],
  ['Loading', 13, nextDouble(15.2, -1)],
  [undefined, nextDouble(11.3, 1), nextDouble(13, -1)],
  ['Warning', nextDouble(10, 1), 11.3],
  ['Very Low', nextDouble(6, 1), 10],
  ['Empty', -Number.MAX_VALUE, 6],
])('the state of the battery is %s from %d V to %d V', (state, least, most) => {
  fc.assert(
    fc.property(fc.double({ min: least, max: most, noNaN: true }), voltageV => {
      expect(batteryStateOf(voltageV)).toBe(state)
    }),
    { examples: [[least], [most]] },
  )
})

describe('a sample with its battery state', () => {
  const sampleWith = (...events: readonly (readonly [EventTypeId, EventValue])[]) =>
    sampleOf(1 as DeviceId, 0, new Map(events))

  it('has the one that follows from its voltage', () => {
    const sample = withBatteryState(sampleWith([BATTERY_VOLTAGE.id, 9.5]))
    expect(eventsOf(sample)).toEqual(eventsOf(sampleWith([BATTERY_STATE.id, 'Very Low'], [BATTERY_VOLTAGE.id, 9.5])))
  })

  it('keeps what the dongle says of itself', () => {
    const sample = sampleWith([BATTERY_STATE.id, 'Fine'], [BATTERY_VOLTAGE.id, 5])
    expect(withBatteryState(sample)).toBe(sample)
  })

  it('has none without a voltage, or where the contract has no word for it', () => {
    for (const sample of [sampleWith(), sampleWith([BATTERY_VOLTAGE.id, 12])])
      expect(withBatteryState(sample)).toBe(sample)
  })

  it('is otherwise the same, and does not change again', () => {
    fc.assert(
      fc.property(anySample({ types: SOME_TYPES }), sample => {
        const once = withBatteryState(sample)
        expect(withBatteryState(once)).toEqual(once)
        const events = eventsOf(once)
        for (const [type, value] of eventsOf(sample)) expect(events.get(type)).toEqual(value)
        expect(once.types.filter(type => type !== BATTERY_STATE.id)).toEqual(
          sample.types.filter(type => type !== BATTERY_STATE.id),
        )
      }),
    )
  })
})
