import { describe, expect, it } from 'vitest'
import { DONGLE, type Elements, readRecord } from '../../../test/teltonika-record.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { AVL_ROWS, familyOf } from './avl-ids.ts'

const ascii = (text: string) => Buffer.from(text, 'latin1').toString('hex')
const modelled = (hardwareType: string) => ({ ...DONGLE, hardwareType })

/** Everything a record says but the number of satellites, which each one says. */
function read(elements: Elements, hardwareType = '') {
  const { events } = readRecord(elements, { device: modelled(hardwareType) })
  return Object.fromEntries(events.filter(([name]) => name !== 'GPS_SATELLITES_IN_USE'))
}

describe('an element of a dongle', () => {
  it.each<[string, Elements, Record<string, unknown>]>([
    ['ignition', { 239: '01' }, { IS_IGNITION_ON: true }],
    ['movement', { 240: '00' }, { IS_MOVING: false }],
    ['supply voltage in mV', { 66: '3456' }, { BATTERY_VOLTAGE: 13.398 }],
    ['OBD speed', { 37: '57' }, { VEHICLE_SPEED_AVERAGE: 87 }],
    ['engine speed', { 36: '059f' }, { ENGINE_RPM_AVERAGE: 1439 }],
    ['engine load', { 31: '26' }, { ENGINE_LOAD_AVERAGE: 38 }],
    ['coolant, warm', { 32: '5a' }, { ENGINE_COOLANT_TEMPERATURE: 90 }],
    ['coolant, cold', { 32: 'ec' }, { ENGINE_COOLANT_TEMPERATURE: -20 }],
    ['outside temperature', { 53: 'fb' }, { AMBIENT_AIR_TEMPERATURE: -5 }],
    ['oil temperature', { 58: 'c8' }, { ENGINE_OIL_TEMPERATURE: 200 }],
    ['fuel level', { 48: '33' }, { FUEL_LEVEL_PERCENT: 51 }],
    ['fuel level in tenths of a litre', { 390: '00000155' }, { FUEL_LEVEL: 34.1 }],
    ['fuel rate in hundredths of l/h', { 60: '0313' }, { FUEL_RATE_AVERAGE: 7.87 }],
    ['throttle', { 41: '14' }, { THROTTLE_POSITION_AVERAGE: 20 }],
    ['engine run time', { 42: '0e10' }, { ENGINE_RUN_TIME: 3600 }],
    ['distance with the warning light on', { 43: '0102' }, { DISTANCE_MIL_ON: 258 }],
    ['distance since codes were cleared', { 49: '1000' }, { DISTANCE_SINCE_CODES_CLEARED: 4096 }],
    ['number of codes', { 30: '07' }, { OBD_DTC_COUNT: 7 }],
    ['codes', { 281: ascii('P0299,P0675') }, { OBD_DTC_PERMANENT: 'P0299,P0675' }],
    ['no codes', { 281: '' }, { OBD_DTC_PERMANENT: '' }],
    ['VIN', { 256: ascii('WV1ZZZ2EZ86015388') }, { VIN: 'WV1ZZZ2EZ86015388' }],
    ['fuel type', { 759: '04' }, { FUEL_TYPE: 'Diesel' }],
    ['HDOP', { 182: '000d' }, { GPS_HDOP: 1.3 }],
    ['the receiver', { 69: '02' }, { IS_GPS_SWITCH_ON: true }],
    ['awake', { 200: '00' }, { IS_DONGLE_IN_STANDBY: false }],
    ['deep sleep', { 200: '02' }, { IS_DONGLE_IN_STANDBY: true }],
    ['in the socket', { 252: '00' }, { IS_DONGLE_PLUGGED_IN: true }],
    ['pulled out', { 252: '01' }, { IS_DONGLE_PLUGGED_IN: false }],
    ['overspeeding', { 255: '8c' }, { WARNING_OVERSPEEDING: 140 }],
    ['charging', { 410: '01' }, { HV_BATTERY_IS_CHARGING: true }],
    ['charge', { 411: '50' }, { HV_BATTERY_SOC: 80 }],
    ['health of the battery', { 1151: '0061' }, { HV_BATTERY_SOH: 97 }],
    ['temperature of the battery', { 1152: 'fff6' }, { HV_BATTERY_TEMPERATURE: -10 }],
    ['voltage of the battery', { 543: '0170' }, { HV_BATTERY_VOLTAGE: 368 }],
    ['range', { 755: '014d' }, { REMAINING_RANGE: 333 }],
    ['distance to the next service', { 402: '00002710' }, { INSPECTION_REMAINING_DISTANCE: 10_000 }],
  ])('tells: %s', (_, elements, events) => {
    expect(read(elements)).toEqual(events)
  })

  it.each<[string, Elements]>([
    ['an ignition that is neither on nor off', { 239: '02' }],
    ['the voltage of a dongle that is not in its socket', { 66: '0003' }],
    ['a voltage of all ones', { 66: 'ffff' }],
    ['a speed of all ones', { 37: 'ff' }],
    ['a load above 100 %', { 31: 'ff' }],
    ['a coolant of -128 °C', { 32: '80' }],
    ['an engine speed above what J1979 can tell', { 36: 'ffff' }],
    ['a fuel level above 100 %', { 48: '65' }],
    ['an odometer of the car that was not read', { 389: '00000000' }],
    ['an odometer beyond its range', { 16: 'f7a39a1a' }],
    ['an HDOP of 0', { 182: '0000' }],
    ['a fuel type that is not known', { 759: '00' }],
    ['a fuel type that nobody has defined', { 759: 'ee' }],
    ['a VIN of zeros', { 256: '00'.repeat(17) }],
    ['a VIN with an impossible letter', { 256: ascii('WV1ZZZ2EZ8601538O') }],
    ['codes that are not text', { 281: '50303239ff2c' }],
    ['a cell while not in a network', { 241: '00000000', 206: '0000', 205: '0000' }],
    ['an operator without a cell', { 241: '0000601a', 206: '0001', 205: 'ffff' }],
    ['half of a SIM card', { 11: '000000003544c87a' }],
    ['a SIM card of all ones', { 11: 'ffffffffffffffff', 14: 'ffffffffffffffff' }],
    ['a trace after a crash', { 247: '05' }],
    ['harsh acceleration without how harsh', { 253: '01' }],
    ['a crash without how severe', { 247: '06' }],
    ['a crash with one axis of three', { 247: '01', 17: '0bb8' }],
  ])('says nothing with %s', (_, elements) => {
    expect(read(elements)).toEqual({})
  })

  it('of another size means something else, and is counted', () => {
    expect(readRecord({ 66: '34', 37: '0057', 256: '00' })).toEqual({
      events: [['GPS_SATELLITES_IN_USE', 0]],
      unknownIds: [66, 256, 37],
    })
  })

  it('is trimmed where it is a padded text, and counted where it is not available', () => {
    const vin = `${ascii('WF0NXXGCHNJR00001')}${'00'.repeat(7)}`
    expect(readRecord({ 256: vin, 281: `${ascii('P0301')}0000`, 36: 'ffff' })).toEqual({
      events: [
        ['GPS_SATELLITES_IN_USE', 0],
        ['OBD_DTC_PERMANENT', 'P0301'],
        ['VIN', 'WF0NXXGCHNJR00001'],
      ],
      unknownIds: [36],
    })
    expect(readRecord({ 256: '30'.repeat(17) }).unknownIds).toEqual([256])
  })

  it('without a meaning in the catalogue is counted', () => {
    expect(readRecord({ 21: '04', 67: '0fff', 181: '0009', 239: '01' })).toEqual({
      events: [
        ['GPS_SATELLITES_IN_USE', 0],
        ['IS_IGNITION_ON', true],
      ],
      unknownIds: [21, 67, 181],
    })
  })

  it('that takes another one for an event is not counted, though there is no event', () => {
    expect(readRecord({ 241: '000059d9', 253: '01', 11: '000000003544c87a' }).unknownIds).toEqual([])
  })

  it('of acceleration is counted, unless there was a crash', () => {
    const axes = { 17: '0bb8', 18: 'f060', 19: '0000' }
    expect(readRecord(axes).unknownIds).toEqual([17, 18, 19])
    expect(readRecord({ ...axes, 247: '01' }).unknownIds).toEqual([])
  })

  it('that repeats what every record says is not counted', () => {
    expect(readRecord({ 24: '0054' }).unknownIds).toEqual([])
  })
})

