import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type EventTypeName, requiredEventType } from '../src/catalogue/event-types.ts'
import { distanceM } from '../src/model/earth.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../src/model/sample.ts'
import { tripsOf } from './trip-samples.ts'

const FOLDER = '../shared/data/trips'
const CASES = `${FOLDER}/traccar_trip_stop_cases.json`
const ODOMETERS = `${FOLDER}/teltonika_odometer_vs_gps.json`

interface Fix {
  readonly time: string
  readonly speed_knots?: number
  readonly total_distance_m: number
  readonly motion: boolean
  readonly ignition?: boolean
}

interface Cases {
  readonly report_cases: readonly {
    readonly name: string
    readonly positions: readonly Fix[]
    readonly expected_first_items: readonly { start: string; end: string; distance_m?: number }[]
  }[]
  readonly motion_cases: readonly { readonly name: string; readonly steps: readonly Fix[] }[]
  readonly distance_window_cases: readonly { readonly name: string }[]
  readonly distance_facts: readonly { a: [number, number]; b: [number, number]; metres: number; tolerance: number }[]
}

const KMH_PER_KNOT = 1.852

function sampleOfFix({ time, speed_knots, total_distance_m, motion, ignition }: Fix): Sample {
  const events: [EventTypeName, EventValue][] = [
    ['IS_MOVING', motion],
    // An odometer of 0 is unknown here.
    ['MILEAGE', 1000 + total_distance_m / 1000],
  ]
  if (speed_knots !== undefined) events.push(['GPS_SPEED', speed_knots * KMH_PER_KNOT])
  if (ignition !== undefined) events.push(['IS_IGNITION_ON', ignition])
  const byType = new Map(events.map(([name, value]) => [requiredEventType(name).id, value]))
  return sampleOf(1 as DeviceId, Date.parse(time), byType)
}

const iso = (timeMs: number) => new Date(timeMs).toISOString()

/** How each case of another system's own tests relates to our rules (decisions.md, *Trips*). */
const SAME_TRIPS = [
  'testDetectTripsSimple',
  'testDetectTripsSimpleWithIgnition',
  'testDetectTripsWithFluctuation',
  'testDetectTripByGap',
]
/** Where our trips leave the same stops between them. */
const SAME_STOPS = [
  'testDetectStopsSimple',
  'testDetectStopsSimpleWithIgnition',
  'testDetectStopsWithFluctuation',
  'testDetectStopsOnly',
  'testDetectStopsWithTripCut',
]
/** The end of the trip that the case begins in. */
const SAME_ENDS: Readonly<Record<string, string>> = {
  testStopWithPositionIgnition: '2017-01-01T00:02:00.000Z',
  testStopWithGap: '2017-01-01T00:00:00.000Z',
  testStopWithDoubleGap: '2017-01-01T00:00:00.000Z',
}
const ANOTHER_MEANING: Readonly<Record<string, string>> = {
  testDetectStopsStartedFromTrip: 'a flag of motion over no distance makes a stop begin there; for us it is no motion',
  testDetectStopsMoving: 'the same for five minutes; weak in its source as well',
  testDetectStopByGap: 'a drive of 200 m is too short there and a trip for us, so the stop ends when it begins',
  testMotionWithPosition: 'two samples of one instant with different values: here an instant has one value of a kind',
  testMotionFluctuation: 'the same',
}
/** Motion from positions alone: our rules take it from speed or IS_MOVING. */
const FROM_POSITIONS_ALONE = 'distance_window_cases'

