/** How an event type of the contract is shown to people. */
export interface EventTypeLooks {
  readonly group: MeasurementGroup
  /** How many digits after the decimal point say something. */
  readonly digits: number
  /** In English. */
  readonly name: string
}

const row =
  (group: MeasurementGroup) =>
  (digits: number, name: string): EventTypeLooks => ({ group, digits, name })

const driving = row('driving')
const engine = row('engine')
const fuel = row('fuel')
const electric = row('electric')
const battery = row('battery')
const service = row('service')
const behaviour = row('behaviour')
const dongle = row('dongle')
const identification = row('identification')

/** Every event type of the contract (fleet-api-v2.md, *Events*), within a group in the order in which it is shown. */
const EVENT_TYPES = {
  MILEAGE: driving(0, 'Odometer'),
  IS_IGNITION_ON: driving(0, 'Ignition'),
  IS_MOVING: driving(0, 'In motion'),
  VEHICLE_SPEED_AVERAGE: driving(0, 'Speed, average'),
  VEHICLE_SPEED_MIN: driving(0, 'Speed, lowest'),
  VEHICLE_SPEED_MAX: driving(0, 'Speed, highest'),
  GPS_SPEED: driving(0, 'Speed by GPS'),
  POSITION: driving(0, 'Position'),
  GPS_COURSE: driving(0, 'Heading'),
  GPS_ALTITUDE: driving(0, 'Altitude'),
  DRIVEN_DISTANCE: driving(1, 'Driven distance'),
  TRIP_DURATION: driving(0, 'Trip duration'),
  REMAINING_RANGE: driving(0, 'Range'),
  AMBIENT_AIR_TEMPERATURE: driving(1, 'Outside temperature'),
  ALARM_SYSTEM: driving(0, 'Alarm system'),

  ENGINE_STATE: engine(0, 'Engine'),
  ENGINE_RPM_AVERAGE: engine(0, 'Engine speed, average'),
  ENGINE_RPM_MIN: engine(0, 'Engine speed, lowest'),
  ENGINE_RPM_MAX: engine(0, 'Engine speed, highest'),
  ENGINE_LOAD_AVERAGE: engine(0, 'Engine load, average'),
  ENGINE_LOAD_MIN: engine(0, 'Engine load, lowest'),
  ENGINE_LOAD_MAX: engine(0, 'Engine load, highest'),
  THROTTLE_POSITION_AVERAGE: engine(0, 'Throttle, average'),
  THROTTLE_POSITION_MIN: engine(0, 'Throttle, lowest'),
  THROTTLE_POSITION_MAX: engine(0, 'Throttle, highest'),
  ENGINE_COOLANT_TEMPERATURE: engine(0, 'Coolant temperature'),
  ENGINE_OIL_TEMPERATURE: engine(0, 'Oil temperature'),
  ENGINE_RUN_TIME: engine(0, 'Engine run time'),
  OIL_LEVEL: engine(1, 'Oil level'),
  OIL_WARNING_THRESHOLD: engine(1, 'Oil level of the warning'),
  IS_OIL_LEVEL_OK: engine(0, 'Oil level in order'),

  FUEL_LEVEL_PERCENT: fuel(0, 'Fuel level'),
  FUEL_LEVEL: fuel(1, 'Fuel in the tank'),
  FUEL_REMAINING_RANGE: fuel(0, 'Range on fuel'),
  FUEL_RATE_AVERAGE: fuel(2, 'Fuel rate, average'),
  FUEL_RATE_MIN: fuel(2, 'Fuel rate, lowest'),
  FUEL_RATE_MAX: fuel(2, 'Fuel rate, highest'),
  CURRENT_FUEL_CONSUMPTION: fuel(1, 'Consumption now'),
  AVERAGE_FUEL_CONSUMPTION: fuel(1, 'Consumption, average'),
  FUEL_TYPE: fuel(0, 'Fuel type'),

  HV_BATTERY_SOC: electric(1, 'Charge of the drive battery'),
  HV_BATTERY_REMAINING_RANGE: electric(0, 'Electric range'),
  HV_BATTERY_REMAINING_DISTANCE: electric(0, 'Electric range, share'),
  HV_BATTERY_REMAINING_ENERGY: electric(1, 'Energy left'),
  HV_BATTERY_REMAINING_CHARGE: electric(1, 'Charge left'),
  HV_BATTERY_IS_CHARGING: electric(0, 'Charging'),
  HV_BATTERY_CHARGING_STATUS: electric(0, 'Charging status'),
  HV_BATTERY_CHARGING_POWER: electric(0, 'Charging power, share'),
  HV_BATTERY_CHARGING_CURRENT: electric(1, 'Charging current'),
  HV_BATTERY_CHARGING_DURATION: electric(0, 'Charging for'),
  HV_BATTERY_REMAINING_CHARGING_DURATION: electric(0, 'Charging time left'),
  HV_BATTERY_STATUS: electric(0, 'Status of the drive battery'),
  HV_BATTERY_VOLTAGE: electric(1, 'Voltage of the drive battery'),
  HV_BATTERY_TEMPERATURE: electric(1, 'Temperature of the drive battery'),
  HV_BATTERY_SOH: electric(1, 'Health of the drive battery'),
  HV_BATTERY_CYCLE_COUNTER: electric(0, 'Charging cycles'),
  HV_BATTERY_INTERNAL_RESISTANCE: electric(3, 'Internal resistance'),
  HV_BATTERY_TOTAL_CAPACITY: electric(1, 'Capacity now'),
  HV_BATTERY_TOTAL_MAXIMUM_CHARGE: electric(1, 'Greatest charge'),
  HV_BATTERY_NOMINAL_ENERGY_CAPACITY: electric(1, 'Capacity when new'),

  BATTERY_STATE: battery(0, 'State of the starter battery'),
  BATTERY_VOLTAGE: battery(2, 'Voltage of the starter battery'),

  IS_MIL_ON: service(0, 'Engine warning light'),
  OBD_DTC_COUNT: service(0, 'Stored fault codes'),
  OBD_DTC_PERMANENT: service(0, 'Permanent fault codes'),
  OBD_DTC_SPORADIC: service(0, 'Sporadic fault codes'),
  DISTANCE_MIL_ON: service(0, 'Driven with the warning light on'),
  DISTANCE_SINCE_CODES_CLEARED: service(0, 'Driven since codes were cleared'),
  SERVICE_DATE: service(0, 'Service due'),
  SERVICE_EXCEEDED_DISTANCE: service(0, 'Service overdue by'),
  SERVICE_EXCEEDED_TIME: service(0, 'Service overdue for'),
  INSPECTION_REMAINING_DISTANCE: service(0, 'Distance until inspection'),
  INSPECTION_REMAINING_TIME: service(0, 'Time until inspection'),
  MAX_DISTANCE_UNTIL_INSPECTION: service(0, 'Inspection interval, distance'),
  MAX_TIME_UNTIL_INSPECTION: service(0, 'Inspection interval, time'),
  DISTANCE_FROM_INSPECTION: service(0, 'Distance since inspection'),
  TIME_FROM_INSPECTION: service(0, 'Time since inspection'),
  OIL_SERVICE_DATE: service(0, 'Oil change due'),
  OIL_CHANGE_REMAINING_DISTANCE: service(0, 'Distance until oil change'),
  OIL_CHANGE_REMAINING_TIME: service(0, 'Time until oil change'),
  GENERAL_INSPECTION_DATE: service(0, 'General inspection due'),

  DRIVING_SCORE: behaviour(0, 'Driving score'),
  ACCELERATION_SCORE: behaviour(0, 'Acceleration score'),
  BRAKING_SCORE: behaviour(0, 'Braking score'),
  CORNERING_SCORE: behaviour(0, 'Cornering score'),
  GREEN_RPM_PERCENTAGE: behaviour(0, 'Engine in the green range'),
  HARSH_ACCELERATION_COUNT: behaviour(0, 'Harsh accelerations'),
  HARSH_BRAKING_COUNT: behaviour(0, 'Harsh brakings'),
  HARSH_CORNERING_COUNT: behaviour(0, 'Harsh cornerings'),
  HARSH_ACCELERATION: behaviour(1, 'Harsh acceleration'),
  HARSH_BRAKING: behaviour(1, 'Harsh braking'),
  HARSH_LEFT_CORNERING: behaviour(1, 'Harsh left turn'),
  HARSH_RIGHT_CORNERING: behaviour(1, 'Harsh right turn'),
  EXTREME_ACCELERATION: behaviour(1, 'Extreme acceleration'),
  EXTREME_BRAKING: behaviour(1, 'Extreme braking'),
  EXTREME_LEFT_CORNERING: behaviour(1, 'Extreme left turn'),
  EXTREME_RIGHT_CORNERING: behaviour(1, 'Extreme right turn'),
  WARNING_OVERSPEEDING: behaviour(0, 'Speeding warning'),
  WARNING_RPM: behaviour(0, 'Engine speed warning'),
  WARNING_THROTTLE_POSITION: behaviour(0, 'Throttle warning'),
  POTHOLE: behaviour(1, 'Pothole'),
  WEAK_CRASH: behaviour(1, 'Light crash'),
  SEVERE_CRASH: behaviour(1, 'Severe crash'),

  IS_DONGLE_PLUGGED_IN: dongle(0, 'Device plugged in'),
  IS_DONGLE_IN_STANDBY: dongle(0, 'Device in standby'),
  IS_GPS_SWITCH_ON: dongle(0, 'GPS receiver'),
  GPS_SATELLITES_IN_USE: dongle(0, 'Satellites in use'),
  GPS_SATELLITES_IN_VIEW: dongle(0, 'Satellites in view'),
  GPS_HDOP: dongle(1, 'GPS dilution (HDOP)'),
  TIME_TO_FIRST_FIX: dongle(0, 'Time to first GPS fix'),
  NETWORK_CELL_INFO: dongle(0, 'Mobile network cell'),
  FIRMWARE_VERSION: dongle(0, 'Firmware of the device'),
  REBOOT_RESPONSE: dongle(0, 'Restart of the device'),
  OBD_TYPE: dongle(0, 'OBD standard'),

  VIN: identification(0, 'VIN'),
  OBD_CALIBRATION_ID: identification(0, 'Calibration id'),
  OBD_CALIBRATION_VERIFICATION_NUMBER: identification(0, 'Calibration verification number'),
  ICCID: identification(0, 'SIM card (ICCID)'),
  IMSI: identification(0, 'Subscriber (IMSI)'),
}

export const EVENT_TYPE_LOOKS: Readonly<Record<string, EventTypeLooks>> = EVENT_TYPES

/** In English, by event type. */
export const EVENT_TYPE_NAMES = Object.fromEntries(
  Object.entries(EVENT_TYPES).map(([eventType, { name }]) => [eventType, name]),
) as Readonly<Record<keyof typeof EVENT_TYPES, string>>

/** Parts of a car and its dongle to which measurements belong, in the order in which they are shown. */
export const MEASUREMENT_GROUPS = [
  'driving',
  'engine',
  'fuel',
  'electric',
  'battery',
  'service',
  'behaviour',
  'dongle',
  'identification',
  'other',
] as const
export type MeasurementGroup = (typeof MEASUREMENT_GROUPS)[number]

/** Reads `POINT(<lon> <lat>)` (fleet-api-v2.md, *Event*). */
export function pointOf(value: unknown): { readonly longitude: number; readonly latitude: number } | undefined {
  const match = /^POINT\((\S+) (\S+)\)$/.exec(String(value))
  return match ? { longitude: Number(match[1]), latitude: Number(match[2]) } : undefined
}