describe('the odometer', () => {
  const device = { 16: '000f4240' }
  const car = { 389: '0000bc53' }

  it('is that of the device in metres, where a record has it', () => {
    expect(read({ ...car, ...device })).toEqual({ MILEAGE: 1000 })
  })

  it('is that of the car in kilometres, where it has not', () => {
    expect(read(car)).toEqual({ MILEAGE: 48_211 })
  })

  it('does not change its source when the device has no value', () => {
    expect(read({ ...car, 16: 'ffffffff' })).toEqual({})
  })
})

describe('harsh driving', () => {
  it.each([
    ['01', { HARSH_ACCELERATION: 3.04 }],
    ['02', { HARSH_BRAKING: 3.04 }],
    ['03', { HARSH_CORNERING_COUNT: 1 }],
    ['04', {}],
  ])('of type %s with 0.31 g', (type, events) => {
    expect(read({ 253: type, 254: '1f' })).toEqual(events)
  })

  it('does not take a crash for it: with all three axes it has an acceleration', () => {
    // 3000, -4000 and 0 thousandths of g are 5 g.
    expect(read({ 247: '01', 17: '0bb8', 18: 'f060', 19: '0000' })).toEqual({ SEVERE_CRASH: 49.033 })
  })
})

describe('the cell of the network', () => {
  const at = { 241: '000059d9', 206: '6064' }

  it.each<[string, Elements, string]>([
    ['of 2G', { ...at, 205: '432a' }, '230;01;24676;17194'],
    ['of 4G', { ...at, 636: '00273a5a' }, '230;01;24676;2570842'],
    ['of 4G, beside that of 2G', { ...at, 205: '432a', 636: '00273a5a' }, '230;01;24676;2570842'],
    ['of 2G, beside an unknown one of 4G', { ...at, 205: '432a', 636: 'ffffffff' }, '230;01;24676;17194'],
    ['of an operator with three digits', { 241: '0004bb5a', 206: '0001', 205: '0002' }, '310;106;1;2'],
  ])('%s', (_, elements, cell) => {
    expect(read(elements)).toEqual({ NETWORK_CELL_INFO: cell })
  })
})

