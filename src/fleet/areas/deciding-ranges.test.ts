import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodedStep, fixedDegrees } from '../../derive/trips/route.ts'
import type { AreaShape } from '../../model/areas/shape.ts'
import { METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { isIn } from '../../model/time-range.ts'
import {
  candidatesOf,
  type DecidingRange,
  type DrivenTrip,
  decidingRanges,
  type ReadFixes,
  type TripOf,
} from './deciding-ranges.ts'
import { vicinityOf } from './route-near.ts'
import { type AreaVisit, type Drawing, drawingOf, VisitTracker } from './visit-tracker.ts'

const SETTINGS = { hysteresisM: 30, shortestStayMs: 60_000 }
const MINUTE_MS = 60_000
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

interface Fix extends Position {
  readonly timeMs: number
}

const MOVE = { eastM: fc.integer({ min: -800, max: 800 }), northM: fc.integer({ min: -800, max: 800 }) }

/** A car that drives and stands: legs of some stretches with so many metres a minute to the east and north. */
const anyDays = fc.record({
  start: fc.constantFrom({ lon: 8.4, lat: 49 }, { lon: 179.99, lat: -17 }, { lon: -179.995, lat: 66 }),
  fixesAMinute: fc.integer({ min: 1, max: 6 }),
  /** Of a car that stands, in metres. */
  noiseM: fc.integer({ min: 0, max: 6 }),
  legs: fc.array(
    fc.record({
      stretches: fc.array(fc.record({ minutes: fc.integer({ min: 1, max: 9 }), ...MOVE }), {
        minLength: 1,
        maxLength: 4,
      }),
      isWayBack: fc.boolean(),
      standMinutes: fc.integer({ min: 1, max: 30 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
})
type Days = typeof anyDays extends fc.Arbitrary<infer Value> ? Value : never

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

function driven({ start, fixesAMinute, noiseM, legs }: Days) {
  const fixes: Fix[] = []
  const trips: DrivenTrip[] = []
  let at: Position = start
  let timeMs = 0
  for (const { stretches, isWayBack, standMinutes } of legs) {
    const fromMs = timeMs
    const way: Position[] = [at]
    for (const { minutes, eastM, northM } of stretches)
      for (let fix = 0; fix < minutes * fixesAMinute; fix++)
        way.push(moved(way.at(-1) ?? at, eastM / fixesAMinute, northM / fixesAMinute))
    if (isWayBack) way.push(...way.slice(0, -1).toReversed())
    for (const fix of way) {
      fixes.push({ ...fix, timeMs })
      timeMs += MINUTE_MS / fixesAMinute
    }
    at = way.at(-1) ?? at
    trips.push({ fromMs, toMs: timeMs - MINUTE_MS / fixesAMinute + 1, isOpen: false, polyline: polylineOf(way) })
    for (let minute = 0; minute < standMinutes; minute++) {
      timeMs += MINUTE_MS
      fixes.push({ ...moved(at, (minute % 2) * noiseM, (minute % 3) * noiseM), timeMs })
    }
    timeMs += MINUTE_MS
  }
  return { fixes, trips, range: { fromMs: 0, toMs: timeMs } }
}

function visitsOf({ fixes, trips }: ReturnType<typeof driven>, ranges: readonly DecidingRange[], drawing: Drawing) {
  const tracker = new VisitTracker(drawing, SETTINGS, trips)
  for (const range of ranges) {
    if (!range.isAfterStandingInside) tracker.pause()
    for (const { timeMs, ...fix } of fixes.filter(each => isIn(range, each.timeMs))) tracker.add(timeMs, fix)
  }
  return tracker.ended()
}

const timesOf = ({ enteredMs, leftMs, isOver }: AreaVisit) => ({ enteredMs, leftMs, isOver })
const withMetres = (visit: AreaVisit) => ({ ...timesOf(visit), insideM: Math.round(visit.insideM) })

/** The fixes of trips as they are read from samples. */
function readerOf(fixes: readonly Fix[]): ReadFixes<TripOf> {
  return async (trips, { isFromEnd, skip, most }) =>
    trips.map(({ trip }) => {
      const ofTrip = fixes.filter(({ timeMs }) => isIn(trip, timeMs)).map(({ timeMs, ...fix }) => ({ timeMs, fix }))
      return isFromEnd
        ? ofTrip
            .toReversed()
            .slice(skip, skip + most)
            .toReversed()
        : ofTrip.slice(skip, skip + most)
    })
}

it('the same visits follow from what is read as from all fixes', async () => {
  const counts = { visits: 0, read: 0, all: 0 }
  await fc.assert(
    fc.asyncProperty(
      anyDays,
      fc.nat(),
      fc.integer({ min: 20, max: 900 }),
      fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      async (days, which, radiusM, redrawnAt) => {
        const way = driven(days)
        const { fixes, trips, range } = way
        const { lon = 0, lat = 0 } = fixes[which % fixes.length] ?? {}
        const shape: AreaShape = { type: 'circle', center: [lon, lat], radiusM }
        const redrawnMs = redrawnAt === null ? ALWAYS.toMs : redrawnAt * range.toMs
        const drawing = drawingOf([
          { ...ALWAYS, toMs: redrawnMs, shape },
          { ...ALWAYS, fromMs: redrawnMs, shape: { ...shape, radiusM: 2 * radiusM } },
        ])
        const vicinities = drawing.map(version => ({ ...version, vicinity: vicinityOf(version.shape, 80) }))
        const [ranges = []] = await decidingRanges([candidatesOf(range, trips, vicinities)], readerOf(fixes))
        const visits = visitsOf(way, ranges, drawing)
        counts.visits += visits.length
        counts.all += fixes.length
        counts.read += fixes.filter(({ timeMs }) => ranges.some(each => isIn(each, timeMs))).length
        const fromAll = visitsOf(way, [{ ...range, isAfterStandingInside: false }], drawing)
        // Noise while a car stands is no way.
        const shown = days.noiseM === 0 ? withMetres : timesOf
        expect(visits.map(shown)).toEqual(fromAll.map(shown))
      },
    ),
  )
  expect(counts.visits).toBeGreaterThan(10)
  expect(counts.read).toBeLessThan(0.8 * counts.all)
})

it('what was driven far away is not read', async () => {
  const { fixes, trips, range } = driven({
    start: { lon: 8.4, lat: 49 },
    fixesAMinute: 1,
    noiseM: 0,
    legs: [1, 2, 3].map(() => ({
      stretches: [{ minutes: 10, eastM: 600, northM: 0 }],
      isWayBack: false,
      standMinutes: 60,
    })),
  })
  const [version] = drawingOf([{ ...ALWAYS, shape: { type: 'circle', center: [8.4, 49], radiusM: 100 } }])
  if (!version) throw new Error('no version')
  const candidates = candidatesOf(range, trips, [{ ...ALWAYS, vicinity: vicinityOf(version.shape, 80) }])
  expect(candidates).toMatchObject({ ranges: [], inside: [], tripsRead: 1 })
  const [ranges] = await decidingRanges([candidates], readerOf(fixes))
  expect(ranges).toEqual([{ fromMs: 0, toMs: 5 * MINUTE_MS + 1, isAfterStandingInside: false }])
})

it('what happened between two trips is read when the second begins elsewhere than the first ended', () => {
  const [here, metresOn, towed] = [0, 100, 5000].map(eastM => moved({ lon: 8.4, lat: 49 }, eastM, 0))
  if (!here || !metresOn || !towed) throw new Error('no positions')
  const trip = (hour: number, at: Position): DrivenTrip => ({
    fromMs: hour * 60 * MINUTE_MS,
    toMs: (hour * 60 + 10) * MINUTE_MS,
    isOpen: false,
    polyline: polylineOf([at, at]),
  })
  const [version] = drawingOf([{ ...ALWAYS, shape: { type: 'circle', center: [8.5, 49], radiusM: 100 } }])
  if (!version) throw new Error('no version')
  const range = { fromMs: 0, toMs: 600 * MINUTE_MS }
  const trips = [trip(0, here), trip(2, metresOn), trip(4, towed), trip(9, towed)]
  const candidates = candidatesOf(range, trips, [{ ...ALWAYS, vicinity: vicinityOf(version.shape, 80) }])
  const ranges = [{ fromMs: 130 * MINUTE_MS, toMs: 240 * MINUTE_MS }]
  expect(candidates).toMatchObject({ ranges, inside: [], atEnds: [{ isNearAtLast: false }], tripsRead: 1 })
})
