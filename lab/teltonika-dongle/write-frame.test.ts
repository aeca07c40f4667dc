import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTcpFrame } from '../../src/gateways/teltonika/protocol.ts'
import type { Sample } from '../../src/model/sample.ts'
import { vinIn } from '../../src/model/vin.ts'
import { sampleWith, type Values } from '../../test/sample-with.ts'
import { DONGLE, eventsByName, samplesIn, TIME_MS } from '../../test/teltonika-record.ts'
import { type DataCodec, writeTcpFrame } from './write-frame.ts'

const sent = (events: Values, timeMs = TIME_MS): Sample => sampleWith(DONGLE.deviceId, timeMs, events)

const readBack = (samples: readonly Sample[], codec?: DataCodec) =>
  samplesIn(readTcpFrame(writeTcpFrame(samples, codec), DONGLE))

/** Whole numbers of the steps in which an element tells its value. */
const steps = (least: number, most: number, perUnit = 1) =>
  fc.integer({ min: least, max: most }).map(raw => raw / perUnit)

const short = {
  IS_IGNITION_ON: fc.boolean(),
  IS_MOVING: fc.boolean(),
  IS_DONGLE_PLUGGED_IN: fc.boolean(),
  IS_DONGLE_IN_STANDBY: fc.boolean(),
  IS_GPS_SWITCH_ON: fc.boolean(),
  MILEAGE: steps(0, 2 ** 31 - 1, 1000),
  BATTERY_VOLTAGE: steps(1000, 65_534, 1000),
  GPS_HDOP: steps(1, 500, 10),
  WARNING_OVERSPEEDING: steps(1, 254),
  OBD_DTC_COUNT: steps(0, 127),
  ENGINE_COOLANT_TEMPERATURE: steps(-40, 127),
  ENGINE_RPM_AVERAGE: steps(0, 16_383),
  VEHICLE_SPEED_AVERAGE: steps(0, 254),
  FUEL_RATE_AVERAGE: steps(0, 32_767, 100),
  AMBIENT_AIR_TEMPERATURE: steps(-40, 127),
  // Thousandths of g along one axis.
  SEVERE_CRASH: fc.integer({ min: 0, max: 8000 }).map(milliG => Math.round(milliG * 9.80665) / 1000),
  NETWORK_CELL_INFO: fc
    .tuple(fc.integer({ min: 200, max: 799 }), fc.constantFrom('01', '20', '410'), fc.integer({ min: 1, max: 65_533 }))
    .map(([country, network, area]) => `${country};${network};${area};${area}`),
  ICCID: fc.stringMatching(/^[1-9]\d{17,18}$/),
}
const fix = {
  POSITION: fc.record({ lon: steps(1, 1_800_000_000, 1e7), lat: steps(-900_000_000, 900_000_000, 1e7) }),
  GPS_ALTITUDE: steps(-500, 9000),
  GPS_COURSE: steps(0, 359),
  GPS_SATELLITES_IN_USE: steps(1, 60),
  GPS_SPEED: steps(0, 300),
}
const extended = {
  VIN: fc.stringMatching(/^WVWZZZ[A-HJ-NPR-Z0-9]{11}$/).filter(text => vinIn(text) === text),
  OBD_DTC_PERMANENT: fc
    .array(fc.stringMatching(/^[PCBU][0-3][0-9A-F]{3}$/), { maxLength: 20 })
    .map(codes => codes.join()),
  FUEL_LEVEL: steps(0, 65_534, 10),
  FUEL_TYPE: fc.constantFrom('Diesel', 'Gasoline', 'Electric'),
  HV_BATTERY_SOC: steps(0, 100),
  HV_BATTERY_IS_CHARGING: fc.boolean(),
  HV_BATTERY_TEMPERATURE: steps(-60, 200),
}
const withFix = fc.tuple(
  fc.record(short, { requiredKeys: [] }),
  fc.option(fc.record(fix, { requiredKeys: ['POSITION'] }), { nil: {} }),
)
const harsh = fc.constantFrom({}, { HARSH_CORNERING_COUNT: 1 }, { HARSH_BRAKING: 3.04 }, { HARSH_ACCELERATION: 4.51 })

describe('what a dongle sends', () => {
  it.each<[DataCodec, object]>([
    [8, {}],
    ['8E', extended],
  ])('in codec %s is read as it was written', (codec, more) => {
    const events = fc
      .tuple(withFix, harsh, fc.record(more, { requiredKeys: [] }))
      .map(([[values, position], driving, others]) => ({ ...values, ...position, ...driving, ...others }))
      .filter(values => Object.keys(values).length > 0)
    fc.assert(
      fc.property(fc.array(fc.tuple(events, fc.nat(1e12)), { minLength: 1, maxLength: 5 }), records => {
        const samples = records.map(([values, timeMs]) => sent(values, timeMs))
        expect(readBack(samples, codec)).toEqual(samples)
      }),
    )
  })

  it('is rounded to what an element can tell', () => {
    const sample = sent({ MILEAGE: 48_211.44444, BATTERY_VOLTAGE: 14.25449, VEHICLE_SPEED_AVERAGE: 49.6 })
    expect(readBack([sample]).flatMap(eventsByName)).toEqual([
      ['BATTERY_VOLTAGE', 14.254],
      ['MILEAGE', 48_211.444],
      ['VEHICLE_SPEED_AVERAGE', 50],
    ])
  })

  it('leaves out what there is no element for, and what its element cannot tell', () => {
    const sample = sent({
      FIRMWARE_VERSION: '4.2.1',
      ENGINE_RPM_MAX: 3000,
      FUEL_LEVEL_PERCENT: 101,
      IS_MOVING: true,
    })
    expect(readBack([sample]).flatMap(eventsByName)).toEqual([['IS_MOVING', true]])
  })

  it('leaves out text in codec 8, which has none', () => {
    const sample = sent({ VIN: 'WV1ZZZ2EZ86015388', IS_MOVING: true })
    expect(readBack([sample], 8).flatMap(eventsByName)).toEqual([['IS_MOVING', true]])
  })

  it('tells one of several harsh manoeuvres in one record', () => {
    const sample = sent({ HARSH_ACCELERATION: 3.04, HARSH_BRAKING: 4.51 })
    expect(readBack([sample]).flatMap(eventsByName)).toEqual([['HARSH_ACCELERATION', 3.04]])
  })

  it.each([0, 256])('is not %i records in one frame', count => {
    expect(() => writeTcpFrame(Array.from({ length: count }, () => sent({ IS_MOVING: true })))).toThrow(RangeError)
  })
})
