import { allOf, listOf, type Statement, sql } from '../../../db/sql.ts'

const TEXTS = [sql`license_plate`, sql`model`, sql`vehicle`, sql`kba`, sql`fuel_type_set`, sql`color`, sql`car_group`]
const NUMBERS = [sql`tecdoc_make_id`, sql`tecdoc_model_id`, sql`tecdoc_vehicle_id`]

/** Whether the vehicle `v` has no settings by an operator, not even a VIN. */
export const NOTHING_SET = allOf([
  sql`not v.vin_by_operator`,
  sql`not v.make_by_operator`,
  sql`v.alarm_system is null`,
  sql`v.deleted is null`,
  ...TEXTS.map(column => sql`v.${column} = ''`),
  ...NUMBERS.map(column => sql`v.${column} = 0`),
])

/** What gives the vehicle `heir` those settings of `old` that it lacks: the `set` of a statement. */
export const TAKEN_OVER = listOf([
  ...TEXTS.map(column => sql`${column} = case when heir.${column} = '' then old.${column} else heir.${column} end`),
  ...NUMBERS.map(column => sql`${column} = case when heir.${column} = 0 then old.${column} else heir.${column} end`),
  sql`make = case when old.make_by_operator and not heir.make_by_operator then old.make else heir.make end`,
  sql`make_by_operator = heir.make_by_operator or old.make_by_operator`,
  sql`alarm_system_set = case when heir.alarm_system is null then old.alarm_system_set else heir.alarm_system_set end`,
  sql`alarm_system = coalesce(heir.alarm_system, old.alarm_system)`,
])

/** Whether `heir` has every setting of `old`. */
export const HAS_ALL = allOf([
  ...TEXTS.map(column => sql`old.${column} in ('', heir.${column})`),
  ...NUMBERS.map(column => sql`old.${column} in (0, heir.${column})`),
  sql`(not old.make_by_operator or old.make = heir.make)`,
  sql`coalesce(old.alarm_system, heir.alarm_system) is not distinct from heir.alarm_system`,
])

/** What removes all settings of a vehicle but its VIN: the `set` of a statement. */
export const UNSET: Statement = listOf([
  ...TEXTS.map(column => sql`${column} = ''`),
  ...NUMBERS.map(column => sql`${column} = 0`),
  sql`make = ''`,
  sql`make_by_operator = false`,
  sql`alarm_system = null`,
  sql`alarm_system_set = null`,
  sql`deleted = null`,
])
