import { type EventTypeName, requiredEventType } from '../../catalogue/event-types.ts'
import { FUEL_TYPES } from '../../catalogue/vehicles-and-dongles.ts'

/** Kinds of devices whose AVL ids differ: dongles for the diagnostic connector (FMB001, FMC003 …, and unknown models),
 * wired trackers that may have a CAN adapter (FMB120, FMC130 …), professional trackers (FMB630, FMC650 …). */
export type Family = 'dongle' | 'tracker' | 'professional'

/** An element of fixed size. The same AVL id with another size means something else. */
export interface AvlElement {
  readonly id: number
  readonly bytes: readonly number[]
  readonly isSigned: boolean
}

interface Row {
  readonly families: readonly Family[]
  readonly eventType: EventTypeName
}

/** A number in our unit. Values out of bounds mean "not available". */
export interface NumberRow extends Row {
  readonly kind: 'number'
  readonly element: AvlElement
  /** Raw values, both inclusive. */
  readonly least: number
  readonly most: number
  /** How much of the raw value is one of our units: 1000 for millivolts. */
  readonly perUnit: number
}

/** Raw values with a meaning each; those not listed mean "not available". */
interface StateRow extends Row {
  readonly kind: 'state'
  readonly element: AvlElement
  readonly states: Readonly<Record<number, boolean>>
}

/** Raw values that stand for texts, by index; an empty text, and higher values, mean "not available". */
interface NamedRow extends Row {
  readonly kind: 'named'
  readonly element: AvlElement
  readonly names: readonly string[]
}

/** Text of variable length, one byte per character. */
interface TextRow extends Row {
  readonly kind: 'text'
  readonly id: number
}

/** An event made from several elements. */
interface CombinedRow extends Row {
  readonly kind: 'combined'
  /** Without all of them there is no event. */
  readonly elements: readonly AvlElement[]
  /** Elements that are used, too, if present. */
  readonly optional: readonly AvlElement[]
  /** @param raw the values of `elements`, then of `optional`: NaN for a missing one
   * @returns undefined for "not available" */
  readonly valueOf: (raw: readonly number[]) => number | string | undefined
}

export type AvlRow = NumberRow | StateRow | NamedRow | TextRow | CombinedRow

const unsigned = (id: number, ...bytes: readonly number[]): AvlElement => ({ id, bytes, isSigned: false })
const signed = (id: number, ...bytes: readonly number[]): AvlElement => ({ id, bytes, isSigned: true })

/** Options of a number besides its element and event type, which bound it, too. */
interface Scale {
  readonly least?: number
  readonly most?: number
  readonly perUnit?: number
}

/** Makers of rows for the devices of some families. */
function rowsFor(...families: readonly Family[]) {
  return {
    number: (element: AvlElement, eventType: EventTypeName, scale: Scale = {}): NumberRow => {
      const allBits = 2 ** (8 * (element.bytes[0] ?? 0)) - 1
      const lowest = element.isSigned ? -allBits : 0
      const { least = lowest, most = element.isSigned ? Math.floor(allBits / 2) : allBits - 1, perUnit = 1 } = scale
      const { limits } = requiredEventType(eventType)
      return {
        kind: 'number',
        families,
        element,
        eventType,
        least: Math.max(least, Math.round(limits[0] * perUnit)),
        most: Math.min(most, Math.round(limits[1] * perUnit)),
        perUnit,
      }
    },
    state: (element: AvlElement, eventType: EventTypeName, states: StateRow['states']): StateRow => ({
      kind: 'state',
      families,
      element,
      eventType,
      states,
    }),
    named: (element: AvlElement, eventType: EventTypeName, names: readonly string[]): NamedRow => ({
      kind: 'named',
      families,
      element,
      eventType,
      names,
    }),
    text: (id: number, eventType: EventTypeName): TextRow => ({ kind: 'text', families, id, eventType }),
    combined: (
      elements: readonly AvlElement[],
      optional: readonly AvlElement[],
      eventType: EventTypeName,
      valueOf: CombinedRow['valueOf'],
    ): CombinedRow => ({ kind: 'combined', families, elements, optional, eventType, valueOf }),
  }
}

