import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IncidentItem } from '../../../derive/incidents/derive/finding.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { type FoundIncident, Tallied, Tallying } from './tally.ts'

const DAY_MS = 86_400_000
const FIRST_MS = Date.UTC(2026, 0, 10)

const foundAt = (publicId: string, startMs: number): FoundIncident => {
  const item: IncidentItem = {
    startMs,
    endMs: startMs,
    peak: null,
    peakMs: null,
    startLongitude: null,
    startLatitude: null,
    endLongitude: null,
    endLatitude: null,
    areaId: null,
    detail: null,
    ruleId: 0,
    ruleVersion: 1,
    kind: 'SPEEDING',
    severity: 'warning',
    hasOdometer: false,
  }
  return { publicId, deviceId: 356307042441013 as DeviceId, item }
}

const anyFound = fc.record({ publicId: fc.constantFrom('VIN1', 'VIN2'), minute: fc.integer({ min: 0, max: 5000 }) })
const times = (values: readonly (string | number)[]) =>
  new Map([...new Set(values)].map(value => [value, values.filter(each => each === value).length]))

describe('the sum of tallies', () => {
  it('counts all incidents and has the first hundred, however they are split among devices and chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.array(anyFound, { maxLength: 60 }), { maxLength: 4 }), { maxLength: 3 }),
        all => {
          const devices = all.map(chunks =>
            chunks.map(chunk => chunk.map(({ publicId, minute }) => foundAt(publicId, FIRST_MS + minute * 60_000))),
          )
          const tallied = new Tallied()
          for (const chunks of devices) {
            const tallying = new Tallying()
            for (const chunk of chunks) tallied.add(tallying.tally(chunk))
          }
          const found = devices.flat(2)
          const { count, byDay, byVehicle, first } = tallied.sum()
          expect(count).toBe(found.length)
          expect(new Map<unknown, number>(byDay)).toEqual(
            times(found.map(({ item }) => item.startMs - (item.startMs % DAY_MS))),
          )
          expect(new Map<unknown, number>(byVehicle)).toEqual(times(found.map(({ publicId }) => publicId)))
          expect(first.map(({ item }) => item.startMs)).toEqual(
            found
              .map(({ item }) => item.startMs)
              .sort((a, b) => a - b)
              .slice(0, 100),
          )
        },
      ),
    )
  })
})
