import { eventTypeByName } from '../../catalogue/event-types.ts'
import {
  type ParameterValue,
  type RuleKind,
  type RuleKindName,
  type RuleParameter,
  ruleKindByName,
  type Severity,
} from '../../catalogue/rule-kinds/index.ts'
import { type Connection, sql } from '../../db/sql.ts'
import { areaIdsOf } from '../../derive/rules/rule-book.ts'
import type { WeeklyHours } from '../../derive/rules/weekly-hours.ts'
import { badRequest } from '../../model/errors.ts'
import { isTimeZone } from '../../model/texts.ts'

/** A rule as a client writes it. */
export interface WrittenRule {
  readonly kind: string
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly severity?: Severity
  /** Public ids; null: all of the account. */
  readonly vehicleIds?: readonly string[] | null
  readonly hours?: WrittenHours | null
}

/** A rule that was read and checked, but not saved. */
export interface RuleDraft {
  readonly kind: RuleKindName
  readonly parameters: Readonly<Record<string, ParameterValue>>
  readonly severity: Severity
  readonly vehicleIds: readonly number[] | null
  readonly hours: WeeklyHours | null
}

/** @throws ClientError 400 naming what is wrong: the kind, a parameter, an area or a vehicle that the account does not
 * have */
export async function readRule(connection: Connection, accountId: number, rule: WrittenRule): Promise<RuleDraft> {
  const kind = ruleKindByName(rule.kind)
  if (!kind)
    throw badRequest(
      `kind must be one of those of /rule-kinds; there is no ${JSON.stringify(rule.kind.slice(0, 100))}.`,
    )
  const parameters = readParameters(kind, rule.parameters ?? {})
  await requireAreas(connection, accountId, areaIdsOf({ kind: kind.name, parameters }) ?? [])
  return {
    kind: kind.name,
    parameters,
    severity: rule.severity ?? kind.severity,
    vehicleIds: await readVehicles(connection, accountId, rule.vehicleIds ?? null),
    hours: rule.hours ? readHours(rule.hours) : null,
  }
}

async function requireAreas(connection: Connection, accountId: number, areaIds: readonly number[]): Promise<void> {
  const [missing] = await connection.rows<{ id: number }>(sql`
    select u.id from unnest(${areaIds}::bigint[]) as u (id)
    where not exists (select from areas a where a.id = u.id and a.account_id = ${accountId} and a.deleted is null) limit 1`)
  if (missing) throw badRequest(`parameters name the area ${missing.id}, which this account does not have.`)
}

async function readVehicles(
  connection: Connection,
  accountId: number,
  publicIds: readonly string[] | null,
): Promise<readonly number[] | null> {
  if (publicIds === null) return null
  const rows = await connection.rows<{ public_id: string; id: number | null }>(sql`
    select u.public_id, coalesce(
      (select id from vehicles v where v.account_id = ${accountId} and v.public_id = u.public_id),
      (select vehicle_id from former_vehicle_ids f where f.account_id = ${accountId} and f.public_id = u.public_id)) as id
    from unnest(${publicIds}::text[]) as u (public_id)`)
  const missing = rows.find(({ id }) => id === null)
  if (missing) throw badRequest(`vehicleIds names ${missing.public_id}, which is no vehicle of this account.`)
  return [...new Set(rows.flatMap(({ id }) => id ?? []))].sort((a, b) => a - b)
}

/** Areas that one rule may name; it may name none, and then all of the account count. */
const MOST_AREAS = 1000
const MOST_PATTERN_CHARACTERS = 20

/** Reads parameters; missing or null ones get the default of their kind. @param given by name; ids of areas as texts
 * @throws ClientError 400 naming the parameter, its unit and what it may be */
