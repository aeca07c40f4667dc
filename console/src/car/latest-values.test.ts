import { expect, it } from 'vitest'
import type { LastEvent } from '../api/types.ts'
import { newestMsOf } from '../fleet/dongle-state.ts'
import { latestValues } from './car-facts.ts'

const NOW = Date.UTC(2026, 10, 21)
const HOUR = 3_600_000
const event = (eventType: string, hoursAgo: number): LastEvent => ({
  deviceId: 1,
  recordedTimestamp: new Date(NOW - hoursAgo * HOUR).toISOString(),
  eventType,
  dataType: 'NUMBER',
  value: 1,
  unit: '',
  unitId: 10,
})

it('a value is stale when it is more than a day older than the newest one of its car, settings aside', () => {
  const events = [event('ALARM_SYSTEM', 1), event('GPS_SPEED', 100), event('MILEAGE', 124), event('VIN', 124.1)]
  const values = latestValues(events, true)
  expect(values.map(value => [value.eventType, value.isStale])).toEqual([
    ['ALARM_SYSTEM', false],
    ['GPS_SPEED', false],
    ['MILEAGE', false],
    ['VIN', true],
  ])
  expect(newestMsOf(values)).toBe(NOW - 100 * HOUR)
  expect(newestMsOf([])).toBeUndefined()
})

it('who may not see fault codes sees how many there are, as everywhere, and not which', () => {
  const events = [event('OBD_DTC_COUNT', 1), event('OBD_DTC_PERMANENT', 1), event('OBD_DTC_SPORADIC', 1)]
  const namesFor = (mayReadCodes: boolean) => latestValues(events, mayReadCodes).map(({ eventType }) => eventType)
  expect(namesFor(false)).toEqual(['OBD_DTC_COUNT'])
  expect(namesFor(true)).toHaveLength(3)
})
