import { describe, expect, it } from 'vitest'
import { ALWAYS, incidentsIn, ruleOf, rulesOf, spansIn } from '../../../../test/found-incidents.ts'
import { at, every, NOON_MS, place } from '../../../../test/trip-samples.ts'
import type { AreaVersion } from '../../rules/rule-book.ts'

const circle = (areaId: number, eastM: number, radiusM: number, more: Partial<AreaVersion> = {}): AreaVersion => {
  const { lon, lat } = place(eastM)
  return { ...ALWAYS, areaId, version: 1, shape: { type: 'circle', center: [lon, lat], radiusM }, ...more }
}
const depot = circle(1, 2000, 205)
const yard = circle(2, 2100, 50)

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

describe('speeding in an area', () => {
  const fast = every(5, 0, 200, seconds => ({ POSITION: place(seconds * 20), VEHICLE_SPEED_AVERAGE: 72 }))

  it('is what is faster than its limit within its border', () => {
    const rule = ruleOf('SPEEDING_IN_AREA', { limitKmh: 50 })
    expect(spansIn(rule, fast, [depot])).toEqual([[90, 110]])
    expect(incidentsIn(rulesOf([rule], [depot]), fast)[0]).toMatchObject({ areaId: 1, peak: 72 })
    expect(spansIn(ruleOf('SPEEDING_IN_AREA', { limitKmh: 80 }), fast, [depot])).toEqual([])
  })
})
