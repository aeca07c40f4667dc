import { requiredEventType } from '../../catalogue/event-types.ts'
import { type Statement, sql } from '../sql.ts'

const odometer = sql`item.meters -> ${String(requiredEventType('MILEAGE').id)}::text`
/** In metres; absurd readings are no readings, and would not fit. */
const metresOf = (km: Statement) => sql`
  case when abs((${km})::float8) < 1e9 then round((${km})::float8 * 1000)::bigint end`
const START_READING = metresOf(sql`${odometer} ->> 'start'`)
const END_READING = metresOf(sql`${odometer} ->> 'end'`)

/**
 * The odometer in metres when the trip `item` began: its first reading, or the last one less the distance; null where
 * it has neither. It is null exactly where `ODOMETER_END` is.
 */
export const ODOMETER_START = sql`coalesce(${START_READING}, ${END_READING} - item.distance_m)`

/** The odometer in metres when the trip `item` ended. */
export const ODOMETER_END = sql`coalesce(${END_READING}, ${START_READING} + item.distance_m)`
