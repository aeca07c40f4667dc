import { afterAll, describe, expect, test } from 'vitest'
import type { EventItem } from './shapes.ts'
import { startWorld } from './world.ts'

interface EventType {
  readonly eventType: string
  readonly dataType: string
  readonly unit: string
  readonly unitId: number
}

const world = await startWorld()
const fleet = await world.client('Fleet')
const types = await fleet.read<readonly EventType[]>('/eventTypes')
const units = await fleet.read<readonly { readonly id: number; readonly unitType: string }[]>('/units')
afterAll(() => world.stop())

const namesOf = (dataType: string, unitId: number) =>
  types.filter(type => type.dataType === dataType && type.unitId === unitId).map(type => type.eventType)
const sorted = (names: string) => names.split(/\s+/).filter(Boolean).sort()

describe('GET /units', () => {
  test('[C-UNITS-01, C-UNITTYPE-01] is an array of all units: id and unitType', () => {
    expect(units).toHaveLength(20)
    for (const unit of units) expect(unit).toEqual({ id: expect.any(Number), unitType: expect.any(String) })
  })

  test.each<[title: string, id: number, unitType: string]>([
    ['[C-UNIT-10] 10 is dimensionless', 10, ''],
    ['[C-UNIT-20] 20', 20, '%'],
    ['[C-UNIT-30] 30', 30, '°C'],
    ['[C-UNIT-40] 40', 40, 'V'],
    ['[C-UNIT-50] 50', 50, 'A'],
    ['[C-UNIT-60] 60', 60, '°'],
    ['[C-UNIT-90] 90', 90, 'l'],
    ['[C-UNIT-110] 110', 110, 'm'],
    ['[C-UNIT-111] 111', 111, 'km'],
    ['[C-UNIT-113] 113', 113, 'mm'],
    ['[C-UNIT-121] 121', 121, 'km/h'],
    ['[C-UNIT-130] 130', 130, 'm/s²'],
    ['[C-UNIT-160] 160', 160, 's'],
    ['[C-UNIT-163] 163', 163, 'min'],
    ['[C-UNIT-165] 165', 165, 'd'],
    ['[C-UNIT-180] 180', 180, 'Ohm'],
    ['[C-UNIT-191] 191', 191, 'l/h'],
    ['[C-UNIT-200] 200', 200, 'Ah'],
    ['[C-UNIT-241] 241', 241, '1/min'],
    ['[C-UNIT-373] 373', 373, 'kWh'],
  ])('%s', (_title, id, unitType) => {
    expect(units.filter(unit => unit.id === id)).toEqual([{ id, unitType }])
  })
})

