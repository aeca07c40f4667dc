import { type AvlRow, OFF_ON, rowsFor, signed, unsigned } from './row.ts'

const { number, state, text } = rowsFor('tracker')

/**
 * What a CAN adapter (LVCAN, ALLCAN, CANCONTROL) reads. Only wired trackers have one; professional trackers use the same
 * ids for other things, so they are not read for devices of unknown model.
 */
export const CAN_ADAPTER_ROWS: readonly AvlRow[] = [
  number(unsigned(81, 1), 'VEHICLE_SPEED_AVERAGE', { most: 254 }),
  number(unsigned(84, 2), 'FUEL_LEVEL', { most: 65_534, perUnit: 10 }),
  number(unsigned(85, 2), 'ENGINE_RPM_AVERAGE', { most: 16_384 }),
  number(unsigned(87, 4), 'MILEAGE', { least: 1, most: 4_294_967_294, perUnit: 1000 }),
  number(unsigned(105, 4), 'MILEAGE', { least: 1, most: 4_294_967_294, perUnit: 1000 }),
  number(unsigned(89, 1), 'FUEL_LEVEL_PERCENT', { most: 100 }),
  number(unsigned(110, 2), 'FUEL_RATE_AVERAGE', { most: 32_768, perUnit: 10 }),
  number(unsigned(114, 1), 'ENGINE_LOAD_AVERAGE', { most: 130 }),
  number(signed(115, 2), 'ENGINE_COOLANT_TEMPERATURE', { least: -600, most: 1270, perUnit: 10 }),
  number(unsigned(152, 1), 'HV_BATTERY_SOC', { most: 100 }),
  number(unsigned(160, 1), 'OBD_DTC_COUNT', { most: 254 }),
  number(unsigned(304, 4), 'HV_BATTERY_REMAINING_RANGE', { most: 16_777_214, perUnit: 1000 }),
  number(unsigned(861, 2), 'INSPECTION_REMAINING_TIME', { most: 65_534 }),
  number(unsigned(864, 4), 'OIL_CHANGE_REMAINING_DISTANCE', { most: 999_999 }),
  number(unsigned(865, 2), 'OIL_CHANGE_REMAINING_TIME', { most: 65_534 }),
  number(unsigned(866, 4), 'REMAINING_RANGE', { most: 999_999 }),
  text(325, 'VIN', /^[A-HJ-NPR-Z0-9]{17}$/),
  state(unsigned(898, 1), 'IS_IGNITION_ON', OFF_ON),
  state(unsigned(900, 1), 'ENGINE_STATE', OFF_ON),
  state(unsigned(915, 1), 'HV_BATTERY_IS_CHARGING', OFF_ON),
  state(unsigned(953, 1), 'IS_MIL_ON', OFF_ON),
]
