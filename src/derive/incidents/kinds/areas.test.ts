import { describe, expect, it } from 'vitest'
import { ALWAYS, incidentsIn, ruleOf, rulesOf, spansIn } from '../../../../test/found-incidents.ts'
import { at, every, ignition, NOON_MS, place } from '../../../../test/trip-samples.ts'
import { drawingOf, VisitTracker } from '../../../fleet/areas/visit-tracker.ts'
import { USUAL_PRESENCE } from '../../../model/areas/presence.ts'
import type { Sample } from '../../../model/sample.ts'
import type { AreaVersion } from '../../rules/rule-book.ts'
import { readingOf } from '../../trips/reading.ts'

const circle = (areaId: number, eastM: number, radiusM: number, more: Partial<AreaVersion> = {}): AreaVersion => {
  const { lon, lat } = place(eastM)
  return { ...ALWAYS, areaId, version: 1, shape: { type: 'circle', center: [lon, lat], radiusM }, ...more }
}
const depot = circle(1, 2000, 205)
const yard = circle(2, 2200, 50)
const OFF = { IS_IGNITION_ON: false, GPS_SPEED: 0 }

/** East at 36 km/h from the west of the depot, a stop in its middle, and on. */
const drive = (fromS: number, toS: number, fromM: number) =>
  every(10, fromS, toS, seconds => ({ POSITION: place(fromM + (seconds - fromS) * 10) }))
const stand = (fromS: number, toS: number, eastM: number) => every(10, fromS, toS, () => ({ POSITION: place(eastM) }))
const visit = [...drive(0, 200, 0), ...stand(210, 800, 2000), ...drive(810, 1000, 2000)]

