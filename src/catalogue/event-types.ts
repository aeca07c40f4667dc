/** The type of a value (fleet-api-v2.md, *Event*). */
export type DataType = 'NUMBER' | 'BOOLEAN' | 'STRING' | 'GEO'

/** The number of an event type in samples. Stored on disk: never reused, never changed. */
export type EventTypeId = number & { readonly __eventTypeId: unique symbol }

/** Units of the contract (fleet-api-v2.md, *Unit ids*). */
interface Unit {
  readonly id: number
  /** The symbol clients see; empty for dimensionless values. */
  readonly unitType: string
}

const DIMENSIONLESS_UNIT_ID = 10

export const UNITS: readonly Unit[] = [
  { id: 10, unitType: '' },
  { id: 20, unitType: '%' },
  { id: 30, unitType: '°C' },
  { id: 40, unitType: 'V' },
  { id: 50, unitType: 'A' },
  { id: 60, unitType: '°' },
  { id: 90, unitType: 'l' },
  { id: 110, unitType: 'm' },
  { id: 111, unitType: 'km' },
  { id: 113, unitType: 'mm' },
  { id: 121, unitType: 'km/h' },
  { id: 130, unitType: 'm/s²' },
  { id: 160, unitType: 's' },
  { id: 163, unitType: 'min' },
  { id: 165, unitType: 'd' },
  { id: 180, unitType: 'Ohm' },
  { id: 191, unitType: 'l/h' },
  { id: 200, unitType: 'Ah' },
  { id: 241, unitType: '1/min' },
  { id: 373, unitType: 'kWh' },
]

const unitsById = new Map(UNITS.map(unit => [unit.id, unit]))

/** @throws when the id is not in the contract: a row of the catalogue is wrong. */
function unitById(id: number): Unit {
  const unit = unitsById.get(id)
  if (!unit) throw new Error(`no unit with id ${id}`)
  return unit
}

interface Row<Name extends string> {
  readonly id: EventTypeId
  readonly name: Name
  readonly dataType: DataType
  /** Only NUMBER carries a real unit; the others are dimensionless (decisions.md, *Replies*). */
  readonly unitId: number
  readonly unit: string
  readonly limits: Limits
}

/** Of numbers in the unit of the event type, both inclusive, and one between them that sets all bits of its field.
 * Others mean "not available" (decisions.md, *Vehicles and devices*). */
type Limits = readonly [least: number, most: number, never?: number]

/** Fields of 16 bits with all of them set, and of 24 bits and more. */
const ANY: Limits = [-16_777_214, 16_777_214, 65_535]
const PERCENT: Limits = [0, 100]
/** With all bits set, an offset of 40 makes 215. */
const CELSIUS: Limits = [-60, 200]
/** Quarters of a revolution in J1979, eighths in J1939. */
const RPM: Limits = [0, 16_383, 8191.875]
const ONE_BYTE: Limits = [0, 254]
const TWO_BYTES: Limits = [0, 65_534]
/** Beyond any car; 255 knots are faster. */
const GPS_KMH: Limits = [0, 450]

const row = <const Name extends string>(
  id: number,
  name: Name,
  dataType: DataType,
  unitId: number,
  limits = ANY,
): Row<Name> => ({ id: id as EventTypeId, name, dataType, unitId, unit: unitById(unitId).unitType, limits })
const number = <const Name extends string>(id: number, name: Name, unitId: number, limits?: Limits) =>
  row(id, name, 'NUMBER', unitId, limits)
const boolean = <const Name extends string>(id: number, name: Name) => row(id, name, 'BOOLEAN', DIMENSIONLESS_UNIT_ID)
const string = <const Name extends string>(id: number, name: Name) => row(id, name, 'STRING', DIMENSIONLESS_UNIT_ID)
const geo = <const Name extends string>(id: number, name: Name) => row(id, name, 'GEO', DIMENSIONLESS_UNIT_ID)

