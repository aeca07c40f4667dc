import { describe, expect, it, test } from 'vitest'
import { type EventTypeName, requiredEventType } from '../catalogue/event-types.ts'
import { availableOf, type EventValue } from './sample.ts'
import { vinIn } from './vin.ts'

const read = (name: EventTypeName, value: EventValue) => availableOf(requiredEventType(name), value)

describe('a number', () => {
  it.each<[EventTypeName, number]>([
    ['ENGINE_RPM_AVERAGE', 65_535],
    ['ENGINE_RPM_MAX', 16_383.75],
    ['WARNING_RPM', 8191.875],
    ['VEHICLE_SPEED_AVERAGE', 255],
    ['GPS_SPEED', 255 * 1.852],
    ['ENGINE_COOLANT_TEMPERATURE', 215],
    ['ENGINE_OIL_TEMPERATURE', 1774.97],
    ['AMBIENT_AIR_TEMPERATURE', 215],
    ['FUEL_LEVEL_PERCENT', 102],
    ['HV_BATTERY_SOC', 255],
    ['ENGINE_LOAD_AVERAGE', 255],
    ['FUEL_RATE_AVERAGE', 3276.75],
    ['BATTERY_VOLTAGE', 65.535],
    ['MILEAGE', 4_294_967.295],
    ['MILEAGE', 4_294_967_295],
    ['DISTANCE_MIL_ON', 65_535],
    ['ENGINE_RUN_TIME', 65_535],
    ['TRIP_DURATION', 4_294_967_295],
    ['GPS_SATELLITES_IN_USE', 255],
    ['GPS_HDOP', 99.99],
    ['GPS_SPEED', -1],
  ])('%s of %d is not available', (name, value) => {
    expect(read(name, value)).toBeUndefined()
  })

  it.each<[EventTypeName, number]>([
    ['ENGINE_RPM_AVERAGE', 8000],
    ['VEHICLE_SPEED_AVERAGE', 254],
    ['GPS_SPEED', 255],
    ['ENGINE_COOLANT_TEMPERATURE', 131],
    ['MILEAGE', 65_535],
    ['MILEAGE', 0],
    ['INSPECTION_REMAINING_DISTANCE', -1200],
    ['ENGINE_RUN_TIME', 70_000],
    ['BATTERY_VOLTAGE', 28.4],
  ])('%s of %d is one', (name, value) => {
    expect(read(name, value)).toBe(value)
  })
})

test('a text loses the NULs that fill its field, and nothing else', () => {
  expect(read('FIRMWARE_VERSION', '\0\x001.2\0')).toBe('1.2')
  expect(read('OBD_DTC_PERMANENT', 'P0301\0P0420\0\0')).toBe('P0301 P0420')
  expect(read('OBD_DTC_PERMANENT', '\0\0')).toBe('')
  expect(read('ICCID', ' 1 ')).toBe(' 1 ')
})

describe('a VIN', () => {
  it.each([
    ['WVWZZZ1KZAW000001', 'WVWZZZ1KZAW000001'],
    ['wf0nxxgchnjr00001\0\0\0\0\0\0\0', 'WF0NXXGCHNJR00001'],
    ['\0\0\0ZFA31200000000001', 'ZFA31200000000001'],
    [' VF1 RFB00500000001\r\n', 'VF1RFB00500000001'],
    ...['WVWZZZ1KZAW000123', 'WF0NXXGCHNJ123456', 'ZFA31200000123456', 'WVWZZZ1KZAW111111'].map(vin => [vin, vin]),
    // North America: a right check digit, also X, and none in a car made for Europe.
    ['1HGCM82633A004352', '1HGCM82633A004352'],
    ['1M8GDM9AXKP042788', '1M8GDM9AXKP042788'],
    ['3VWZZZ1KZ7M000001', '3VWZZZ1KZ7M000001'],
    // Elsewhere a wrong one is none.
    ['LPSVSEDEEML002460', 'LPSVSEDEEML002460'],
    ['JTDKB20U093000001', 'JTDKB20U093000001'],
    ['KMHD35LH5EU000001', 'KMHD35LH5EU000001'],
  ])('%j is %s', (text, vin) => {
    expect(vinIn(text)).toBe(vin)
  })

  it.each([
    '',
    ' '.repeat(17),
    ...['0', '1', '9', 'F', 'X', '-', '\0', 'ÿ'].map(letter => letter.repeat(17)),
    '12345678901234567',
    '01234567890123456',
    'ABCDEFGHJKLMNPRST',
    'ABABABABABABABABA',
    'WVWZZZ00000000000',
    'WVWZZZXXXXXXXXXXX',
    'WAUZZZ8K900000000',
    'WVWZZZ1KZ00000000',
    'AAAAAAAAAA0000001',
    'TEST1234567890123',
    'ABC12345678901234',
    'VF1RFB00507654321',
    'WF0NXXGCHN3456789',
    // I, O and Q; too short, too long; from before 1981.
    'WVWZZZ1KZAWO00001',
    'WVWZZZ1KZAW00001',
    'WVWZZZ1KZAW0000011',
    '1182345678',
    'NO DATA',
    // A wrong check digit.
    '1HGCM82643A004352',
    '1HGCM826A3A004352',
    '5YJ3E1EA7KF000001',
  ])('is not %j', text => {
    expect(vinIn(text)).toBeUndefined()
  })
})