describe('a visit', () => {
  it('lasts from the first fix inside to the last', () => {
    expect(spansIn(ruleOf('AREA_ENTERED', { areas: [1] }), visit, [depot])).toEqual([[180, 830]])
    const [found] = incidentsIn(rulesOf([ruleOf('AREA_ENTERED')], [depot]), visit)
    expect(found).toMatchObject({ areaId: 1, startLongitude: place(1800).lon, endLongitude: place(2200).lon })
  })

  it('is one in each area that holds the car', () => {
    const found = incidentsIn(rulesOf([ruleOf('AREA_ENTERED', { shortestStayMinutes: 0 })], [depot, yard]), visit)
    expect(found.map(({ areaId }) => areaId)).toEqual([1, 2])
    const named = incidentsIn(
      rulesOf([ruleOf('AREA_ENTERED', { areas: [2], shortestStayMinutes: 0 })], [depot, yard]),
      visit,
    )
    expect(named.map(({ areaId }) => areaId)).toEqual([2])
  })

  it('is no way through, unless that counts', () => {
    const through = drive(0, 400, 0)
    expect(spansIn(ruleOf('AREA_ENTERED'), through, [depot])).toEqual([])
    expect(spansIn(ruleOf('AREA_ENTERED', { shortestStayMinutes: 0 }), through, [depot])).toEqual([[180, 220]])
  })

  it('goes on while the car is there, and through a night without a record', () => {
    const night = [...visit.slice(0, 60), at(40_000, { POSITION: place(2010) })]
    expect(spansIn(ruleOf('AREA_ENTERED'), night, [depot])).toEqual([[180, null]])
  })

  it('is not cut by noise at the border, nor by a false fix', () => {
    const noisy = every(10, 0, 600, seconds => ({ POSITION: place(seconds % 20 === 0 ? 1790 : 1815) }))
    expect(spansIn(ruleOf('AREA_ENTERED'), noisy, [depot])).toEqual([[10, null]])
    const astray = [
      ...visit.slice(0, 40),
      at(405, { POSITION: place(40_000) }),
      at(406, { POSITION: { lon: 0, lat: 0 } }),
      ...visit.slice(41),
    ]
    expect(spansIn(ruleOf('AREA_ENTERED'), astray, [depot])).toEqual([[180, 830]])
  })

  it('is none of a car whose fixes are led astray', () => {
    const spoofed = every(10, 1010, 1300, seconds => ({ POSITION: place(30_000 + seconds) }))
    const back = every(10, 1310, 1500, () => ({ POSITION: place(4000) }))
    const elsewhere = circle(3, 31_000, 1000)
    expect(spansIn(ruleOf('AREA_ENTERED'), [...visit, ...spoofed, ...back], [elsewhere])).toEqual([])
  })

  it('ends where the area is drawn anew, and begins in the new one', () => {
    const changeMs = NOON_MS + 500_000
    const versions = [{ ...depot, toMs: changeMs }, circle(1, 2000, 305, { version: 2, fromMs: changeMs })]
    expect(spansIn(ruleOf('AREA_ENTERED'), visit, versions)).toEqual([
      [180, 490],
      [500, 840],
    ])
    expect(spansIn(ruleOf('AREA_ENTERED'), visit, [{ ...depot, toMs: changeMs }])).toEqual([[180, 490]])
  })

  it('goes on through any silence, until the car is seen elsewhere', () => {
    for (const hours of [14, 40, 62, 14 * 24]) {
      const away = hours * 3600
      const kinds = (after: readonly Sample[]) => {
        const rules = ['AREA_ENTERED', 'AREA_LEFT', 'AREA_STAYED'] as const
        const all = rules.map((kind, index) => ruleOf(kind, { areas: [1] }, { ruleId: index + 1 }))
        return incidentsIn(rulesOf(all, [depot]), [...visit.slice(0, 60), ignition(600, false), ...after]).map(
          ({ kind, endMs }) => [kind, endMs === null ? null : (endMs - NOON_MS) / 1000] as const,
        )
      }
      const woken = ignition(away, true, { POSITION: place(2004) })
      const leaving = every(10, away + 60, away + 400, seconds => ({
        VEHICLE_SPEED_AVERAGE: 36,
        POSITION: place(2000 + (seconds - away - 60) * 10),
      }))
      expect(kinds([woken, ...leaving])).toEqual([
        ['AREA_ENTERED', away + 80],
        ['AREA_STAYED', away + 80],
        ['AREA_LEFT', away + 80],
      ])
      const gone = kinds([ignition(away, true, { POSITION: place(2400) }), ...leaving.slice(30)])
      expect(gone.map(([, endS]) => endS)).toEqual([away, away, away])
      expect(kinds([ignition(away, true, { POSITION: place(90_000) })])).toEqual([
        ['AREA_ENTERED', 590],
        ['AREA_LEFT', 590],
      ])
      // Pulled out of its socket or not, it was seen nowhere else.
      const pulled = [at(700, { IS_DONGLE_PLUGGED_IN: false }), at(away - 60, { IS_DONGLE_PLUGGED_IN: true })]
      expect(kinds([...pulled, woken])).toEqual([
        ['AREA_ENTERED', null],
        ['AREA_STAYED', null],
      ])
    }
  })

  it('ends where the life of the dongle in the car does, and nobody has left', () => {
    const book = (kind: 'AREA_ENTERED' | 'AREA_LEFT') => rulesOf([ruleOf(kind)], [depot]).assignments[0]?.book
    const found = (kind: 'AREA_ENTERED' | 'AREA_LEFT') => {
      const of = book(kind)
      if (!of) throw new Error('no rules')
      const movedMs = NOON_MS + 700_000
      const assignments = [
        { ...ALWAYS, vehicleId: 1, toMs: movedMs, book: of },
        { ...ALWAYS, vehicleId: 2, fromMs: movedMs, book: of },
      ]
      return incidentsIn({ assignments }, [...visit.slice(0, 60), ...stand(710, 1000, 9000)])
    }
    expect(found('AREA_ENTERED')).toMatchObject([{ endMs: NOON_MS + 590_000 }])
    expect(found('AREA_LEFT')).toEqual([])
    const redrawn = { ...depot, toMs: NOON_MS + 500_000 }
    const versions = [redrawn, circle(1, 2000, 305, { version: 2, fromMs: redrawn.toMs })]
    expect(spansIn(ruleOf('AREA_LEFT'), visit.slice(0, 60), versions)).toEqual([])
  })

  it.each([
    ['25 m outside', 230, 17, 0, OFF],
    ['15 m inside', 190, 17, 1, OFF],
    ['60 m outside, in a garage', 265, 60, 0, OFF],
    ['25 m inside, in a garage', 180, 60, 1, OFF],
    ['25 m outside, by speed', 230, 30, 0, { GPS_SPEED: 0 }],
    ['25 m outside, by motion', 230, 30, 0, { IS_MOVING: false }],
    ['25 m outside, by positions', 230, 17, 0, {}],
    ['15 m inside, by positions', 190, 17, 1, {}],
  ])('is where the car was parked, %s, whatever noise says', (_, eastM, noiseM, visits, says) => {
    const noise = (seconds: number, turn: number) => Math.sin(seconds * turn) * noiseM * 2
    const samples = [
      ...drive(-500, -10, eastM - 3000),
      at(0, { ...says, POSITION: place(2000 + eastM) }),
      ...every(60, 60, 30_000, seconds => ({
        ...says,
        POSITION: place(2000 + eastM + noise(seconds, 1.7), noise(seconds, 2.3)),
      })),
    ]
    expect(spansIn(ruleOf('AREA_ENTERED'), samples, [depot])).toHaveLength(visits)
    expect(spansIn(ruleOf('AREA_LEFT'), samples, [depot])).toEqual([])
    const drawing = drawingOf([{ ...ALWAYS, shape: depot.shape }])
    const trip = { fromMs: NOON_MS - 500_000, toMs: NOON_MS + 1 }
    const tracker = new VisitTracker(drawing, USUAL_PRESENCE, [trip])
    for (const sample of samples) tracker.add(sample.timeMs, readingOf(sample).position ?? place(0))
    expect(tracker.ended()).toHaveLength(visits)
  })

  it('may be found when it ends', () => {
    expect(spansIn(ruleOf('AREA_LEFT'), visit, [depot])).toEqual([[830, 830]])
    expect(spansIn(ruleOf('AREA_LEFT'), visit.slice(0, 60), [depot])).toEqual([])
  })

  it('may be found when it is long', () => {
    expect(spansIn(ruleOf('AREA_STAYED', { longerThanMinutes: 10 }), visit, [depot])).toEqual([[180, 830]])
    expect(spansIn(ruleOf('AREA_STAYED', { longerThanMinutes: 10 }), visit.slice(0, 76), [depot])).toEqual([])
    expect(spansIn(ruleOf('AREA_STAYED', { longerThanMinutes: 11 }), visit, [depot])).toEqual([])
  })
})