/** By name. A new one is a new row with the next free id. */
const ROWS = [
  number(1, 'ACCELERATION_SCORE', 20, PERCENT),
  boolean(2, 'ALARM_SYSTEM'),
  number(3, 'AMBIENT_AIR_TEMPERATURE', 30, CELSIUS),
  number(4, 'AVERAGE_FUEL_CONSUMPTION', 90),
  string(5, 'BATTERY_STATE'),
  number(6, 'BATTERY_VOLTAGE', 40, [0, 65.534]),
  number(7, 'BRAKING_SCORE', 20, PERCENT),
  number(8, 'CORNERING_SCORE', 20, PERCENT),
  number(9, 'CURRENT_FUEL_CONSUMPTION', 90),
  number(10, 'DISTANCE_FROM_INSPECTION', 111),
  number(11, 'DISTANCE_MIL_ON', 111, TWO_BYTES),
  number(12, 'DISTANCE_SINCE_CODES_CLEARED', 111, TWO_BYTES),
  number(13, 'DRIVEN_DISTANCE', 111),
  number(14, 'DRIVING_SCORE', 20, PERCENT),
  number(15, 'ENGINE_COOLANT_TEMPERATURE', 30, CELSIUS),
  number(16, 'ENGINE_LOAD_AVERAGE', 20, [0, 130]),
  number(17, 'ENGINE_LOAD_MAX', 20, [0, 130]),
  number(18, 'ENGINE_LOAD_MIN', 20, [0, 130]),
  number(19, 'ENGINE_OIL_TEMPERATURE', 30, CELSIUS),
  number(20, 'ENGINE_RPM_AVERAGE', 241, RPM),
  number(21, 'ENGINE_RPM_MAX', 241, RPM),
  number(22, 'ENGINE_RPM_MIN', 241, RPM),
  number(23, 'ENGINE_RUN_TIME', 160),
  boolean(24, 'ENGINE_STATE'),
  number(25, 'EXTREME_ACCELERATION', 130),
  number(26, 'EXTREME_BRAKING', 130),
  number(27, 'EXTREME_LEFT_CORNERING', 130),
  number(28, 'EXTREME_RIGHT_CORNERING', 130),
  string(29, 'FIRMWARE_VERSION'),
  number(30, 'FUEL_LEVEL', 90, [0, 6553.4]),
  number(31, 'FUEL_LEVEL_PERCENT', 20, PERCENT),
  number(32, 'FUEL_RATE_AVERAGE', 191, [0, 655.34]),
  number(33, 'FUEL_RATE_MAX', 191, [0, 655.34]),
  number(34, 'FUEL_RATE_MIN', 191, [0, 655.34]),
  number(35, 'FUEL_REMAINING_RANGE', 111, TWO_BYTES),
  string(36, 'FUEL_TYPE'),
  string(37, 'GENERAL_INSPECTION_DATE'),
  number(38, 'GPS_ALTITUDE', 110, [-500, 9000]),
  number(39, 'GPS_COURSE', 60, [0, 360]),
  number(40, 'GPS_HDOP', 10, [0, 50]),
  number(41, 'GPS_SATELLITES_IN_USE', 10, [0, 100]),
  number(42, 'GPS_SATELLITES_IN_VIEW', 10, [0, 100]),
  number(43, 'GPS_SPEED', 121, GPS_KMH),
  number(44, 'GREEN_RPM_PERCENTAGE', 20, PERCENT),
  number(45, 'HARSH_ACCELERATION', 130),
  number(46, 'HARSH_ACCELERATION_COUNT', 10),
  number(47, 'HARSH_BRAKING', 130),
  number(48, 'HARSH_BRAKING_COUNT', 10),
  number(49, 'HARSH_CORNERING_COUNT', 10),
  number(50, 'HARSH_LEFT_CORNERING', 130),
  number(51, 'HARSH_RIGHT_CORNERING', 130),
  number(52, 'HV_BATTERY_CHARGING_CURRENT', 50),
  number(53, 'HV_BATTERY_CHARGING_DURATION', 163),
  number(54, 'HV_BATTERY_CHARGING_POWER', 20),
  string(55, 'HV_BATTERY_CHARGING_STATUS'),
  number(56, 'HV_BATTERY_CYCLE_COUNTER', 10),
  number(57, 'HV_BATTERY_INTERNAL_RESISTANCE', 180),
  boolean(58, 'HV_BATTERY_IS_CHARGING'),
  number(59, 'HV_BATTERY_NOMINAL_ENERGY_CAPACITY', 373),
  number(60, 'HV_BATTERY_REMAINING_CHARGE', 200),
  number(61, 'HV_BATTERY_REMAINING_CHARGING_DURATION', 160),
  number(62, 'HV_BATTERY_REMAINING_DISTANCE', 20),
  number(63, 'HV_BATTERY_REMAINING_ENERGY', 373),
  number(64, 'HV_BATTERY_REMAINING_RANGE', 111, TWO_BYTES),
  number(65, 'HV_BATTERY_SOC', 20, PERCENT),
  number(66, 'HV_BATTERY_SOH', 20, PERCENT),
  string(67, 'HV_BATTERY_STATUS'),
  number(68, 'HV_BATTERY_TEMPERATURE', 30, CELSIUS),
  number(69, 'HV_BATTERY_TOTAL_CAPACITY', 373),
  number(70, 'HV_BATTERY_TOTAL_MAXIMUM_CHARGE', 200),
  number(71, 'HV_BATTERY_VOLTAGE', 40, [0, 1024]),
  string(72, 'ICCID'),
  string(73, 'IMSI'),
  number(74, 'INSPECTION_REMAINING_DISTANCE', 111, [-999_999, 999_999]),
  number(75, 'INSPECTION_REMAINING_TIME', 165),
  boolean(76, 'IS_DONGLE_IN_STANDBY'),
  boolean(77, 'IS_DONGLE_PLUGGED_IN'),
  boolean(78, 'IS_GPS_SWITCH_ON'),
  boolean(79, 'IS_IGNITION_ON'),
  boolean(80, 'IS_MIL_ON'),
  boolean(81, 'IS_MOVING'),
  boolean(82, 'IS_OIL_LEVEL_OK'),
  number(83, 'MAX_DISTANCE_UNTIL_INSPECTION', 111),
  number(84, 'MAX_TIME_UNTIL_INSPECTION', 165),
  number(85, 'MILEAGE', 111, [0, 2_147_483.647]),
  string(86, 'NETWORK_CELL_INFO'),
  string(87, 'OBD_CALIBRATION_ID'),
  string(88, 'OBD_CALIBRATION_VERIFICATION_NUMBER'),
  number(89, 'OBD_DTC_COUNT', 10, ONE_BYTE),
  string(90, 'OBD_DTC_PERMANENT'),
  string(91, 'OBD_DTC_SPORADIC'),
  string(92, 'OBD_TYPE'),
  number(93, 'OIL_CHANGE_REMAINING_DISTANCE', 111, [-999_999, 999_999]),
  number(94, 'OIL_CHANGE_REMAINING_TIME', 165),
  number(95, 'OIL_LEVEL', 113),
  string(96, 'OIL_SERVICE_DATE'),
  number(97, 'OIL_WARNING_THRESHOLD', 113),
  geo(98, 'POSITION'),
  number(99, 'POTHOLE', 130),
  string(100, 'REBOOT_RESPONSE'),
  number(101, 'REMAINING_RANGE', 111, TWO_BYTES),
  string(102, 'SERVICE_DATE'),
  number(103, 'SERVICE_EXCEEDED_DISTANCE', 111),
  number(104, 'SERVICE_EXCEEDED_TIME', 165),
  number(105, 'SEVERE_CRASH', 130),
  number(106, 'THROTTLE_POSITION_AVERAGE', 20, PERCENT),
  number(107, 'THROTTLE_POSITION_MAX', 20, PERCENT),
  number(108, 'THROTTLE_POSITION_MIN', 20, PERCENT),
  number(109, 'TIME_FROM_INSPECTION', 165),
  string(110, 'TIME_TO_FIRST_FIX'),
  number(111, 'TRIP_DURATION', 160),
  number(112, 'VEHICLE_SPEED_AVERAGE', 121, ONE_BYTE),
  number(113, 'VEHICLE_SPEED_MAX', 121, ONE_BYTE),
  number(114, 'VEHICLE_SPEED_MIN', 121, ONE_BYTE),
  string(115, 'VIN'),
  number(116, 'WARNING_OVERSPEEDING', 121, GPS_KMH),
  number(117, 'WARNING_RPM', 241, RPM),
  number(118, 'WARNING_THROTTLE_POSITION', 20, PERCENT),
  number(119, 'WEAK_CRASH', 130),
] as const

