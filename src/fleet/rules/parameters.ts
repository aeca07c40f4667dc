import { eventTypeByName } from '../../catalogue/event-types.ts'
import type { ParameterValue, RuleKind, RuleParameter } from '../../catalogue/rule-kinds/index.ts'
import { badRequest } from '../../model/errors.ts'

/** Areas that one rule may name; it may name none, and then all of the account count. */
const MOST_AREAS = 1000
const MOST_PATTERN_CHARACTERS = 20

/**
 * Reads the parameters of a rule. What is missing or null gets the default of its kind.
 * @param given by name; ids of areas as texts
 * @throws ClientError 400 naming the parameter, its unit and what it may be
 */
export function readParameters(
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
