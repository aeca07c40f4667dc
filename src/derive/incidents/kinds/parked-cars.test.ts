import { describe, expect, it } from 'vitest'
import { incidentsIn, ruleOf, rulesOf, spansIn } from '../../../../test/found-incidents.ts'
import { at, every, ignition, place } from '../../../../test/trip-samples.ts'

const parked = (fromS: number, toS: number, eastM = 0, everyS = 240) =>
  every(everyS, fromS, toS, () => ({ IS_IGNITION_ON: false, POSITION: place(eastM) }))

describe('towing', () => {
  const rule = ruleOf('TOWED')
  /** East at 36 km/h, a fix every four minutes. */
  const towed = (fromS: number, toS: number) =>
    every(240, fromS, toS, seconds => ({ IS_IGNITION_ON: false, POSITION: place((seconds - fromS + 240) * 10) }))

  it('lasts from where the car stood to the last fix of the way', () => {
    const samples = [...parked(0, 2400), ...towed(2640, 3600), ...parked(3840, 9600, 12_000)]
    expect(spansIn(rule, samples)).toEqual([[2400, 3600]])
    expect(incidentsIn(rulesOf([rule]), samples)[0]).toMatchObject({
      startLongitude: place(0).lon,
      endLongitude: place(12_000).lon,
      peak: 12_000,
    })
  })

  it('is still on while the car is moved', () => {
    expect(spansIn(rule, [...parked(0, 2400), ...towed(2640, 3600)])).toEqual([[2400, null]])
  })

  it('is no drive, and none that was not reported in whole', () => {
    const driven = every(10, 2410, 2600, seconds => ({ IS_IGNITION_ON: true, POSITION: place((seconds - 2400) * 10) }))
    expect(spansIn(rule, [...parked(0, 2400), ...driven, ignition(2605, false), ...parked(2640, 9600, 2000)])).toEqual(
      [],
    )
    const woken = every(10, 2410, 2600, seconds => ({
      VEHICLE_SPEED_AVERAGE: 36,
      POSITION: place((seconds - 2400) * 10),
    }))
    expect(spansIn(rule, [...parked(0, 2400), ...woken])).toEqual([])
    expect(spansIn(rule, [...parked(0, 2400), ...parked(20_000, 30_000, 9000)])).toEqual([])
  })

  it('is no drift, and no false fix', () => {
    const drift = every(240, 0, 9600, seconds => ({ IS_IGNITION_ON: false, POSITION: place((seconds % 960) / 8) }))
    expect(spansIn(rule, drift)).toEqual([])
    const astray = [...parked(0, 2400), at(2640, { POSITION: place(3000) }), ...parked(2880, 9600)]
    expect(spansIn(rule, astray)).toEqual([])
  })

  it('is none as long as nothing but some fixes say so', () => {
    /** Around a place where it stands until then, east by so much at some minutes. */
    const night = (eastAt: (minute: number) => number) =>
      every(60, 0, 36_000, seconds => ({ IS_IGNITION_ON: false, GPS_SPEED: 0, POSITION: place(eastAt(seconds / 60)) }))
    const some: readonly ((minute: number) => number)[] = [
      minute => (minute === 60 || minute === 61 ? 300 : 0),
      minute => (minute === 60 ? 300 : minute === 61 ? 330 : 0),
      minute => (minute === 60 ? 250 : minute === 61 ? -250 : 0),
      minute => (minute === 60 ? 600 : minute === 61 ? -600 : 0),
      minute => (minute % 60 > 57 ? 300 + (minute % 2) : 0),
      minute => (minute >= 60 && minute < 65 ? 300 + minute : 0),
      minute => (minute >= 60 && minute < 75 ? 300 : 0),
      minute => Math.sin(minute * 1.7) * 150,
    ]
    for (const eastAt of some) expect(spansIn(rule, night(eastAt))).toEqual([])
    // It stays there, or something else says so, too.
    expect(
      spansIn(
        rule,
        night(minute => (minute < 60 ? 0 : 300)),
      ),
    ).toEqual([[3540, expect.any(Number)]])
    const felt = [
      ...parked(0, 2400),
      ...every(60, 2460, 2520, seconds => ({ IS_MOVING: true, POSITION: place((seconds - 2400) * 4) })),
      ...every(60, 2580, 9000, () => ({ IS_MOVING: false, POSITION: place(500) })),
    ]
    expect(spansIn(rule, felt)).toEqual([[2400, 2520]])
  })

  it('is not found for dongles that know nothing of the ignition', () => {
    expect(
      spansIn(
        rule,
        every(60, 0, 3600, seconds => ({ POSITION: place(seconds * 10) })),
      ),
    ).toEqual([])
  })
})