export type EventTypeName = (typeof ROWS)[number]['name']

export type EventType = Row<EventTypeName>

export const EVENT_TYPES: readonly EventType[] = ROWS

const typesByName: ReadonlyMap<string, EventType> = new Map(EVENT_TYPES.map(type => [type.name, type]))
const typesById: readonly (EventType | undefined)[] = EVENT_TYPES.reduce<(EventType | undefined)[]>((table, type) => {
  table[type.id] = type
  return table
}, [])

export function eventTypeByName(name: string): EventType | undefined {
  return typesByName.get(name)
}

/** @throws when a sample has an id that is not in the catalogue: the database is newer than this program. */
export function eventTypeById(id: number): EventType {
  const type = typesById[id]
  if (!type) throw new Error(`no event type with id ${id}; was this database written by a newer Tacho?`)
  return type
}

/** @returns false for "not available". @param value in the unit of the event type */
export function isWithinLimits({ limits: [least, most, never] }: EventType, value: number): boolean {
  return value >= least && value <= most && value !== never
}

/** What fields of one to four bytes hold with all bits set, in the units and offsets of event types, J1939's among them. */
const ALL_BITS_SET = new Set([
  255, 215, 102, 127.5, 65_535, 16_383.75, 8191.875, 65.535, 255.99609375, 655.35, 1774.96875, 3276.75, 6553.5,
  16_777_215, 4_294_967_295, 4_294_967.295, 2_147_483_647, 21_474_836.475, 536_870_911.875,
])

/** Whoever sends events in the API's form is believed beyond the limits, but not with all bits set. */
export function isAllBitsSet(type: EventType, value: number): boolean {
  return ALL_BITS_SET.has(value) && !isWithinLimits(type, value)
}

/** The type of a name in the code: a name that is not in the catalogue does not compile. */
export function requiredEventType(name: EventTypeName): EventType {
  const type = typesByName.get(name)
  if (!type) throw new Error(`no event type ${name}`)
  return type
}
