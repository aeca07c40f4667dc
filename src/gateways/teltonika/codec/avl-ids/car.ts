import { FUEL_TYPES } from '../../../../catalogue/vehicles-and-dongles.ts'
import { type AvlRow, OFF_ON, rowsFor, signed, unsigned } from './row.ts'

const { number, state, named, text } = rowsFor('dongle', 'tracker')

const WELL_FORMED_VIN = /^[A-HJ-NPR-Z0-9]{17}$/
const PRINTABLE = /^[ -~]*$/

/** What the car reports through its diagnostic connector: SAE J1979, and values that dongles read in manufacturers' own ways. */
export const CAR_ROWS: readonly AvlRow[] = [
  number(unsigned(30, 1), 'OBD_DTC_COUNT', { most: 127 }),
  number(unsigned(31, 1), 'ENGINE_LOAD_AVERAGE', { most: 100 }),
  number(signed(32, 1), 'ENGINE_COOLANT_TEMPERATURE', { least: -40, most: 127 }),
  number(unsigned(36, 2), 'ENGINE_RPM_AVERAGE', { most: 16_384 }),
  number(unsigned(37, 1), 'VEHICLE_SPEED_AVERAGE', { most: 254 }),
  number(unsigned(41, 1), 'THROTTLE_POSITION_AVERAGE', { most: 100 }),
  number(unsigned(42, 2), 'ENGINE_RUN_TIME', { most: 65_535 }),
  number(unsigned(43, 2), 'DISTANCE_MIL_ON', { most: 65_535 }),
  number(unsigned(48, 1), 'FUEL_LEVEL_PERCENT', { most: 100 }),
  number(unsigned(49, 2), 'DISTANCE_SINCE_CODES_CLEARED', { most: 65_535 }),
  number(signed(53, 1), 'AMBIENT_AIR_TEMPERATURE', { least: -40, most: 127 }),
  number(unsigned(58, 1), 'ENGINE_OIL_TEMPERATURE', { most: 215 }),
  number(unsigned(60, 2), 'FUEL_RATE_AVERAGE', { most: 32_767, perUnit: 100 }),
  // The voltage at the control unit, for devices that leave out their own supply (AVL 66).
  number(unsigned(51, 2), 'BATTERY_VOLTAGE', { least: 1000, most: 65_534, perUnit: 1000 }),
  named(unsigned(759, 1), 'FUEL_TYPE', FUEL_TYPES),
  text(256, 'VIN', WELL_FORMED_VIN),
  // The stored codes of service 03, `P0299,P0675`: current faults. An empty list means that there are none.
  text(281, 'OBD_DTC_PERMANENT', PRINTABLE),

  number(unsigned(389, 4), 'MILEAGE', { least: 1, most: 9_999_999 }),
  number(unsigned(390, 4), 'FUEL_LEVEL', { most: 65_534, perUnit: 10 }),
  number(unsigned(402, 4), 'INSPECTION_REMAINING_DISTANCE', { most: 999_999 }),
  number(unsigned(755, 2), 'REMAINING_RANGE', { most: 65_534 }),

  state(unsigned(410, 1), 'HV_BATTERY_IS_CHARGING', OFF_ON),
  number(unsigned(411, 1), 'HV_BATTERY_SOC', { most: 100 }),
  // "Hybrid battery pack remaining life" of J1979: its state of charge.
  number(unsigned(57, 1), 'HV_BATTERY_SOC', { most: 100 }),
  number(unsigned(1151, 2), 'HV_BATTERY_SOH', { least: 1, most: 100 }),
  number(signed(1152, 2), 'HV_BATTERY_TEMPERATURE', { least: -60, most: 200 }),
  number(unsigned(543, 2), 'HV_BATTERY_VOLTAGE', { least: 1, most: 1024 }),
]