describe('the position', () => {
  const gps = (lon: number, lat: number, { altitude = 520, course = 270, satellites = 9, speed = 83 } = {}) => {
    const bytes = Buffer.alloc(15)
    bytes.writeInt32BE(lon * 1e7, 0)
    bytes.writeInt32BE(lat * 1e7, 4)
    bytes.writeInt16BE(altitude, 8)
    bytes.writeUInt16BE(course, 10)
    bytes.writeUInt8(satellites, 12)
    bytes.writeUInt16BE(speed, 13)
    return Object.fromEntries(readRecord({}, { gps: bytes.toString('hex') }).events)
  }

  it('comes with altitude, course, satellites and speed', () => {
    expect(gps(-70.64967, -33.4379166)).toEqual({
      POSITION: { lon: -70.64967, lat: -33.4379166 },
      GPS_ALTITUDE: 520,
      GPS_COURSE: 270,
      GPS_SATELLITES_IN_USE: 9,
      GPS_SPEED: 83,
    })
  })

  it('is not told without satellites: it is the last one, and its speed is 0 for want of a better', () => {
    expect(gps(11.5, 48.1, { satellites: 0, speed: 0, course: 0 })).toEqual({ GPS_SATELLITES_IN_USE: 0 })
  })

  it.each([
    ['0,0', 0, 0],
    ['a longitude that is not on the earth', 190, 48.1],
    ['a latitude that is not on the earth', 11.5, -90.1],
  ])('is not told for %s', (_, lon, lat) => {
    expect(gps(lon, lat)).toEqual({ GPS_SATELLITES_IN_USE: 9 })
  })

  it('is told on the equator and at the edges of the earth', () => {
    expect(gps(11.5, 0)).toMatchObject({ POSITION: { lon: 11.5, lat: 0 } })
    expect(gps(-180, 90)).toMatchObject({ POSITION: { lon: -180, lat: 90 } })
  })

  it('is told without what else the receiver does not know', () => {
    expect(gps(11.5, 48.1, { altitude: -32_768, course: 0xffff, satellites: 0xff, speed: 0xffff })).toEqual({
      POSITION: { lon: 11.5, lat: 48.1 },
    })
  })

  it('has a course below 360', () => {
    expect(gps(11.5, 48.1, { course: 360 })).toMatchObject({ GPS_COURSE: 0 })
  })
})

describe('models', () => {
  const canAdapter = { 81: '28', 85: '04da' }

  it.each([
    ['', 'dongle'],
    ['FMB001', 'dongle'],
    ['FMC003', 'dongle'],
    ['FMM003', 'dongle'],
    ['FM3001', 'dongle'],
    ['FMB120', 'tracker'],
    ['FMC920', 'tracker'],
    ['FMB640', 'professional'],
    ['FMC650', 'professional'],
  ])('"%s" is a %s', (model, family) => {
    expect(familyOf(model)).toBe(family)
  })

  it('of trackers have a CAN adapter, others do not', () => {
    expect(read(canAdapter, 'FMB120')).toEqual({ VEHICLE_SPEED_AVERAGE: 40, ENGINE_RPM_AVERAGE: 1242 })
    expect(read(canAdapter, 'FMB003')).toEqual({})
    expect(read(canAdapter)).toEqual({})
  })

  it('for professionals read the car by ids of their own, which are not taken for ours', () => {
    expect(read({ 36: '059f', 239: '01' }, 'FMB640')).toEqual({ IS_IGNITION_ON: true })
  })
})

describe('the table', () => {
  it('names event types that have the kind of value that is read', () => {
    const wanted = { number: 'NUMBER', state: 'BOOLEAN', named: 'STRING', text: 'STRING' } as const
    const single = AVL_ROWS.flatMap(row => (row.kind === 'combined' ? [] : row))
    expect(single.map(({ eventType }) => requiredEventType(eventType).dataType)).toEqual(
      single.map(({ kind }) => wanted[kind]),
    )
  })

  it('gives one meaning to an id of a family', () => {
    const meanings = AVL_ROWS.flatMap(row =>
      row.kind === 'combined'
        ? []
        : row.families.map(family => `${family} ${row.kind === 'text' ? row.id : row.element.id}`),
    )
    expect(meanings).toEqual([...new Set(meanings)])
  })
})