describe('GET /eventTypes', () => {
  test('[C-EVENTTYPES-01, C-EVENTTYPE-01] is an array of all event types: eventType, dataType, unit, unitId', () => {
    expect(types).toHaveLength(119)
    for (const type of types)
      expect(type).toEqual({
        eventType: expect.stringMatching(/^[A-Z_]+$/),
        dataType: expect.stringMatching(/^(STRING|BOOLEAN|NUMBER|GEO)$/),
        unit: units.find(({ id }) => id === type.unitId)?.unitType,
        unitId: expect.any(Number),
      })
  })

  test('[C-EVENT-06, C-RECORDS-02] each event type is there once, with one dataType, unit and unitId', () => {
    expect(new Set(types.map(({ eventType }) => eventType)).size).toBe(types.length)
  })

  test.each<[title: string, unitId: number, names: string]>([
    [
      '[C-NUMBER-10] dimensionless',
      10,
      `GPS_HDOP GPS_SATELLITES_IN_USE GPS_SATELLITES_IN_VIEW HARSH_ACCELERATION_COUNT HARSH_BRAKING_COUNT
      HARSH_CORNERING_COUNT HV_BATTERY_CYCLE_COUNTER OBD_DTC_COUNT`,
    ],
    [
      '[C-NUMBER-20] %',
      20,
      `ACCELERATION_SCORE BRAKING_SCORE CORNERING_SCORE DRIVING_SCORE ENGINE_LOAD_AVERAGE ENGINE_LOAD_MAX
      ENGINE_LOAD_MIN FUEL_LEVEL_PERCENT GREEN_RPM_PERCENTAGE HV_BATTERY_CHARGING_POWER HV_BATTERY_REMAINING_DISTANCE
      HV_BATTERY_SOC HV_BATTERY_SOH THROTTLE_POSITION_AVERAGE THROTTLE_POSITION_MAX THROTTLE_POSITION_MIN
      WARNING_THROTTLE_POSITION`,
    ],
    [
      '[C-NUMBER-30] °C',
      30,
      'AMBIENT_AIR_TEMPERATURE ENGINE_COOLANT_TEMPERATURE ENGINE_OIL_TEMPERATURE HV_BATTERY_TEMPERATURE',
    ],
    ['[C-NUMBER-40] V', 40, 'BATTERY_VOLTAGE HV_BATTERY_VOLTAGE'],
    ['[C-NUMBER-50] A', 50, 'HV_BATTERY_CHARGING_CURRENT'],
    ['[C-NUMBER-60] °', 60, 'GPS_COURSE'],
    ['[C-NUMBER-90] l', 90, 'AVERAGE_FUEL_CONSUMPTION CURRENT_FUEL_CONSUMPTION FUEL_LEVEL'],
    ['[C-NUMBER-110] m', 110, 'GPS_ALTITUDE'],
    [
      '[C-NUMBER-111] km',
      111,
      `DISTANCE_FROM_INSPECTION DISTANCE_MIL_ON DISTANCE_SINCE_CODES_CLEARED DRIVEN_DISTANCE FUEL_REMAINING_RANGE
      HV_BATTERY_REMAINING_RANGE INSPECTION_REMAINING_DISTANCE MAX_DISTANCE_UNTIL_INSPECTION MILEAGE
      OIL_CHANGE_REMAINING_DISTANCE REMAINING_RANGE SERVICE_EXCEEDED_DISTANCE`,
    ],
    ['[C-NUMBER-113] mm', 113, 'OIL_LEVEL OIL_WARNING_THRESHOLD'],
    [
      '[C-NUMBER-121] km/h',
      121,
      'GPS_SPEED VEHICLE_SPEED_AVERAGE VEHICLE_SPEED_MAX VEHICLE_SPEED_MIN WARNING_OVERSPEEDING',
    ],
    [
      '[C-NUMBER-130] m/s²',
      130,
      `EXTREME_ACCELERATION EXTREME_BRAKING EXTREME_LEFT_CORNERING EXTREME_RIGHT_CORNERING HARSH_ACCELERATION
      HARSH_BRAKING HARSH_LEFT_CORNERING HARSH_RIGHT_CORNERING POTHOLE SEVERE_CRASH WEAK_CRASH`,
    ],
    ['[C-NUMBER-160] s', 160, 'ENGINE_RUN_TIME HV_BATTERY_REMAINING_CHARGING_DURATION TRIP_DURATION'],
    ['[C-NUMBER-163] min', 163, 'HV_BATTERY_CHARGING_DURATION'],
    [
      '[C-NUMBER-165] d',
      165,
      `INSPECTION_REMAINING_TIME MAX_TIME_UNTIL_INSPECTION OIL_CHANGE_REMAINING_TIME SERVICE_EXCEEDED_TIME
      TIME_FROM_INSPECTION`,
    ],
    ['[C-NUMBER-180] Ohm', 180, 'HV_BATTERY_INTERNAL_RESISTANCE'],
    ['[C-NUMBER-191] l/h', 191, 'FUEL_RATE_AVERAGE FUEL_RATE_MAX FUEL_RATE_MIN'],
    ['[C-NUMBER-200] Ah', 200, 'HV_BATTERY_REMAINING_CHARGE HV_BATTERY_TOTAL_MAXIMUM_CHARGE'],
    ['[C-NUMBER-241] 1/min', 241, 'ENGINE_RPM_AVERAGE ENGINE_RPM_MAX ENGINE_RPM_MIN WARNING_RPM'],
    [
      '[C-NUMBER-373] kWh',
      373,
      'HV_BATTERY_NOMINAL_ENERGY_CAPACITY HV_BATTERY_REMAINING_ENERGY HV_BATTERY_TOTAL_CAPACITY',
    ],
  ])('%s: these NUMBER event types and no others', (_title, unitId, names) => {
    expect(namesOf('NUMBER', unitId).sort()).toEqual(sorted(names))
  })

  const BOOLEANS = `ALARM_SYSTEM ENGINE_STATE HV_BATTERY_IS_CHARGING IS_DONGLE_IN_STANDBY IS_DONGLE_PLUGGED_IN
    IS_GPS_SWITCH_ON IS_IGNITION_ON IS_MIL_ON IS_MOVING IS_OIL_LEVEL_OK`
  const STRINGS = `BATTERY_STATE FIRMWARE_VERSION FUEL_TYPE GENERAL_INSPECTION_DATE HV_BATTERY_CHARGING_STATUS
    HV_BATTERY_STATUS ICCID IMSI NETWORK_CELL_INFO OBD_CALIBRATION_ID OBD_CALIBRATION_VERIFICATION_NUMBER
    OBD_DTC_PERMANENT OBD_DTC_SPORADIC OBD_TYPE OIL_SERVICE_DATE REBOOT_RESPONSE SERVICE_DATE TIME_TO_FIRST_FIX VIN`

  test('[C-BOOLEAN-01, D-REPLY-08] the BOOLEAN event types, with unit "" and unitId 10', () => {
    expect(namesOf('BOOLEAN', 10).sort()).toEqual(sorted(BOOLEANS))
    expect(types.filter(({ dataType }) => dataType === 'BOOLEAN').every(({ unit }) => unit === '')).toBe(true)
  })

  test('[C-STRING-01, D-REPLY-08] the STRING event types, with unit "" and unitId 10', () => {
    expect(namesOf('STRING', 10).sort()).toEqual(sorted(STRINGS))
    expect(types.filter(({ dataType }) => dataType === 'STRING').every(({ unit }) => unit === '')).toBe(true)
  })

  test('[C-GEO-01, D-REPLY-08] POSITION is the one GEO event type, with unit "" and unitId 10', () => {
    expect(types.filter(({ dataType }) => dataType === 'GEO')).toEqual([
      { eventType: 'POSITION', dataType: 'GEO', unit: '', unitId: 10 },
    ])
  })
})

