import { type TSchema, type TUnsafe, Type } from 'typebox'
import { badRequest } from '../../model/errors.ts'
import { type DeviceId, deviceIdOf, type Position } from '../../model/sample.ts'
import { isTimeZone } from '../../model/texts.ts'
import { type Instant, parseTimestamp } from './timestamps.ts'

/** Parses a path or query parameter; kept with its schema: one row documents, types and validates it. */
const READER = Symbol('reader')

/** @param text trimmed; `exact` is not */
type Reader<T> = (text: string, name: string, exact: string) => T

interface Documentation {
  readonly description: string
  readonly [keyword: string]: unknown
}

function parameter<T>(schema: Documentation & { type: string }, reader: Reader<T>): TUnsafe<T> {
  return Type.Unsafe<T>({ ...schema, [READER]: reader })
}

/** @throws ClientError 400 naming the parameter. An empty text counts as absent, a repeated parameter as one list. */
export function readParameters(
  properties: Readonly<Record<string, TSchema>>,
  given: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const raw = given[name]
    const exact = Array.isArray(raw) ? raw.filter(Boolean).join(',') : (raw ?? '')
    const text = exact.trim()
    // PostgreSQL cannot store this character in a text and would reject the query.
    if (text.includes('\0')) throw badRequest(`${name} must not contain the character NUL.`)
    const reader = (schema as { [READER]?: Reader<unknown> })[READER]
    if (text !== '' && reader) values[name] = reader(text, name, exact)
  }
  return values
}

export const timestampParameter = (description: string) =>
  parameter<Instant>(
    { type: 'string', format: 'date-time', description, examples: ['2020-02-22T14:37:07.797Z'] },
    (text, name) => {
      const instant = parseTimestamp(text)
      if (!instant) throw badRequest(`${name} must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.`)
      return instant
    },
  )

export const booleanParameter = (description: string) =>
  parameter<boolean>({ type: 'boolean', description }, (text, name) => {
    const word = text.toLowerCase()
    if (word !== 'true' && word !== 'false') throw badRequest(`${name} must be true or false.`)
    return word === 'true'
  })

/** One value of an enumeration, in any letter case. */
export const wordParameter = <const W extends string>(words: readonly W[], description: string) =>
  parameter<W>({ type: 'string', enum: words, description }, (text, name) => wordOf(words, text, name))

/** Several values of an enumeration, separated by commas; documented as in the contract, read in any letter case. */
export const wordsParameter = <const W extends string>(words: readonly W[], description: string) =>
  parameter<readonly W[]>(
    {
      type: 'string',
      pattern: `^(${words.join('|')})(,(${words.join('|')}))*$`,
      description,
      examples: [words.slice(0, 2).join(',')],
    },
    (text, name) => [...new Set(itemsOf(text).map(item => wordOf(words, item, name)))],
  )

function wordOf<W extends string>(words: readonly W[], text: string, name: string): W {
  const word = words.find(candidate => candidate.toUpperCase() === text.toUpperCase())
  if (!word) throw badRequest(`${name} must be one of ${words.join(', ')}.`)
  return word
}

export const textParameter = (description: string, examples: readonly string[] = []) =>
  parameter<string>({ type: 'string', description, examples }, text => text)

/** An id that is a text. Only the exact text from a reply identifies the object, so it is not trimmed. */
export const idParameter = (description: string, examples: readonly string[] = []) =>
  parameter<string>({ type: 'string', description, examples }, (_text, _name, exact) => exact)

const POSITION = /^-?\d{1,3}(\.\d{1,15})?,-?\d{1,3}(\.\d{1,15})?$/
const POSITIONS = POSITION.source.replace('$', `(;${POSITION.source.slice(1, -1)})*$`)

/** Latitude and longitude, in this order as in a geo URI (RFC 5870). */
export const positionParameter = (description: string) =>
  parameter<Position>(
    { type: 'string', pattern: POSITION.source, description, examples: ['48.1275,11.6055'] },
    positionIn,
  )

/** Several, apart by semicolons. */
export const positionsParameter = (description: string) =>
  parameter<readonly Position[]>(
    { type: 'string', pattern: POSITIONS, description, examples: ['48.1275,11.6055;49.01,8.4'] },
    (text, name) => text.split(';').map(each => positionIn(each, name)),
  )

