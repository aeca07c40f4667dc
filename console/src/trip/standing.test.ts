import { expect, it } from 'vitest'
import type { EventItem } from '../api/types.ts'
import { idlingMs, standstills, stopsOf } from './recording.ts'

const isElsewhere = () => false

/** A speed every ten seconds. */
const curve = (...values: number[]) => ({ timesMs: values.map((_, index) => index * 10_000), values })

const ignition = (second: number, value: boolean): EventItem => ({
  event_type: 'IS_IGNITION_ON',
  data_type: 'BOOLEAN',
  value,
  device_id: 1,
  recorded_timestamp: new Date(second * 1000).toISOString(),
})

it('a car stands from the first reading without speed to the next with one', () => {
  expect(standstills(curve(0, 30, 0, 2, 0, 40, 0), isElsewhere)).toEqual([
    { fromMs: 0, toMs: 10_000 },
    { fromMs: 20_000, toMs: 50_000 },
  ])
})

it('a reading does not hold where nothing was heard for long', () => {
  const silent = { timesMs: [0, 3_600_000, 3_610_000], values: [0, 0, 50] }
  expect(standstills(silent, isElsewhere)).toEqual([
    { fromMs: 0, toMs: 90_000 },
    { fromMs: 3_600_000, toMs: 3_610_000 },
  ])
})

it('a car that is at the same place before and after a silence stood in between', () => {
  const isThere = () => true
  expect(standstills({ timesMs: [0, 400_000, 410_000], values: [0, 0, 50] }, isThere)).toEqual([
    { fromMs: 0, toMs: 410_000 },
  ])
  expect(standstills({ timesMs: [0, 400_000], values: [0, 50] }, isThere)).toEqual([{ fromMs: 0, toMs: 400_000 }])
})

it('a stop is long, and on the way', () => {
  const minutes = (fromMin: number, toMin: number) => ({ fromMs: fromMin * 60_000, toMs: toMin * 60_000 })
  const standing = [minutes(0, 5), minutes(10, 11), minutes(20, 25), minutes(55, 60)]
  expect(stopsOf(standing, 0, 60 * 60_000)).toEqual([minutes(20, 25)])
})

it('idling lasts as long as the engine is on', () => {
  const standing = [{ fromMs: 0, toMs: 100_000 }]
  expect(idlingMs(standing, [])).toBe(100_000)
  expect(idlingMs(standing, [ignition(0, true), ignition(40, false), ignition(70, true)])).toBe(70_000)
  expect(idlingMs(standing, [ignition(90, false)])).toBe(90_000)
})