describe('measurements of every event type', () => {
  const VALUES: Readonly<Record<string, unknown>> = {
    NUMBER: 17.25,
    BOOLEAN: true,
    STRING: 'text',
    GEO: 'POINT(8.4037 49.0069)',
  }

  test('[C-RECORDS-01, C-RECORDS-02] are stored and come back with the dataType, unit and unitId of their type', async () => {
    await fleet.measured(
      356307042441013,
      '2020-02-22T14:37:07Z',
      Object.fromEntries(types.map(({ eventType, dataType }) => [eventType, VALUES[dataType]])),
    )
    const events = await fleet.read<EventItem[]>('/events')
    expect(events.map(({ recorded_timestamp: _time, device_id: _device, ...event }) => event)).toEqual(
      types
        .map(({ eventType, dataType, unit, unitId }) => ({
          event_type: eventType,
          data_type: dataType,
          value: VALUES[dataType],
          ...(dataType === 'NUMBER' ? { unit, unit_id: unitId } : {}),
        }))
        .sort((a, b) => (a.event_type < b.event_type ? -1 : 1)),
    )
  })

  test.each<[title: string, type: string, value: string]>([
    ['[C-STRING-02] NETWORK_CELL_INFO is MCC;MNC;LAC;CellId', 'NETWORK_CELL_INFO', '262;01;4711;815'],
    ['[C-STRING-02] GENERAL_INSPECTION_DATE is month.year', 'GENERAL_INSPECTION_DATE', '02.2022'],
    ['[C-STRING-02] OIL_SERVICE_DATE is month.year', 'OIL_SERVICE_DATE', '12.2021'],
    ['[C-STRING-02] SERVICE_DATE is month.year', 'SERVICE_DATE', '1.2021'],
    ['[C-STRING-02] TIME_TO_FIRST_FIX is a start type and a duration in ms', 'TIME_TO_FIRST_FIX', 'COLD 32000 ms'],
    ['[C-STRING-02] BATTERY_STATE', 'BATTERY_STATE', 'Very Low'],
  ])('%s', async (_title, type, value) => {
    await fleet.measured(17, '2020-02-22T14:37:07Z', { [type]: value })
    expect(await fleet.read(`/events?deviceId=17&eventType=${type}`)).toMatchObject([{ value }])
  })
})