function positionIn(text: string, name: string): Position {
  const [lat = Number.NaN, lon = Number.NaN] = text.split(',').map(Number)
  if (!POSITION.test(text) || Math.abs(lat) > 90 || Math.abs(lon) > 180)
    throw badRequest(`${name} must be latitude and longitude in degrees, such as 48.1275,11.6055.`)
  return { lat, lon }
}

export const textsParameter = (description: string, examples: readonly string[] = []) =>
  parameter<readonly string[]>({ type: 'string', description, examples }, text => [...new Set(itemsOf(text))])

export const timeZoneParameter = (description: string) =>
  parameter<string>(
    {
      type: 'string',
      pattern: '^(UTC|GMT|[A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$',
      default: 'UTC',
      description,
      examples: ['Europe/Berlin'],
    },
    (text, name) => {
      if (!isTimeZone(text)) throw unknownTimeZone(name)
      return text
    },
  )

export const unknownTimeZone = (name: string) => badRequest(`${name} must be an IANA time zone such as Europe/Berlin.`)

export const DEVICE_ID = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const

export const deviceIdParameter = (description: string) =>
  parameter<DeviceId>({ ...DEVICE_ID, description, examples: [356307042441013] }, readDeviceId)

export const deviceIdsParameter = (description: string) =>
  parameter<readonly DeviceId[]>(
    {
      type: 'string',
      pattern: '^0?[1-9]\\d{0,14}(, ?0?[1-9]\\d{0,14})*$',
      description,
      examples: ['356307042441013,356307042441021'],
    },
    (text, name) => [...new Set(itemsOf(text).map(item => readDeviceId(item, name)))],
  )

/** A number, not a text: an IMEI with a leading 0 is printed with it and returned without it, and both are the same. */
function readDeviceId(text: string, name: string): DeviceId {
  const id = /^\d{1,16}$/.test(text) ? deviceIdOf(Number(text)) : undefined
  if (id === undefined) throw badRequest(`${name} must be an IMEI, a positive integer below 2^53.`)
  return id
}

const MAX_RESULTS = 10_000
export const DEFAULT_MAX_RESULTS = 500

export const maxResultsParameter = () =>
  parameter<number>(
    {
      type: 'integer',
      minimum: 1,
      default: DEFAULT_MAX_RESULTS,
      description: `Most results of one reply; values above ${MAX_RESULTS} count as ${MAX_RESULTS}. A Link header leads to the rest.`,
    },
    (text, name) => {
      if (!/^\d+$/.test(text) || Number(text) < 1) throw badRequest(`${name} must be an integer of at least 1.`)
      return Math.min(Number(text), MAX_RESULTS)
    },
  )

export const integerParameter = (minimum: number, maximum: number, description: string) =>
  parameter<number>({ type: 'integer', minimum, maximum, description }, (text, name) => {
    if (!/^\d{1,15}$/.test(text) || Number(text) < minimum || Number(text) > maximum)
      throw badRequest(`${name} must be an integer from ${minimum} to ${maximum}.`)
    return Number(text)
  })

function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map(item => item.trim())
    .filter(Boolean)
}

export const rangeParameters = (of: string) => ({
  fromTimestamp: Type.Optional(timestampParameter(`Start of the range of ${of}, inclusive.`)),
  toTimestamp: Type.Optional(timestampParameter(`End of the range of ${of}, inclusive.`)),
})
export const filterTimestampParameter = () =>
  timestampParameter('Only objects whose modifyTimestamp is newer. Use the modifyTimestamp of your last reply.')
export const cursorParameter = () =>
  textParameter('Where to go on, from the Link header of the page before (beyond the original document).')

/** The parameters of every list that clients sync (fleet-api-v2.md, general convention 7). @param range what from and to bound */
export const syncListParameters = (range: string) => ({
  ...rangeParameters(range),
  filterTimestamp: Type.Optional(filterTimestampParameter()),
  maxResults: Type.Optional(maxResultsParameter()),
  cursor: Type.Optional(cursorParameter()),
})
