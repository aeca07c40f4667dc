import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { LONGEST_TEXTS } from '../../../fleet/device-entry.ts'
import { changeVehicleSettings, type VehicleSettings } from '../../../fleet/vehicle-settings.ts'
import { badRequest } from '../../../model/errors.ts'
import { callerOf } from '../../../server/http/access.ts'
import { legibleName, validatorCompiler } from '../../../server/http/schemas.ts'
import { parseTimestamp } from '../../../server/http/timestamps.ts'
import type { Resource } from '../../context.ts'
import { ErrorBody, errorReplies, languageHeader } from '../../schemas.ts'
import { MAX_NUMBER_PLATE_CHARACTERS, SettingsBody, SettingsReply, VehiclePath } from './schema.ts'

/** PUT and POST /vehicles/{vehicleId}/settings: the contract uses one in its heading, the other in its sample. */
export const vehicleSettings: Resource = (server, { database }) => {
  server.route({
    method: ['PUT', 'POST'],
    url: '/vehicles/:vehicleId/settings',
    config: { access: 'settings' },
    schema: {
      tags: ['Vehicles'],
      summary: 'Change settings of a vehicle',
      description: 'Changes all that is given or nothing. The object `settings` may also be sent bare.',
      headers: languageHeader,
      params: VehiclePath,
      body: SettingsBody,
      response: { 200: SettingsReply, ...errorReplies, 404: ErrorBody, 413: ErrorBody, 415: ErrorBody },
    },
    validatorCompiler: settingsValidator,
    handler: async request => {
      await changeVehicleSettings(database, callerOf(request).accountId, request.params.vehicleId, request.body)
      return {}
    },
  })
}

/** With two possible forms of the body, a schema cannot name the attribute that is wrong. */
const settingsValidator: FastifySchemaCompiler<TSchema> = route =>
  route.httpPart === 'body'
    ? (body: unknown) => {
        try {
          return { value: readSettings(body) }
        } catch (error) {
          return { error: error instanceof Error ? error : new Error(String(error)) }
        }
      }
    : validatorCompiler(route)

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Reads one setting. @throws a ClientError that names it. */
const READERS: Readonly<Record<keyof VehicleSettings, (value: unknown, into: Writable<VehicleSettings>) => void>> = {
  vin(value, into) {
    if (value === null) return
    const vin = typeof value === 'string' ? value.trim().toUpperCase() : ''
    if (!/^[A-HJ-NPR-Z0-9]{17}$/.test(vin))
      throw badRequest('vin must be a text of 17 letters and digits, without I, O and Q.')
    into.vin = vin
  },
  numberPlate(value, into) {
    if (value !== null) into.numberPlate = textOf('numberPlate', value, MAX_NUMBER_PLATE_CHARACTERS)
  },
  alarmSystem(value, into) {
    if (value === null) return
    if (typeof value !== 'boolean') throw badRequest('alarmSystem must be true or false.')
    into.alarmSystem = value
  },
  deleteTimestamp(value, into) {
    const instant = typeof value === 'string' ? parseTimestamp(value) : value
    if (instant !== null && typeof instant !== 'string')
      throw badRequest('deleteTimestamp must be null or an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.')
    into.deleteTimestamp = instant
  },
  // Beyond the original document, so they come last.
  make(value, into) {
    if (value !== null) into.make = textOf('make', value, LONGEST_TEXTS.make)
  },
  model(value, into) {
    if (value !== null) into.model = textOf('model', value, LONGEST_TEXTS.model)
  },
  fuelType(value, into) {
    if (value !== null) into.fuelType = textOf('fuelType', value, LONGEST_TEXTS.fuelType)
  },
  color(value, into) {
    if (value !== null) into.color = textOf('color', value, LONGEST_TEXTS.color)
  },
  group(value, into) {
    if (value !== null) into.group = textOf('group', value, LONGEST_TEXTS.group)
  },
}

function textOf(name: string, value: unknown, longest: number): string {
  if (typeof value !== 'string') throw badRequest(`${name} must be a text.`)
  const text = value.trim()
  if (text.length > longest) throw badRequest(`${name} must have at most ${longest} characters.`)
  // PostgreSQL would store a lone surrogate as another character.
  if (/[\p{Cc}\p{Cs}]/u.test(text))
    throw badRequest(`${name} must not contain control characters or halves of characters.`)
  return text
}

const NAMES = Object.keys(READERS).join(', ')

/**
 * Reads the body of a settings request (decisions.md, *Reading requests*, settings body).
 * @throws ClientError 400 naming what is wrong; then none of it applies.
 */
function readSettings(body: unknown): VehicleSettings {
  if (!isObject(body)) throw badRequest('The body must be an object with settings.')
  const { settings: wrapped, ...rest } = body
  if (wrapped !== undefined && !isObject(wrapped)) throw badRequest('settings must be an object.')
  const given = Object.entries({ ...wrapped, ...rest })
  if (given.length === 0) throw badRequest(`settings must have at least one of ${NAMES}.`)
  const settings: Writable<VehicleSettings> = {}
  for (const [name, value] of given) {
    if (!isName(name) || (wrapped !== undefined && name in rest))
      throw badRequest(`${legibleName(name)} is not a setting; there are ${NAMES}.`)
    READERS[name](value, settings)
  }
  return settings
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isName(name: string): name is keyof VehicleSettings {
  return Object.hasOwn(READERS, name)
}