const any = rowsFor('dongle', 'tracker', 'professional')
const car = rowsFor('dongle', 'tracker')
const canAdapter = rowsFor('tracker')

const OFF_ON: StateRow['states'] = { 0: false, 1: true }

/** Ids that repeat what every record contains anyway: 24, the GPS speed. */
export const REPEATING_IDS: ReadonlySet<number> = new Set([24])

/** Every known AVL id. Of several rows for one event type, the first whose elements are in the record is used. */
export const AVL_ROWS: readonly AvlRow[] = [
  // Measured by the device itself, the same on every platform.
  any.state(unsigned(239, 1), 'IS_IGNITION_ON', OFF_ON),
  any.state(unsigned(240, 1), 'IS_MOVING', OFF_ON),
  /* MILEAGE comes from 16 (metres, counted by the device) if present, else from the car (389, then the CAN adapter).
   * Once switched on, 16 is in every record, so a device never alternates. This row comes before theirs. */
  any.number(unsigned(16, 4), 'MILEAGE', { perUnit: 1000 }),
  // The supply voltage in millivolts. Below one volt the dongle is unplugged, and no battery was measured.
  any.number(unsigned(66, 2), 'BATTERY_VOLTAGE', { least: 1000, perUnit: 1000 }),
  any.number(unsigned(182, 2), 'GPS_HDOP', { least: 1, perUnit: 10 }),
  // 3 is a sleeping receiver in new firmware and one with a fix in old firmware, so it is left out.
  any.state(unsigned(69, 1), 'IS_GPS_SWITCH_ON', { 0: false, 1: true, 2: true }),
  // GPS sleep, deep, online, ultra.
  any.state(unsigned(200, 1), 'IS_DONGLE_IN_STANDBY', { 0: false, 1: true, 2: true, 3: true, 4: true }),
  any.state(unsigned(252, 1), 'IS_DONGLE_PLUGGED_IN', { 0: true, 1: false }),
  any.number(unsigned(255, 1), 'WARNING_OVERSPEEDING', { least: 1 }),

  any.combined(
    [unsigned(241, 4), unsigned(206, 2)],
    [unsigned(205, 2, 4), unsigned(636, 4)],
    'NETWORK_CELL_INFO',
    cellInfo,
  ),
  any.combined([unsigned(11, 8), unsigned(14, 8)], [], 'ICCID', iccid),
  any.combined([unsigned(253, 1), unsigned(254, 1)], [], 'HARSH_ACCELERATION', harshAcceleration),
  any.combined([unsigned(253, 1), unsigned(254, 1)], [], 'HARSH_BRAKING', harshBraking),
  any.combined([unsigned(253, 1)], [unsigned(254, 1)], 'HARSH_CORNERING_COUNT', harshCornering),
  any.combined([unsigned(247, 1)], [signed(17, 2), signed(18, 2), signed(19, 2)], 'SEVERE_CRASH', crashAcceleration),

  // Reported by the car through its diagnostic connector: SAE J1979, and values that dongles read in manufacturers' own ways.
  car.number(unsigned(30, 1), 'OBD_DTC_COUNT', { most: 127 }),
  car.number(unsigned(31, 1), 'ENGINE_LOAD_AVERAGE', { most: 100 }),
  car.number(signed(32, 1), 'ENGINE_COOLANT_TEMPERATURE', { least: -40 }),
  car.number(unsigned(36, 2), 'ENGINE_RPM_AVERAGE'),
  car.number(unsigned(37, 1), 'VEHICLE_SPEED_AVERAGE'),
  car.number(unsigned(41, 1), 'THROTTLE_POSITION_AVERAGE'),
  car.number(unsigned(42, 2), 'ENGINE_RUN_TIME'),
  car.number(unsigned(43, 2), 'DISTANCE_MIL_ON'),
  car.number(unsigned(48, 1), 'FUEL_LEVEL_PERCENT'),
  car.number(unsigned(49, 2), 'DISTANCE_SINCE_CODES_CLEARED'),
  car.number(signed(53, 1), 'AMBIENT_AIR_TEMPERATURE', { least: -40 }),
  car.number(unsigned(58, 1), 'ENGINE_OIL_TEMPERATURE', { least: 0 }),
  car.number(unsigned(60, 2), 'FUEL_RATE_AVERAGE', { most: 32_767, perUnit: 100 }),
  // The voltage at the control unit, for devices that leave out their own supply (AVL 66).
  car.number(unsigned(51, 2), 'BATTERY_VOLTAGE', { least: 1000, perUnit: 1000 }),
  car.named(unsigned(759, 1), 'FUEL_TYPE', FUEL_TYPES),
  car.text(256, 'VIN'),
  // The stored codes of service 03, `P0299,P0675`: current faults. An empty list means that there are none.
  car.text(281, 'OBD_DTC_PERMANENT'),

  car.number(unsigned(389, 4), 'MILEAGE', { least: 1 }),
  car.number(unsigned(390, 4), 'FUEL_LEVEL', { perUnit: 10 }),
  car.number(unsigned(402, 4), 'INSPECTION_REMAINING_DISTANCE'),
  car.number(unsigned(755, 2), 'REMAINING_RANGE'),

  car.state(unsigned(410, 1), 'HV_BATTERY_IS_CHARGING', OFF_ON),
  car.number(unsigned(411, 1), 'HV_BATTERY_SOC'),
  // "Hybrid battery pack remaining life" of J1979: its state of charge.
  car.number(unsigned(57, 1), 'HV_BATTERY_SOC'),
  car.number(unsigned(1151, 2), 'HV_BATTERY_SOH', { least: 1 }),
  car.number(signed(1152, 2), 'HV_BATTERY_TEMPERATURE'),
  car.number(unsigned(543, 2), 'HV_BATTERY_VOLTAGE', { least: 1 }),

  // Read by a CAN adapter (LVCAN, ALLCAN, CANCONTROL). Only wired trackers have one; professional trackers use the same
  // ids for other things, so they are not read for devices of unknown model.
  canAdapter.number(unsigned(81, 1), 'VEHICLE_SPEED_AVERAGE'),
  canAdapter.number(unsigned(84, 2), 'FUEL_LEVEL', { perUnit: 10 }),
  canAdapter.number(unsigned(85, 2), 'ENGINE_RPM_AVERAGE'),
  canAdapter.number(unsigned(87, 4), 'MILEAGE', { least: 1, perUnit: 1000 }),
  canAdapter.number(unsigned(105, 4), 'MILEAGE', { least: 1, perUnit: 1000 }),
  canAdapter.number(unsigned(89, 1), 'FUEL_LEVEL_PERCENT'),
  canAdapter.number(unsigned(110, 2), 'FUEL_RATE_AVERAGE', { perUnit: 10 }),
  canAdapter.number(unsigned(114, 1), 'ENGINE_LOAD_AVERAGE'),
  canAdapter.number(signed(115, 2), 'ENGINE_COOLANT_TEMPERATURE', { most: 1270, perUnit: 10 }),
  canAdapter.number(unsigned(152, 1), 'HV_BATTERY_SOC'),
  canAdapter.number(unsigned(160, 1), 'OBD_DTC_COUNT'),
  canAdapter.number(unsigned(304, 4), 'HV_BATTERY_REMAINING_RANGE', { most: 16_777_214, perUnit: 1000 }),
  canAdapter.number(unsigned(861, 2), 'INSPECTION_REMAINING_TIME'),
  canAdapter.number(unsigned(864, 4), 'OIL_CHANGE_REMAINING_DISTANCE'),
  canAdapter.number(unsigned(865, 2), 'OIL_CHANGE_REMAINING_TIME'),
  canAdapter.number(unsigned(866, 4), 'REMAINING_RANGE'),
  canAdapter.text(325, 'VIN'),
  canAdapter.state(unsigned(898, 1), 'IS_IGNITION_ON', OFF_ON),
  canAdapter.state(unsigned(900, 1), 'ENGINE_STATE', OFF_ON),
  canAdapter.state(unsigned(915, 1), 'HV_BATTERY_IS_CHARGING', OFF_ON),
  canAdapter.state(unsigned(953, 1), 'IS_MIL_ON', OFF_ON),
]

