import type { EventTypeName } from '../../src/catalogue/event-types.ts'
/** Columns that say which car, trip and instant a row belongs to; every recording has them. */
export const KEY_COLUMNS = {
  /** Days since 2017-11-01T00:00 UTC, counted from 1; the start of the trip, the same in all its rows. */
  tripStartDay: 'DayNum',
  car: 'VehId',
  trip: 'Trip',
  /** Counts from the start of the trip. */
  sinceTripStartMs: 'Timestamp(ms)',
} as const

/** The two columns that together are a POSITION. */
export const POSITION_COLUMNS = { lat: 'Latitude[deg]', lon: 'Longitude[deg]' } as const

/** A column whose values are sent as they are: its unit is the unit of the event type. */
interface MeasuredColumn {
  readonly column: string
  readonly eventType: EventTypeName
  /** As the contract writes it; a test compares it with the catalogue. */
  readonly unit: string
  readonly reason: string
}

export const MEASURED_COLUMNS: readonly MeasuredColumn[] = [
  {
    column: 'Vehicle Speed[km/h]',
    eventType: 'VEHICLE_SPEED_AVERAGE',
    unit: 'km/h',
    reason:
      'read from the car (OBD PID 0D), not from the satellites; of the three vehicle speeds it is neither MIN nor MAX',
  },
  {
    column: 'Engine RPM[RPM]',
    eventType: 'ENGINE_RPM_AVERAGE',
    unit: '1/min',
    reason: 'the one reading of its interval',
  },
  {
    column: 'Absolute Load[%]',
    eventType: 'ENGINE_LOAD_AVERAGE',
    unit: '%',
    reason: 'the only load recorded (OBD PID 43); unlike calculated load it passes 100 % on charged engines',
  },
  {
    column: 'OAT[DegC]',
    eventType: 'AMBIENT_AIR_TEMPERATURE',
    unit: '°C',
    reason: 'OAT is outside air temperature',
  },
  {
    column: 'Fuel Rate[L/hr]',
    eventType: 'FUEL_RATE_AVERAGE',
    unit: 'l/h',
    reason: 'the one reading of its interval',
  },
  {
    column: 'HV Battery SOC[%]',
    eventType: 'HV_BATTERY_SOC',
    unit: '%',
    reason: 'the same quantity',
  },
  {
    column: 'HV Battery Voltage[V]',
    eventType: 'HV_BATTERY_VOLTAGE',
    unit: 'V',
    reason: 'the same quantity',
  },
  {
    column: 'HV Battery Current[A]',
    eventType: 'HV_BATTERY_CHARGING_CURRENT',
    unit: 'A',
    reason:
      'both are positive when the battery charges: over each trip, charge summed from it follows the state of charge',
  },
]

/** A column that the contract has no event type for; its values are counted and not sent. */
interface LeftOutColumn {
  readonly column: string
  readonly reason: string
}

export const LEFT_OUT_COLUMNS: readonly LeftOutColumn[] = [
  { column: 'MAF[g/sec]', reason: 'no event type for the air that enters the engine' },
  { column: 'Air Conditioning Power[kW]', reason: 'no event type for the power of single consumers' },
  { column: 'Air Conditioning Power[Watts]', reason: 'no event type for the power of single consumers' },
  { column: 'Heater Power[Watts]', reason: 'no event type for the power of single consumers' },
  { column: 'Short Term Fuel Trim Bank 1[%]', reason: 'no event type for fuel trims' },
  { column: 'Short Term Fuel Trim Bank 2[%]', reason: 'no event type for fuel trims' },
  { column: 'Long Term Fuel Trim Bank 1[%]', reason: 'no event type for fuel trims' },
  { column: 'Long Term Fuel Trim Bank 2[%]', reason: 'no event type for fuel trims' },
]
