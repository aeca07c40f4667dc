import { describe, expect, it } from 'vitest'
import type { LatestValues } from '../latest-values/latest-values.ts'
import { deviceIdentity, FIRMWARE_VERSION, FUEL_TYPE, lastPluggedIn, PLUGGED_IN, vehicleFuelType } from './identity.ts'

const firmware = (value: string, timeMs = 1): LatestValues => new Map([[FIRMWARE_VERSION.id, { timeMs, value }]])
const fuel = (value: string, timeMs = 1): LatestValues => new Map([[FUEL_TYPE.id, { timeMs, value }]])

describe('what a dongle says of itself', () => {
  it.each([
    ['FMB003.Ver.03.27.07.Rev.123', 'Teltonika', 'FMB003', ''],
    ['FMC003 03.28.03', 'Teltonika', 'FMC003', ''],
    ['Ver:03.25.14_02 GPS:AXN_5.10 Hw:FMB003 Mod:13 IMEI:356307042441013', 'Teltonika', 'FMB003', '13'],
    ['GV500MAP R01A02V12', 'Queclink', 'GV500MAP', ''],
    ['1.0.4', '', '', ''],
    ['', '', '', ''],
  ])('%s', (text, manufacturer, hardwareType, hardwareVersion) => {
    expect(deviceIdentity([firmware(text)])).toEqual({
      firmwareVersion: text,
      manufacturer,
      hardwareType,
      hardwareVersion,
    })
  })

  it('is what it said last, in whatever vehicle, and nothing when it said nothing', () => {
    expect(deviceIdentity([firmware('2', 20), firmware('1', 10)]).firmwareVersion).toBe('2')
    expect(deviceIdentity([]).firmwareVersion).toBe('')
  })

  it('whether it is plugged in is its last word, in whatever vehicle', () => {
    const said = (value: boolean, timeMs: number): LatestValues => new Map([[PLUGGED_IN.id, { timeMs, value }]])
    expect(lastPluggedIn([said(true, 1), said(false, 2)])).toBe(false)
    expect(lastPluggedIn([firmware('1')])).toBeUndefined()
  })
})

describe('the fuel type of a vehicle', () => {
  it.each([
    ['Diesel', 'Diesel'],
    ['4', 'Diesel'],
    ['1', 'Gasoline'],
    ['8', 'Electric'],
    ['0', ''],
    ['99', ''],
    [' E10 ', 'E10'],
  ])('%j is %j', (reported, text) => {
    expect(vehicleFuelType([fuel(reported)])).toBe(text)
  })

  it('is what was reported last by any of its dongles', () => {
    expect(vehicleFuelType([fuel('1', 10), fuel('4', 20), fuel('5', 15)])).toBe('Diesel')
    expect(vehicleFuelType([])).toBe('')
  })
})