/** @param hardwareType the model, for example `FMB003`; empty when it is not known */
export function familyOf(hardwareType: string): Family {
  if (/^F[A-Z]{2}6\d\d/.test(hardwareType)) return 'professional'
  return /^F[A-Z]{2}[1-9]/.test(hardwareType) ? 'tracker' : 'dongle'
}

export function rowsOf(family: Family): readonly AvlRow[] {
  return AVL_ROWS.filter(({ families }) => families.includes(family))
}

/** Country codes have three digits from 200 on, network codes two or three (ITU-T E.212). */
const LEAST_OPERATOR = 20_000
const MOST_OPERATOR = 999_999
const COUNTRY_DIGITS = 3

/** "Unknown" of 3GPP TS 23.003. */
const NO_AREA: ReadonlySet<number> = new Set([0, 0xfffe, 0xffff])
const NO_CELL: ReadonlySet<number> = new Set([0, 0xffff, 0xffff_ffff])

/** `MCC;MNC;LAC;CellId` from the operator (AVL 241), the area (206) and the cell of 2G (205) or 3G and 4G (636). */
function cellInfo(raw: readonly number[]): string | undefined {
  const [operator = 0, area = 0, gsmCell = 0, lteCell = 0] = raw
  const cell = isCell(lteCell) ? lteCell : gsmCell
  if (operator < LEAST_OPERATOR || operator > MOST_OPERATOR || NO_AREA.has(area) || !isCell(cell)) return undefined
  const digits = String(operator)
  return `${digits.slice(0, COUNTRY_DIGITS)};${digits.slice(COUNTRY_DIGITS)};${area};${cell}`
}