function readParameters(
  kind: RuleKind,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, ParameterValue>> {
  const names = kind.parameters.map(({ name }) => name)
  const unknown = Object.keys(given).find(name => !names.includes(name))
  if (unknown !== undefined)
    throw badRequest(
      `parameters.${shortened(unknown)} is not a parameter of ${kind.name}${names.length > 0 ? `; there are ${names.join(', ')}` : ', which has none'}.`,
    )
  return Object.fromEntries(
    kind.parameters.map(parameter => {
      const value = given[parameter.name] ?? parameter.default
      return [parameter.name, readValue(parameter, value)]
    }),
  )
}

function readValue(parameter: RuleParameter, value: unknown): ParameterValue {
  const fault = (text: string) => badRequest(`parameters.${parameter.name} must be ${text}.`)
  switch (parameter.type) {
    case 'number':
    case 'integer': {
      const { minimum, maximum, unit, type } = parameter
      const isNumber =
        typeof value === 'number' && (type === 'integer' ? Number.isInteger(value) : Number.isFinite(value))
      if (!isNumber || value < minimum || value > maximum)
        throw fault(
          `${type === 'integer' ? 'an integer' : 'a number'} from ${minimum} to ${maximum}${unit && ` ${unit}`}`,
        )
      return value
    }
    case 'boolean':
      if (typeof value !== 'boolean') throw fault('true or false')
      return value
    case 'enum': {
      const choices = parameter.choices.map(choice => choice.value)
      if (typeof value !== 'string' || !choices.includes(value)) throw fault(`one of ${choices.join(', ')}`)
      return value
    }
    case 'areas': {
      const ids = Array.isArray(value) && value.length <= MOST_AREAS ? value.map(idOf) : [undefined]
      const known = ids.filter(id => id !== undefined)
      if (known.length < ids.length) throw fault(`a list of at most ${MOST_AREAS} ids of areas`)
      return [...new Set(known)].sort((a, b) => a - b)
    }
    case 'eventType':
      if (typeof value !== 'string' || !isNumeric(value)) throw fault('the name of an event type with data type NUMBER')
      return value
    case 'dtcPattern': {
      const pattern = typeof value === 'string' ? value.trim().toUpperCase() : ''
      if (!/^[A-Z0-9*?]+$/.test(pattern) || pattern.length > MOST_PATTERN_CHARACTERS)
        throw fault('a trouble code such as P0301, with * for any characters and ? for one')
      return pattern
    }
    case 'date':
      if (typeof value !== 'string' || !isDate(value)) throw fault('a date such as 2027-03-31')
      return value
  }
}

/** Areas have ids as texts in the API; defaults have numbers. */
function idOf(id: unknown): number | undefined {
  if (typeof id === 'number') return id
  return typeof id === 'string' && /^[1-9]\d{0,8}$/.test(id) ? Number(id) : undefined
}

function isNumeric(name: string): boolean {
  return eventTypeByName(name)?.dataType === 'NUMBER'
}

function isDate(text: string): boolean {
  const timeMs = /^(?:19|20|21)\d{2}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // 31 February is read as a day in March.
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(text)
}

function shortened(name: string): string {
  return /^\w{1,100}$/.test(name) ? name : JSON.stringify(name.slice(0, 100))
}

/** Hours as clients write them: `from` and `to` as `HH:MM` by the clock of the zone, `to` up to `24:00`; seven days, Monday first. */
interface WrittenHours {
  readonly timeZone: string
  readonly days: readonly (readonly { readonly from: string; readonly to: string }[])[]
}

const MOST_TIMES_OF_DAY = 24

/** @throws ClientError 400 naming what is wrong */
function readHours({ timeZone, days }: WrittenHours): WeeklyHours {
  if (!isTimeZone(timeZone)) throw badRequest('hours.timeZone must be an IANA time zone such as Europe/Berlin.')
  if (days.length !== 7) throw badRequest('hours.days must have seven lists, Monday first.')
  return {
    timeZone,
    days: days.map((day, index) => {
      if (day.length > MOST_TIMES_OF_DAY)
        throw badRequest(`hours.days.${index} must have at most ${MOST_TIMES_OF_DAY} times.`)
      return day
        .map(({ from, to }, at): WeeklyHours['days'][number][number] => {
          const [fromMinute, toMinute] = [minuteOf(from), minuteOf(to)]
          if (fromMinute === undefined || toMinute === undefined || fromMinute >= toMinute)
            throw badRequest(
              `hours.days.${index}.${at} must be from an earlier to a later time of the day, such as 06:00 and 18:00; what goes over midnight is two of them, up to 24:00.`,
            )
          return { fromMinute, toMinute }
        })
        .sort((a, b) => a.fromMinute - b.fromMinute)
    }),
  }
}

export function writtenHours({ timeZone, days }: WeeklyHours) {
  return {
    timeZone,
    days: days.map(day =>
      day.map(({ fromMinute, toMinute }) => ({ from: clockText(fromMinute), to: clockText(toMinute) })),
    ),
  }
}

function minuteOf(text: string): number | undefined {
  const [, hours, minutes] = /^(\d\d):([0-5]\d)$/.exec(text) ?? []
  const minute = Number(hours) * 60 + Number(minutes)
  return minute <= 24 * 60 ? minute : undefined
}

function clockText(minute: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