describe('a low battery', () => {
  const rule = ruleOf('LOW_BATTERY', { belowV: 11.8, restMinutes: 30 })
  const resting = (fromS: number, toS: number, volts: (seconds: number) => number) =>
    every(600, fromS, toS, seconds => ({ IS_IGNITION_ON: false, BATTERY_VOLTAGE: volts(seconds) }))

  it('is one whose voltage stays low at rest, with the lowest as its peak', () => {
    const samples = resting(0, 36_000, seconds => 12.4 - seconds / 36_000)
    expect(spansIn(rule, samples)).toEqual([[22_200, null]])
    expect(incidentsIn(rulesOf([rule]), samples)[0]?.peak).toBeCloseTo(11.4)
  })

  it('ends with the last low reading before the engine starts or the battery is charged', () => {
    const low = resting(0, 7200, () => 11.5)
    expect(spansIn(rule, [...low, at(7300, { IS_IGNITION_ON: true, BATTERY_VOLTAGE: 9.5 })])).toEqual([[1800, 7200]])
    expect(spansIn(rule, [...low, ...resting(7800, 9000, () => 13.2)])).toEqual([[1800, 7200]])
  })

  it('is not the starter, nor the moment after, nor a single reading', () => {
    const driving = every(60, 0, 3600, () => ({ IS_IGNITION_ON: true, BATTERY_VOLTAGE: 11 }))
    expect(spansIn(rule, driving)).toEqual([])
    expect(spansIn(rule, [ignition(0, true), ...resting(60, 1700, () => 11.5)])).toEqual([])
    expect(
      spansIn(
        rule,
        resting(0, 36_000, seconds => (seconds === 18_000 ? 10 : 12.4)),
      ),
    ).toEqual([])
  })
})

describe('use outside permitted hours', () => {
  const day = [{ fromMinute: 6 * 60, toMinute: 12 * 60 + 10 }]
  const rule = ruleOf(
    'USED_OUTSIDE_HOURS',
    {},
    { hours: { timeZone: 'UTC', days: Array.from({ length: 7 }, () => day) } },
  )
  const drive = (fromS: number, toS: number) =>
    every(10, fromS, toS, seconds => ({ VEHICLE_SPEED_AVERAGE: 50, POSITION: place(seconds * 14) }))
  const stand = (fromS: number, toS: number) =>
    every(60, fromS, toS, () => ({ VEHICLE_SPEED_AVERAGE: 0, POSITION: place(18_000 * 14) }))

  it('is driving at another time, until the car is parked', () => {
    expect(spansIn(rule, [...drive(0, 1200), ...stand(1210, 2400)])).toEqual([[600, 1200]])
    expect(spansIn(rule, drive(0, 590))).toEqual([])
    expect(spansIn(rule, stand(700, 9000))).toEqual([])
  })

  it('goes on over a red light, and is no way across the yard', () => {
    const light = [...drive(700, 1000), ...stand(1010, 1130), ...drive(1200, 1500)]
    expect(spansIn(rule, light)).toEqual([[700, null]])
    expect(spansIn(rule, [...drive(700, 760), ...stand(770, 3000)])).toEqual([])
  })

  it('is not being towed', () => {
    const towed = every(240, 700, 3000, seconds => ({
      IS_IGNITION_ON: false,
      POSITION: place(seconds * 10),
      IS_MOVING: true,
    }))
    expect(spansIn(rule, towed)).toEqual([])
  })

  it('without hours permits everything', () => {
    expect(spansIn({ ...rule, hours: null }, drive(0, 1200))).toEqual([])
  })
})
