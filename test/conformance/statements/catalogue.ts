import { section } from './statement.ts'

const contract = 'fleet-api-v2.md'

/** Event types and units of the contract; numbers are ids of units. */
export const CATALOGUE = [
  section(contract, 'Unit ids', [
    ['C-UNIT-10', '10', 'empty (dimensionless)'],
    ['C-UNIT-20', '20', '%'],
    ['C-UNIT-30', '30', '°C'],
    ['C-UNIT-40', '40', 'V'],
    ['C-UNIT-50', '50', 'A'],
    ['C-UNIT-60', '60', '°'],
    ['C-UNIT-90', '90', 'l'],
    ['C-UNIT-110', '110', 'm'],
    ['C-UNIT-111', '111', 'km'],
    ['C-UNIT-113', '113', 'mm'],
    ['C-UNIT-121', '121', 'km/h'],
    ['C-UNIT-130', '130', 'm/s²'],
    ['C-UNIT-160', '160', 's'],
    ['C-UNIT-163', '163', 'min'],
    ['C-UNIT-165', '165', 'd'],
    ['C-UNIT-180', '180', 'Ohm'],
    ['C-UNIT-191', '191', 'l/h'],
    ['C-UNIT-200', '200', 'Ah'],
    ['C-UNIT-241', '241', '1/min'],
    ['C-UNIT-373', '373', 'kWh'],
  ]),
  section(contract, 'NUMBER event types by unit', [
    ['C-NUMBER-10', '10', 'GPS_HDOP and the other dimensionless types'],
    ['C-NUMBER-20', '20 (%)', 'ACCELERATION_SCORE and the other types in %'],
    ['C-NUMBER-30', '30 (°C)', 'AMBIENT_AIR_TEMPERATURE and the other types in °C'],
    ['C-NUMBER-40', '40 (V)', 'BATTERY_VOLTAGE and the other type in V'],
    ['C-NUMBER-50', '50 (A)', 'HV_BATTERY_CHARGING_CURRENT in A'],
    ['C-NUMBER-60', '60 (°)', 'GPS_COURSE in °'],
    ['C-NUMBER-90', '90 (l)', 'AVERAGE_FUEL_CONSUMPTION and the other types in l'],
    ['C-NUMBER-110', '110 (m)', 'GPS_ALTITUDE in m'],
    ['C-NUMBER-111', '111 (km)', 'MILEAGE and the other types in km'],
    ['C-NUMBER-113', '113 (mm)', 'OIL_LEVEL and the other type in mm'],
    ['C-NUMBER-121', '121 (km/h)', 'GPS_SPEED and the other types in km/h'],
    ['C-NUMBER-130', '130 (m/s²)', 'HARSH_BRAKING and the other types in m/s²'],
    ['C-NUMBER-160', '160 (s)', 'TRIP_DURATION and the other types in s'],
    ['C-NUMBER-163', '163 (min)', 'HV_BATTERY_CHARGING_DURATION in min'],
    ['C-NUMBER-165', '165 (d)', 'INSPECTION_REMAINING_TIME and the other types in d'],
    ['C-NUMBER-180', '180 (Ohm)', 'HV_BATTERY_INTERNAL_RESISTANCE in Ohm'],
    ['C-NUMBER-191', '191 (l/h)', 'FUEL_RATE_AVERAGE and the other types in l/h'],
    ['C-NUMBER-200', '200 (Ah)', 'HV_BATTERY_REMAINING_CHARGE and the other type in Ah'],
    ['C-NUMBER-241', '241 (1/min)', 'ENGINE_RPM_AVERAGE and the other types in 1/min'],
    ['C-NUMBER-373', '373 (kWh)', 'HV_BATTERY_REMAINING_ENERGY and the other types in kWh'],
  ]),
  section(contract, 'BOOLEAN event types (no unit)', [
    ['C-BOOLEAN-01', 'ALARM_SYSTEM, ENGINE_STATE', 'all BOOLEAN event types exist'],
  ]),
  section(contract, 'STRING event types (no unit)', [
    ['C-STRING-01', 'BATTERY_STATE, FIRMWARE_VERSION', 'all STRING event types exist'],
    ['C-STRING-02', 'Value formats', 'texts in these formats come back as they were sent'],
  ]),
  section(contract, 'GEO event type', [
    ['C-GEO-01', 'POSITION: dataType GEO', 'POSITION is GEO, value `POINT(<lon> <lat>)`'],
  ]),
].flat()