describe.skipIf(!existsSync(CASES))(`cases of another system (skipped without ${FOLDER})`, () => {
  const cases = existsSync(CASES) ? (JSON.parse(readFileSync(CASES, 'utf8')) as Cases) : undefined
  const report = (name: string) => cases?.report_cases.find(item => item.name === name)

  test('every case was looked at', () => {
    const looked = [...SAME_TRIPS, ...SAME_STOPS, ...Object.keys(SAME_ENDS), ...Object.keys(ANOTHER_MEANING)]
    const all = [...(cases?.report_cases ?? []), ...(cases?.motion_cases ?? [])].map(({ name }) => name)
    expect(looked.sort()).toEqual(all.sort())
    expect(cases?.[FROM_POSITIONS_ALONE]).toHaveLength(10)
  })

  test.each(SAME_TRIPS)('%s: the same first trip', name => {
    const [expected] = report(name)?.expected_first_items ?? []
    const [trip] = tripsOf((report(name)?.positions ?? []).map(sampleOfFix))
    expect(trip && { start: iso(trip.startMs), end: iso(trip.endMs), distance_m: trip.distanceM }).toEqual({
      start: expected?.start,
      end: expected?.end,
      distance_m: expected?.distance_m,
    })
  })

  test.each(SAME_STOPS)('%s: the same stops', name => {
    const samples = (report(name)?.positions ?? []).map(sampleOfFix)
    const trips = tripsOf(samples)
    const starts = [samples[0]?.timeMs ?? 0, ...trips.map(trip => trip.endMs)]
    const ends = [...trips.map(trip => trip.startMs), samples.at(-1)?.timeMs ?? 0]
    const stops = starts.map((startMs, i) => ({ start: iso(startMs), end: iso(ends[i] ?? 0) }))
    expect(stops).toEqual(report(name)?.expected_first_items.map(({ start, end }) => ({ start, end })))
  })

  test.each(Object.entries(SAME_ENDS))('%s: the trip that it begins in ends at %s', (name, end) => {
    const steps = cases?.motion_cases.find(item => item.name === name)?.steps ?? []
    const driving = [-120, -60].map(seconds => ({
      time: iso(Date.UTC(2017, 0, 1) + seconds * 1000),
      total_distance_m: seconds === -120 ? -900 : 0,
      motion: true,
      speed_knots: 20,
    }))
    expect(tripsOf([...driving, ...steps].map(sampleOfFix)).map(trip => iso(trip.endMs))).toEqual([end])
  })

  test('the same distances', () => {
    for (const { a, b, metres, tolerance } of cases?.distance_facts ?? []) {
      const measured = distanceM({ lat: a[0], lon: a[1] }, { lat: b[0], lon: b[1] })
      expect(Math.abs(measured - metres)).toBeLessThanOrEqual(tolerance)
    }
  })
})

interface Frames {
  readonly frames: readonly {
    readonly frame: string
    readonly first_ts_ms: number
    readonly last_ts_ms: number
    readonly odometer_first_m: number
    readonly odometer_last_m: number
    readonly odometer_delta_m: number
  }[]
}

describe.skipIf(!existsSync(ODOMETERS))(`odometers of real dongles (skipped without ${FOLDER})`, () => {
  // The file has sums of the positions, not the positions, so that only the odometer can be driven again.
  test('the length of a trip is the difference of its readings, none of which is taken for a jump', () => {
    const { frames } = JSON.parse(readFileSync(ODOMETERS, 'utf8')) as Frames
    expect(frames.length).toBeGreaterThan(0)
    for (const { frame, first_ts_ms, last_ts_ms, odometer_first_m, odometer_last_m, odometer_delta_m } of frames) {
      const ignition = (timeMs: number, isOn: boolean, metres: number) =>
        sampleOf(
          1 as DeviceId,
          timeMs,
          new Map<ReturnType<typeof requiredEventType>['id'], EventValue>([
            [requiredEventType('IS_IGNITION_ON').id, isOn],
            [requiredEventType('MILEAGE').id, metres / 1000],
          ]),
        )
      // A dongle reports in between, too: what matters here is the odometer at both ends.
      const between = []
      for (let timeMs = first_ts_ms + 60_000; timeMs < last_ts_ms; timeMs += 60_000)
        between.push(sampleOf(1 as DeviceId, timeMs, new Map([[requiredEventType('BATTERY_VOLTAGE').id, 14]])))
      const samples = [
        ignition(first_ts_ms, true, odometer_first_m),
        ...between,
        ignition(last_ts_ms, false, odometer_last_m),
      ]
      // Without any motion it is no trip, however long the ignition is on.
      const isLongEnough = odometer_delta_m > 0 && (last_ts_ms - first_ts_ms >= 30_000 || odometer_delta_m >= 100)
      expect([frame, tripsOf(samples).map(trip => trip.distanceM)]).toEqual([
        frame,
        isLongEnough ? [odometer_delta_m] : [],
      ])
    }
  })
})
