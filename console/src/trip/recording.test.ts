import { expect, it } from 'vitest'
import type { EventItem } from '../api/types.ts'
import { recordingOf } from './recording.ts'

const event = (second: number, event_type: string, value: number | string): EventItem => ({
  event_type,
  data_type: typeof value === 'number' ? 'NUMBER' : 'GEO',
  value,
  device_id: 1,
  recorded_timestamp: new Date(second * 1000).toISOString(),
})

it('puts together what was measured at one place', () => {
  const { track } = recordingOf([
    event(5, 'GPS_ALTITUDE', 115),
    event(5, 'GPS_COURSE', 90),
    event(5, 'GPS_SPEED', 42),
    event(5, 'POSITION', 'POINT(8.4 49.01)'),
    event(9, 'POSITION', 'POINT(8.5 49.02)'),
    event(60, 'POSITION', 'POINT(8.6 49.03)'),
    event(61, 'POSITION', 'somewhere'),
  ])
  expect(track).toEqual([
    { timeMs: 5000, longitude: 8.4, latitude: 49.01, speedKmh: 42, altitudeM: 115, courseDeg: 90 },
    { timeMs: 9000, longitude: 8.5, latitude: 49.02, speedKmh: 42, altitudeM: undefined, courseDeg: undefined },
    {
      timeMs: 60_000,
      longitude: 8.6,
      latitude: 49.03,
      speedKmh: undefined,
      altitudeM: undefined,
      courseDeg: undefined,
    },
  ])
})

it('takes the speed from what reports it most often', () => {
  const { speed } = recordingOf([
    event(1, 'GPS_SPEED', 10),
    event(1, 'VEHICLE_SPEED_AVERAGE', 11),
    event(2, 'VEHICLE_SPEED_AVERAGE', 12),
  ])
  expect(speed).toEqual({ timesMs: [1000, 2000], values: [11, 12] })
})

it('knows that a car stood where nothing was measured for a while, if it was at the same place afterwards', () => {
  const { standing } = recordingOf([
    event(0, 'POSITION', 'POINT(8.4 49.01)'),
    event(0, 'GPS_SPEED', 0),
    event(400, 'GPS_SPEED', 0),
    event(400, 'POSITION', 'POINT(8.4003 49.0102)'),
    event(1000, 'GPS_SPEED', 0),
    event(1000, 'POSITION', 'POINT(8.41 49.01)'),
  ])
  expect(standing).toEqual([{ fromMs: 0, toMs: 490_000 }])
})

it('is empty without events', () => {
  expect(recordingOf([])).toEqual({
    track: [],
    speed: { timesMs: [], values: [] },
    energy: undefined,
    standing: [],
    idlingMs: 0,
    knowsIgnition: false,
    occurrences: [],
  })
})
