import { describe, expect, it } from 'vitest'
import { incidentsIn, ruleOf, rulesOf, spansIn } from '../../../../test/found-incidents.ts'
import { at, every, NOON_MS, place } from '../../../../test/trip-samples.ts'

const limit = ruleOf('SPEEDING', { limitKmh: 100 })

/** North at a speed, which the car reports, every five seconds. */
const driving = (fromS: number, toS: number, kmh: number) =>
  every(5, fromS, toS, seconds => ({ VEHICLE_SPEED_AVERAGE: kmh, POSITION: place(0, (seconds * kmh) / 3.6) }))

describe('speeding', () => {
  it('lasts from the first reading above the limit to the last', () => {
    expect(spansIn(limit, [...driving(0, 20, 90), ...driving(25, 60, 120), ...driving(65, 90, 80)])).toEqual([[25, 60]])
  })

  it('has the greatest speed as its peak, and where the car was', () => {
    const samples = [...driving(0, 20, 120), at(25, { VEHICLE_SPEED_AVERAGE: 131 }), ...driving(30, 40, 118)]
    expect(incidentsIn(rulesOf([limit]), samples)).toEqual([
      expect.objectContaining({
        kind: 'SPEEDING',
        endMs: null,
        peak: 131,
        peakMs: NOON_MS + 25_000,
        startLongitude: place(0).lon,
        startLatitude: place(0).lat,
        endLongitude: null,
      }),
    ])
  })

  it('is no single reading, and no two of an instant', () => {
    const one = [...driving(0, 20, 90), at(25, { VEHICLE_SPEED_AVERAGE: 200 }), ...driving(30, 50, 90)]
    const two = [...driving(0, 20, 90), ...driving(25, 30, 140), ...driving(35, 50, 90)]
    expect(spansIn(limit, one)).toEqual([])
    expect(spansIn(limit, two)).toEqual([])
  })

  it('does not begin within the tolerance, nor end there', () => {
    expect(spansIn(limit, driving(0, 60, 103))).toEqual([])
    const around = [...driving(0, 20, 110), ...driving(25, 40, 102), ...driving(45, 60, 110), ...driving(65, 70, 100)]
    expect(spansIn(limit, around)).toEqual([[0, 60]])
  })

  it('is found by a single mean of a minute', () => {
    const mean = (seconds: number, kmh: number) =>
      at(seconds, { VEHICLE_SPEED_AVERAGE: kmh, VEHICLE_SPEED_MAX: kmh + 9, POSITION: place(0, seconds * 30) })
    expect(spansIn(limit, [mean(0, 90), mean(60, 120), mean(120, 90)])).toEqual([[0, 60]])
  })

  it('is found by the speed of the receiver, but not with a false fix', () => {
    const fix = (seconds: number, eastM = 0) => ({ GPS_SPEED: 130, POSITION: place(eastM, seconds * 36) })
    expect(
      spansIn(
        limit,
        every(10, 0, 30, seconds => fix(seconds)),
      ),
    ).toEqual([[0, null]])
    const astray = every(10, 0, 60, seconds =>
      seconds > 20 ? fix(seconds, 40_000) : { GPS_SPEED: 80, POSITION: place(0, seconds * 22) },
    )
    expect(spansIn(limit, astray)).toEqual([])
  })

  it('is not what a parked car repeats', () => {
    const parked = every(30, 0, 3600, () => ({ VEHICLE_SPEED_AVERAGE: 130, GPS_SPEED: 0, POSITION: place(0) }))
    expect(spansIn(limit, parked.slice(3))).toEqual([])
    const astray = every(30, 0, 3600, () => ({ IS_IGNITION_ON: false, GPS_SPEED: 150, POSITION: place(0) }))
    expect(spansIn(limit, astray)).toEqual([])
  })

  it('is not what a parked car repeats, whatever its receiver reports instead of a fix; but it is in a tunnel', () => {
    const parkedS = 1800
    const repeated = every(10, 0, parkedS, seconds => ({
      VEHICLE_SPEED_AVERAGE: 130,
      VEHICLE_SPEED_MAX: 130,
      GPS_SPEED: 0,
      POSITION: seconds > 120 && seconds % 70 < 20 ? { lon: 0, lat: 0 } : place(0),
    }))
    expect(spansIn(limit, repeated)).toEqual([])
    const inTunnel = every(10, 60, 120, () => ({
      VEHICLE_SPEED_AVERAGE: 130,
      VEHICLE_SPEED_MAX: 130,
      GPS_SPEED: 0,
      POSITION: { lon: 0, lat: 0 },
    }))
    expect(spansIn(limit, [...driving(0, 50, 80), ...inTunnel, ...driving(125, 130, 80)])).toEqual([[50, 120]])
  })

  it('ends with the last sample before a silence', () => {
    expect(spansIn(limit, [...driving(0, 60, 120), ...driving(1200, 1260, 120)])).toEqual([
      [0, 60],
      [1200, null],
    ])
  })
})
