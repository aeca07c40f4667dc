import { describe, expect, it } from 'vitest'
import { incidentsIn, ruleOf, rulesOf, spansIn } from '../../../../test/found-incidents.ts'
import type { Values } from '../../../../test/sample-with.ts'
import { at, every, ignition, place } from '../../../../test/trip-samples.ts'
import type { Sample } from '../../../model/sample.ts'

/** So many minutes after noon. */
const minute = (minutes: number, values: Values) => at(minutes * 60, values)
const driving = (from: number, to: number, level: (minutes: number) => number) =>
  every(60, from * 60, to * 60, seconds => ({
    IS_IGNITION_ON: true,
    VEHICLE_SPEED_AVERAGE: 60,
    POSITION: place(0, seconds * 16),
    FUEL_LEVEL_PERCENT: level(seconds / 60),
  }))
const parked = (minutes: number, level: number, more: Values = {}) =>
  minute(minutes, {
    IS_IGNITION_ON: false,
    VEHICLE_SPEED_AVERAGE: 0,
    POSITION: place(0, 29_000),
    FUEL_LEVEL_PERCENT: level,
    ...more,
  })
const minutesOf = (spans: ReturnType<typeof spansIn>) => spans.map(span => span.map(seconds => seconds && seconds / 60))

describe('refuelling', () => {
  const rule = ruleOf('REFUELLED', { rise: 10 })

  it('is found with how much, from the last level before to the first after', () => {
    const samples = [...driving(0, 30, () => 20), parked(31, 20), parked(41, 90), ...driving(42, 50, () => 90)]
    expect(incidentsIn(rulesOf([rule]), samples)).toEqual([expect.objectContaining({ peak: 70 })])
    expect(minutesOf(spansIn(rule, samples))).toEqual([[31, 41]])
  })

  it('is one, however slowly the level rises', () => {
    const samples = [parked(0, 20), ...[35, 50, 65, 80, 80].map((level, index) => parked(index + 1, level))]
    expect(minutesOf(spansIn(rule, samples))).toEqual([[0, 4]])
  })

  it('is no sloshing, no single wrong reading, and nothing that a rebooted sensor says', () => {
    expect(
      spansIn(
        rule,
        driving(0, 60, minutes => 50 + (minutes % 2) * 6),
      ),
    ).toEqual([])
    expect(
      spansIn(
        rule,
        driving(0, 60, minutes => (minutes === 30 ? 100 : 50)),
      ),
    ).toEqual([])
    expect(
      spansIn(
        rule,
        driving(0, 60, minutes => (minutes === 30 ? 0 : 50)),
      ),
    ).toEqual([])
  })

  it.each([
    ['48 for 30 s uphill', (seconds: number) => (seconds >= 600 && seconds < 630 ? 48 : 60)],
    ['48 for 4 min uphill', (seconds: number) => (seconds >= 600 && seconds < 840 ? 48 : 60)],
    ['0 at first', (seconds: number) => (seconds < 50 ? 0 : 60)],
    ['5 at first', (seconds: number) => (seconds < 90 ? 5 : 60)],
    ['100 at first', (seconds: number) => (seconds < 50 ? 100 : 60)],
    ['0 in between', (seconds: number) => (seconds >= 600 && seconds < 700 ? 0 : 60)],
    ['100 in between', (seconds: number) => (seconds >= 600 && seconds < 700 ? 100 : 60)],
    ['100 at last', (seconds: number) => (seconds >= 1150 && seconds < 1190 ? 100 : 60)],
    ['sloshing', (seconds: number) => 60 + 15 * Math.sin(seconds / 25)],
  ])('and fuel lost are none of a car that drives on: %s', (name, level) => {
    for (const kmh of name === 'sloshing' ? [60] : [60, 0]) {
      const drive = every(10, 0, 1200, seconds => ({
        IS_IGNITION_ON: true,
        ENGINE_RPM_AVERAGE: 1500,
        VEHICLE_SPEED_AVERAGE: kmh,
        POSITION: place(0, seconds * (kmh / 3.6)),
        FUEL_LEVEL_PERCENT: level(seconds),
      }))
      const night = every(240, 1500, 9000, () => ({ IS_IGNITION_ON: false, FUEL_LEVEL_PERCENT: 60 }))
      for (const kind of ['REFUELLED', 'FUEL_LOST'] as const)
        expect(spansIn(ruleOf(kind), [...drive, ignition(1210, false), ...night])).toEqual([])
    }
  })

  it('is found with the engine running, and of a gauge that rises while the car drives off', () => {
    const pump = every(10, 1810, 2100, seconds => ({
      IS_IGNITION_ON: true,
      ENGINE_RPM_AVERAGE: 800,
      VEHICLE_SPEED_AVERAGE: 0,
      POSITION: place(0, 29_000),
      FUEL_LEVEL_PERCENT: Math.min(90, 20 + (seconds - 1810) / 3),
    }))
    const found = (samples: readonly Sample[]) => incidentsIn(rulesOf([rule]), samples).map(({ peak }) => peak)
    expect(found([...driving(0, 30, () => 20), ...pump, ...driving(36, 50, () => 90)])).toEqual([70])
    const damped = every(10, 2400, 3600, seconds => ({
      IS_IGNITION_ON: true,
      VEHICLE_SPEED_AVERAGE: 60,
      POSITION: place(0, 29_000 + (seconds - 2400) * 16),
      FUEL_LEVEL_PERCENT: Math.min(90, 20 + (seconds - 2400) / 2),
    }))
    expect(found([...driving(0, 30, () => 20), ...damped])).toHaveLength(1)
  })

  it('is seen in litres', () => {
    const litres = ruleOf('REFUELLED', { measuredBy: 'FUEL_LEVEL', rise: 10 })
    const samples = [8, 8, 48, 48].map((level, index) => minute(index, { FUEL_LEVEL: level, VEHICLE_SPEED_AVERAGE: 0 }))
    expect(minutesOf(spansIn(litres, samples))).toEqual([[1, 2]])
  })
})

