import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anySample } from '../../../test/any-sample.ts'
import { sampleWith } from '../../../test/sample-with.ts'
import { foldedOn, NOTHING } from '../../../test/trip-samples.ts'
import { type EventTypeName, requiredEventType } from '../../catalogue/event-types.ts'
import { type DeviceId, eventsOf } from '../../model/sample.ts'
import { METER_TYPES, readingOf } from './reading.ts'
import { parseState, serialiseState } from './state.ts'

const id = (name: EventTypeName) => requiredEventType(name).id

test('a reading has what the events of its sample say, whatever else was measured', () => {
  fc.assert(
    fc.property(anySample(), sample => {
      const events = eventsOf(sample)
      const reading = readingOf(sample)
      expect(reading.timeMs).toBe(sample.timeMs)
      expect(reading.isIgnitionOn).toBe(events.get(id('IS_IGNITION_ON')))
      expect(reading.isEngineOn).toBe(events.get(id('ENGINE_STATE')))
      expect(reading.isPluggedIn).toBe(events.get(id('IS_DONGLE_PLUGGED_IN')))
      expect(reading.isMoving).toBe(events.get(id('IS_MOVING')))
      expect(reading.vin).toBe(events.get(id('VIN')))
      expect(reading.position).toEqual(events.get(id('POSITION')))
      // An odometer of 0 was not read yet.
      METER_TYPES.forEach((type, i) => {
        const value = events.get(type.id)
        expect(reading.meters[i]).toBe(type.name === 'MILEAGE' && value === 0 ? undefined : value)
      })
    }),
  )
})

test.each([
  ['the car’s own speed before the satellites’', { VEHICLE_SPEED_AVERAGE: 50, GPS_SPEED: 48 }, 50],
  ['the greatest speed where there is no average', { VEHICLE_SPEED_MAX: 60, GPS_SPEED: 48 }, 60],
  ['the satellites’ where the car has none', { GPS_SPEED: 48 }, 48],
  ['the satellites’ where the car’s cannot be', { VEHICLE_SPEED_AVERAGE: 255, GPS_SPEED: 48 }, 48],
  ['none that is negative', { GPS_SPEED: -1 }, undefined],
])('speed is %s', (_, speeds, expected) => {
  expect(readingOf(sampleWith(1, 0, speeds)).speedKmh).toBe(expected)
})

test('whatever a dongle sends, lengths are whole metres and the state can be written', () => {
  const types = (
    ['IS_IGNITION_ON', 'IS_MOVING', 'POSITION', 'MILEAGE', 'VEHICLE_SPEED_AVERAGE', 'FUEL_LEVEL', 'VIN'] as const
  ).map(requiredEventType)
  const steps = fc.array(fc.tuple(anySample({ types }), fc.constantFrom(1, 1000, 60_000, 600_000)), { maxLength: 60 })
  fc.assert(
    fc.property(steps, drawn => {
      let timeMs = Date.UTC(2026, 0, 12)
      const samples = drawn.map(([sample, stepMs]) => ({
        ...sample,
        deviceId: 1 as DeviceId,
        timeMs: (timeMs += stepMs),
      }))
      const { state, trips } = foldedOn(NOTHING, samples)
      for (const trip of trips.values()) {
        expect(Number.isSafeInteger(trip.distanceM) && trip.distanceM >= 0).toBe(true)
        expect(trip.positionsM ?? 0).toBeGreaterThanOrEqual(0)
        expect(trip.endMs).toBeGreaterThanOrEqual(trip.startMs)
      }
      expect(state && parseState(serialiseState(state))).toEqual(state)
    }),
    { numRuns: 300 },
  )
})