describe('outside of areas', () => {
  it('is where none of them is, until the car is in one', () => {
    expect(spansIn(ruleOf('OUTSIDE_AREAS', { forMinutes: 2 }), visit, [depot])).toEqual([
      [0, 170],
      [840, null],
    ])
    expect(spansIn(ruleOf('OUTSIDE_AREAS', { forMinutes: 5 }), visit, [depot])).toEqual([])
  })

  it('applies at the hours of the rule', () => {
    const days = Array.from({ length: 7 }, () => [{ fromMinute: 12 * 60 + 15, toMinute: 12 * 60 + 20 }])
    const rule = ruleOf('OUTSIDE_AREAS', { forMinutes: 1 }, { hours: { timeZone: 'UTC', days } })
    expect(spansIn(rule, [...visit, ...stand(1010, 1500, 4000)], [depot])).toEqual([[900, 1190]])
  })
})

const fast = every(5, 0, 200, seconds => ({ POSITION: place(seconds * 20), VEHICLE_SPEED_AVERAGE: 72 }))

it('speeding in an area is what is faster than its limit within its border', () => {
  const rule = ruleOf('SPEEDING_IN_AREA', { limitKmh: 50 })
  expect(spansIn(rule, fast, [depot])).toEqual([[90, 110]])
  expect(incidentsIn(rulesOf([rule], [depot]), fast)[0]).toMatchObject({ areaId: 1, peak: 72 })
  expect(spansIn(ruleOf('SPEEDING_IN_AREA', { limitKmh: 80 }), fast, [depot])).toEqual([])
})