describe('fuel lost', () => {
  const rule = ruleOf('FUEL_LOST', { fall: 8 })

  it('is found with how much, from the last level before to the first after', () => {
    const samples = [...driving(0, 30, () => 70), parked(31, 70), parked(240, 30), parked(300, 30)]
    expect(minutesOf(spansIn(rule, samples))).toEqual([[31, 240]])
    expect(incidentsIn(rulesOf([rule]), samples)[0]).toMatchObject({ peak: 40 })
  })

  it('is seen where a control unit repeats that the engine runs, once the car has stood for a while', () => {
    const said = { IS_IGNITION_ON: true, VEHICLE_SPEED_AVERAGE: 26, MILEAGE: 20_000.5, IS_MOVING: false }
    const standing = (from: number, to: number, level: number) =>
      every(10, from * 60, to * 60, () => ({ ...said, POSITION: place(0, 29_000), FUEL_LEVEL_PERCENT: level }))
    const samples = [...driving(0, 30, () => 70), ...standing(31, 51, 70), ...standing(52, 60, 50)]
    expect(incidentsIn(rulesOf([rule]), samples)).toMatchObject([{ peak: 20 }])
  })

  it('is seen where the receiver wanders about the parked car', () => {
    const wandering = [0, 40, -30, 90, 20, 120, 10].map((east, index) =>
      minute(240 + index, {
        IS_IGNITION_ON: false,
        IS_MOVING: index % 2 === 0,
        POSITION: place(east, 29_000),
        FUEL_LEVEL_PERCENT: 30,
      }),
    )
    expect(incidentsIn(rulesOf([rule]), [...driving(0, 30, () => 70), parked(31, 70), ...wandering])).toMatchObject([
      { peak: 40 },
    ])
  })

  it('and refuelling are not found in samples of a wrong clock, whose odometer is ahead', () => {
    const ahead = [
      parked(-60, 50, { MILEAGE: 20_005 }),
      parked(0, 70, { MILEAGE: 20_000 }),
      parked(10, 70, { MILEAGE: 20_000 }),
    ]
    expect(spansIn(ruleOf('REFUELLED', { rise: 10 }), ahead)).toEqual([])
    const behind = [parked(-60, 50, { MILEAGE: 20_000 }), ...ahead.slice(1)]
    expect(spansIn(ruleOf('REFUELLED', { rise: 10 }), behind)).toHaveLength(1)
  })

  it('is seen when the car drives away only', () => {
    const start = parked(600, 30, { IS_IGNITION_ON: true })
    const samples = [...driving(0, 30, () => 70), parked(31, 70), start, ...driving(601, 605, () => 30)]
    expect(minutesOf(spansIn(rule, samples))).toEqual([[31, 600]])
  })

  it('is seen at once after refuelling', () => {
    const samples = [parked(0, 20), parked(10, 90), parked(60, 70), parked(120, 70)]
    expect(minutesOf(spansIn(rule, samples))).toEqual([[10, 60]])
  })

  it('is not what the engine burns, nor what a drive burnt that nobody saw', () => {
    expect(
      spansIn(
        rule,
        driving(0, 300, minutes => 90 - minutes / 5),
      ),
    ).toEqual([])
    const unseen = [
      parked(0, 70),
      parked(300, 40, { POSITION: place(0, 90_000) }),
      parked(310, 40, { POSITION: place(0, 90_000) }),
    ]
    expect(spansIn(rule, unseen)).toEqual([])
    const counted = [parked(0, 70, { MILEAGE: 1000 }), parked(300, 40, { MILEAGE: 1200 }), parked(310, 40)]
    expect(spansIn(rule, counted)).toEqual([])
  })

  it('is more than a short way can have used that nobody saw, by the odometer', () => {
    const gone = [
      parked(0, 86, { MILEAGE: 1000 }),
      ...[300, 310].map(minutes => parked(minutes, 62, { MILEAGE: 1004 })),
    ]
    expect(minutesOf(spansIn(rule, gone))).toEqual([[0, 300]])
    const farther = [
      parked(0, 86, { MILEAGE: 1000 }),
      ...[300, 310].map(minutes => parked(minutes, 62, { MILEAGE: 1040 })),
    ]
    expect(spansIn(rule, farther)).toEqual([])
    const justNow = [parked(0, 86, { MILEAGE: 1000 }), ...[5, 6].map(minutes => parked(minutes, 62, { MILEAGE: 1004 }))]
    expect(spansIn(rule, justNow)).toEqual([])
  })

  it('is no single wrong reading', () => {
    expect(spansIn(rule, [parked(0, 70), parked(60, 20), parked(120, 70), parked(180, 70)])).toEqual([])
  })
})

describe('charging', () => {
  const rule = ruleOf('CHARGED', { risePercent: 5 })
  const level = (minutes: number, percent: number) =>
    minute(minutes, { HV_BATTERY_SOC: percent, IS_IGNITION_ON: false, VEHICLE_SPEED_AVERAGE: 0 })

  it('is one, from the lowest level to the highest, however slow', () => {
    const samples = Array.from({ length: 120 }, (_, index) => level(index * 4, Math.min(90, 40 + index)))
    const driven = every(60, 30_000, 31_000, seconds => ({
      VEHICLE_SPEED_AVERAGE: 60,
      HV_BATTERY_SOC: 90 - (seconds - 30_000) / 100,
    }))
    expect(minutesOf(spansIn(rule, [...samples, ...driven]))).toEqual([[0, 200]])
    expect(incidentsIn(rulesOf([rule]), [...samples, ...driven])[0]).toMatchObject({ peak: 50 })
  })

  it('is not what a way downhill gives back', () => {
    const downhill = every(10, 0, 600, seconds => ({ VEHICLE_SPEED_AVERAGE: 60, HV_BATTERY_SOC: 50 + seconds / 150 }))
    expect(spansIn(rule, downhill)).toEqual([])
  })
})
