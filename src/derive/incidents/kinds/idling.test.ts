import { describe, expect, it } from 'vitest'
import { ruleOf, spansIn } from '../../../../test/found-incidents.ts'
import { at, every, ignition, place } from '../../../../test/trip-samples.ts'

const rule = ruleOf('IDLING', { forMinutes: 5 })
const standing = (fromS: number, toS: number, everyS = 10) =>
  every(everyS, fromS, toS, () => ({ VEHICLE_SPEED_AVERAGE: 0, POSITION: place(0) }))
const driving = (fromS: number, toS: number) =>
  every(10, fromS, toS, seconds => ({ VEHICLE_SPEED_AVERAGE: 50, POSITION: place(0, (seconds - fromS) * 14) }))

describe('idling', () => {
  it('lasts from standstill until the car drives on', () => {
    const samples = [ignition(0, true), ...driving(10, 100), ...standing(110, 600), ...driving(610, 700)]
    expect(spansIn(rule, samples)).toEqual([[110, 600]])
  })

  it('ends when the ignition is turned off', () => {
    const samples = [ignition(0, true), ...driving(10, 100), ...standing(110, 600), ignition(605, false)]
    expect(spansIn(rule, samples)).toEqual([[110, 605]])
  })

  it('ends before a drive without a record', () => {
    const off = at(1200, { IS_IGNITION_ON: false, POSITION: place(0, 5000) })
    expect(spansIn(rule, [ignition(0, true), ...standing(10, 600), off])).toEqual([[10, 600]])
    const onlyDriven = [ignition(0, true), ...standing(10, 20), off]
    expect(spansIn(rule, onlyDriven)).toEqual([])
    const again = every(10, 1200, 1700, () => ({ VEHICLE_SPEED_AVERAGE: 0, POSITION: place(0, 5000) }))
    expect(spansIn(rule, [ignition(0, true), ...standing(10, 600), ...again])).toEqual([
      [10, 600],
      [1200, null],
    ])
  })

  it('is no red light', () => {
    const samples = [ignition(0, true), ...driving(10, 100), ...standing(110, 300), ...driving(310, 400)]
    expect(spansIn(rule, samples)).toEqual([])
  })

  it('is not standing with the engine off', () => {
    expect(spansIn(rule, [ignition(0, false), ...standing(10, 3600)])).toEqual([])
    expect(spansIn(rule, standing(10, 3600))).toEqual([])
    const radio = every(10, 0, 3600, () => ({ IS_IGNITION_ON: true, ENGINE_RPM_AVERAGE: 0, VEHICLE_SPEED_AVERAGE: 0 }))
    expect(spansIn(rule, radio)).toEqual([])
    const startStop = every(10, 0, 3600, () => ({
      IS_IGNITION_ON: true,
      ENGINE_STATE: false,
      VEHICLE_SPEED_AVERAGE: 0,
    }))
    expect(spansIn(rule, startStop)).toEqual([])
  })

  it('is not an ignition that is on while the generator is still, as when a battery is charged', () => {
    const charging = (fromS: number) =>
      every(60, fromS, fromS + 3600, () => ({ IS_IGNITION_ON: true, BATTERY_VOLTAGE: 12.5, VEHICLE_SPEED_AVERAGE: 0 }))
    expect(spansIn(rule, charging(0))).toEqual([])
    const driven = every(10, 0, 100, () => ({
      IS_IGNITION_ON: true,
      ENGINE_RPM_AVERAGE: 1800,
      VEHICLE_SPEED_AVERAGE: 50,
    }))
    expect(spansIn(rule, [...driven, ignition(110, false), ...charging(200)])).toEqual([])
  })

  it('is seen at a record every five minutes, and is still on', () => {
    expect(spansIn(rule, [ignition(0, true), ...standing(0.5, 900, 300)])).toEqual([[0.5, null]])
  })

  it('is known where only the engine is', () => {
    const samples = [at(0, { ENGINE_STATE: true }), ...standing(10, 400), at(405, { ENGINE_STATE: false })]
    expect(spansIn(rule, samples)).toEqual([[10, 405]])
  })
})
