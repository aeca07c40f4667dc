import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodedStep, fixedDegrees } from '../../../facts/trips/derive/polyline.ts'
import type { AreaShape } from '../../../model/areas/shape.ts'
import { METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../../../model/earth.ts'
import type { Position } from '../../../model/sample.ts'
import { isIn, type TimeRange } from '../../../model/time-range.ts'
import { candidatesOf, type Driven } from './candidates.ts'
import { drawingOf } from './drawing.ts'
import { vicinityOf } from './route-near.ts'
import { VisitTracker } from './visit-tracker.ts'

const SETTINGS = { hysteresisM: 30, shortestStayMs: 60_000 }
const MINUTE_MS = 60_000
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

interface Fix extends Position {
  readonly timeMs: number
}

/** A car that drives and stands: legs with so many metres a minute to the east and north. */
const anyDays = fc.record({
  start: fc.constantFrom({ lon: 8.4, lat: 49 }, { lon: 179.99, lat: -17 }, { lon: -179.995, lat: 66 }),
  legs: fc.array(
    fc.record({
      minutes: fc.integer({ min: 2, max: 12 }),
      eastM: fc.integer({ min: -800, max: 800 }),
      northM: fc.integer({ min: -800, max: 800 }),
      standMinutes: fc.integer({ min: 1, max: 30 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
})

function moved({ lon, lat }: Position, eastM: number, northM: number): Position {
  const east = lon + eastM / metresPerDegreeEast(lat)
  return { lon: east > 180 ? east - 360 : east < -180 ? east + 360 : east, lat: lat + northM / METRES_PER_DEGREE_NORTH }
}

function polylineOf(points: readonly Position[]): string {
  let [lat, lon] = [0, 0]
  return points
    .map(point => {
      const text = encodedStep(fixedDegrees(point.lat) - lat, fixedDegrees(point.lon) - lon)
      lat = fixedDegrees(point.lat)
      lon = fixedDegrees(point.lon)
      return text
    })
    .join('')
}

function driven({
  start,
  legs,
}: {
  start: Position
  legs: readonly { minutes: number; eastM: number; northM: number; standMinutes: number }[]
}) {
  const fixes: Fix[] = []
  const trips: Driven[] = []
  let at = start
  let timeMs = 0
  for (const { minutes, eastM, northM, standMinutes } of legs) {
    const fromMs = timeMs
    const way: Position[] = [at]
    fixes.push({ ...at, timeMs })
    for (let minute = 1; minute <= minutes; minute++) {
      timeMs += MINUTE_MS
      at = moved(at, eastM, northM)
      way.push(at)
      fixes.push({ ...at, timeMs })
    }
    trips.push({ fromMs, toMs: timeMs + 1, isOpen: false, polyline: polylineOf(way) })
    for (let minute = 0; minute < standMinutes; minute++) {
      timeMs += MINUTE_MS
      fixes.push({ ...at, timeMs })
    }
    timeMs += MINUTE_MS
  }
  return { fixes, trips, range: { fromMs: 0, toMs: timeMs } }
}

function visitsOf(fixes: readonly Fix[], ranges: readonly TimeRange[], shape: AreaShape) {
  const tracker = new VisitTracker(drawingOf([{ ...ALWAYS, shape }]), SETTINGS)
  for (const range of ranges) {
    for (const { timeMs, ...fix } of fixes.filter(each => isIn(range, each.timeMs))) tracker.add(timeMs, fix)
    tracker.pause()
  }
  return tracker.ended().map(({ enteredMs, leftMs, insideM }) => ({ enteredMs, leftMs, insideM: Math.round(insideM) }))
}

it('no visit is missed by looking only at the trips and stops near an area', () => {
  let found = 0
  fc.assert(
    fc.property(anyDays, fc.nat(), fc.integer({ min: 20, max: 900 }), (days, which, radiusM) => {
      const { fixes, trips, range } = driven(days)
      const { lon = 0, lat = 0 } = fixes[which % fixes.length] ?? {}
      const shape: AreaShape = { type: 'circle', center: [lon, lat], radiusM }
      const [version] = drawingOf([{ ...ALWAYS, shape }]).versions
      if (!version) throw new Error('no version')
      const vicinity = { ...ALWAYS, vicinity: vicinityOf(version.shape, 80) }
      const { ranges } = candidatesOf(range, trips, [vicinity])
      const visits = visitsOf(fixes, ranges, shape)
      found += visits.length
      expect(visits).toEqual(visitsOf(fixes, [range], shape))
    }),
  )
  expect(found).toBeGreaterThan(10)
})

it('what was driven far away is not read', () => {
  const { trips, range } = driven({
    start: { lon: 8.4, lat: 49 },
    legs: [
      { minutes: 10, eastM: 600, northM: 0, standMinutes: 60 },
      { minutes: 10, eastM: 600, northM: 0, standMinutes: 60 },
      { minutes: 10, eastM: 600, northM: 0, standMinutes: 60 },
    ],
  })
  const [version] = drawingOf([{ ...ALWAYS, shape: { type: 'circle', center: [8.4, 49], radiusM: 100 } }]).versions
  if (!version) throw new Error('no version')
  const candidates = candidatesOf(range, trips, [{ ...ALWAYS, vicinity: vicinityOf(version.shape, 80) }])
  expect(candidates).toEqual({ ranges: [{ fromMs: 0, toMs: 10 * MINUTE_MS + 1 }], tripsRead: 1 })
})

it('what happened between two trips is read when the second begins elsewhere than the first ended', () => {
  const [here, metresOn, towed] = [0, 100, 5000].map(eastM => moved({ lon: 8.4, lat: 49 }, eastM, 0))
  if (!here || !metresOn || !towed) throw new Error('no positions')
  const trip = (hour: number, at: Position): Driven => ({
    fromMs: hour * 60 * MINUTE_MS,
    toMs: (hour * 60 + 10) * MINUTE_MS,
    isOpen: false,
    polyline: polylineOf([at, at]),
  })
  const [version] = drawingOf([{ ...ALWAYS, shape: { type: 'circle', center: [8.5, 49], radiusM: 100 } }]).versions
  if (!version) throw new Error('no version')
  const range = { fromMs: 0, toMs: 600 * MINUTE_MS }
  const trips = [trip(0, here), trip(2, metresOn), trip(4, towed), trip(9, towed)]
  const candidates = candidatesOf(range, trips, [{ ...ALWAYS, vicinity: vicinityOf(version.shape, 80) }])
  expect(candidates).toEqual({ ranges: [{ fromMs: 130 * MINUTE_MS, toMs: 240 * MINUTE_MS }], tripsRead: 0 })
})
