import {
  cellInfo,
  crashAcceleration,
  harshAcceleration,
  harshBraking,
  harshCornering,
  iccid,
} from '../../avl-values.ts'
import { type AvlRow, OFF_ON, rowsFor, signed, unsigned } from './row.ts'

const { number, state, combined } = rowsFor('dongle', 'tracker', 'professional')

/** What the device measures itself, the same on every platform. */
export const PERMANENT_ROWS: readonly AvlRow[] = [
  state(unsigned(239, 1), 'IS_IGNITION_ON', OFF_ON),
  state(unsigned(240, 1), 'IS_MOVING', OFF_ON),
  /*
   * MILEAGE comes from 16 (metres, counted by the device) if a record has it, else from the car (389,
   * then the CAN adapter): 16, once it is switched on, is in every record, so one device never alternates between two
   * different odometers. This row comes before theirs.
   */
  number(unsigned(16, 4), 'MILEAGE', { most: 2_147_483_647, perUnit: 1000 }),
  // The supply voltage in millivolts. Below one volt the dongle is unplugged, and no battery was measured.
  number(unsigned(66, 2), 'BATTERY_VOLTAGE', { least: 1000, most: 65_534, perUnit: 1000 }),
  number(unsigned(182, 2), 'GPS_HDOP', { least: 1, most: 500, perUnit: 10 }),
  // 3 is a sleeping receiver in new firmware and one with a fix in old firmware, so it is left out.
  state(unsigned(69, 1), 'IS_GPS_SWITCH_ON', { 0: false, 1: true, 2: true }),
  // GPS sleep, deep, online, ultra.
  state(unsigned(200, 1), 'IS_DONGLE_IN_STANDBY', { 0: false, 1: true, 2: true, 3: true, 4: true }),
  state(unsigned(252, 1), 'IS_DONGLE_PLUGGED_IN', { 0: true, 1: false }),
  number(unsigned(255, 1), 'WARNING_OVERSPEEDING', { least: 1, most: 255 }),

  combined(
    [unsigned(241, 4), unsigned(206, 2)],
    [unsigned(205, 2, 4), unsigned(636, 4)],
    'NETWORK_CELL_INFO',
    cellInfo,
  ),
  combined([unsigned(11, 8), unsigned(14, 8)], [], 'ICCID', iccid),
  combined([unsigned(253, 1), unsigned(254, 1)], [], 'HARSH_ACCELERATION', harshAcceleration),
  combined([unsigned(253, 1), unsigned(254, 1)], [], 'HARSH_BRAKING', harshBraking),
  combined([unsigned(253, 1)], [unsigned(254, 1)], 'HARSH_CORNERING_COUNT', harshCornering),
  combined([unsigned(247, 1)], [signed(17, 2), signed(18, 2), signed(19, 2)], 'SEVERE_CRASH', crashAcceleration),
]