function isCell(cell: number): boolean {
  return !Number.isNaN(cell) && !NO_CELL.has(cell)
}

/** The second part has at least this many digits; its leading zeros are lost on the way. */
const LAST_DIGITS = 9
const MOST_DIGITS = 20

/** The number of a SIM card, whose first and last digits are two elements (AVL 11 and 14). */
function iccid([first = 0, last = 0]: readonly number[]): string | undefined {
  if (first <= 0 || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return undefined
  const digits = `${first}${String(last).padStart(LAST_DIGITS, '0')}`
  return digits.length <= MOST_DIGITS ? digits : undefined
}

/** AVL 253: what kind of harsh driving it was. */
const ACCELERATION = 1
const BRAKING = 2
const CORNERING = 3

const STANDARD_GRAVITY_MPS2 = 9.80665

/** AVL 254 is in hundredths of g. @returns m/s², rounded to hundredths: finer than the resolution of the device */
function mps2OfHundredthsG(hundredthsG: number): number {
  return Math.round(hundredthsG * STANDARD_GRAVITY_MPS2) / 100
}

function harshAcceleration([kind = 0, hundredthsG = 0]: readonly number[]): number | undefined {
  return kind === ACCELERATION ? mps2OfHundredthsG(hundredthsG) : undefined
}

function harshBraking([kind = 0, hundredthsG = 0]: readonly number[]): number | undefined {
  return kind === BRAKING ? mps2OfHundredthsG(hundredthsG) : undefined
}

/** The device does not distinguish left from right, and its unit depends on its settings (g or rad/s): only the fact is kept. */
function harshCornering([kind = 0]: readonly number[]): number | undefined {
  return kind === CORNERING ? 1 : undefined
}

/** AVL 247: a crash, from a device with or without calibrated mounting. 2 to 5 are records of the following trace. */
const CRASHES: ReadonlySet<number> = new Set([1, 6])

const MPS2_PER_MILLI_G = 0.00980665

/** @returns m/s² of all three axes (AVL 17, 18, 19, in thousandths of g); undefined unless the record has all three,
 * because the event type is a measured value */
function crashAcceleration([crash = 0, x = Number.NaN, y = Number.NaN, z = Number.NaN]: readonly number[]):
  | number
  | undefined {
  if (!CRASHES.has(crash)) return undefined
  const milliG = Math.hypot(x, y, z)
  return Number.isNaN(milliG) ? undefined : Math.round(milliG * MPS2_PER_MILLI_G * 1000) / 1000
}
