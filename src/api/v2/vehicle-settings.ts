import type { FastifySchemaCompiler } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { LONGEST_TEXTS } from '../../fleet/device-entry.ts'
import { changeVehicleSettings, type VehicleSettings } from '../../fleet/vehicle-settings.ts'
import { badRequest } from '../../model/errors.ts'
import { isObject } from '../../model/json-object.ts'
import { idParameter } from '../../server/http/parameters.ts'
import { legibleName, validatorCompiler } from '../../server/http/schemas.ts'
import { parseTimestamp } from '../../server/http/timestamps.ts'
import { type Resource, routesOf } from '../context.ts'
import { checkedByRoute } from '../schemas.ts'

/** PUT and POST /vehicles/{vehicleId}/settings: the contract uses one in its heading, the other in its sample. */
export const vehicleSettings: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'settings', tag: 'Vehicles' })
  route('PUT,POST /vehicles/:vehicleId/settings', {
    summary: 'Change settings of a vehicle',
    description: 'Changes all that is given or nothing. The object `settings` may also be sent bare.',
    params: VehiclePath,
    body: SettingsBody,
    reply: SettingsReply,
    fails: [404],
    validatorCompiler: settingsValidator,
    answer: async ({ accountId, params, body }) => {
      await changeVehicleSettings(context.database, accountId, params.vehicleId, body)
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

const MAX_NUMBER_PLATE_CHARACTERS = 100

type Writable<T> = { -readonly [K in keyof T]: T[K] }

const READERS: Readonly<Record<keyof VehicleSettings, (value: unknown, into: Writable<VehicleSettings>) => void>> = {
  vin(value, into) {
    if (value === null) return
    const vin = typeof value === 'string' ? value.trim().toUpperCase() : ''
    if (!/^[A-HJ-NPR-Z0-9]{17}$/.test(vin))
      throw badRequest('vin must be a text of 17 letters and digits, without I, O and Q.')
    into.vin = vin
  },
  numberPlate: textInto('numberPlate', MAX_NUMBER_PLATE_CHARACTERS),
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
  make: textInto('make', LONGEST_TEXTS.make),
  model: textInto('model', LONGEST_TEXTS.model),
  fuelType: textInto('fuelType', LONGEST_TEXTS.fuelType),
  color: textInto('color', LONGEST_TEXTS.color),
  group: textInto('group', LONGEST_TEXTS.group),
}

function textInto(name: 'numberPlate' | 'make' | 'model' | 'fuelType' | 'color' | 'group', longest: number) {
  return (value: unknown, into: Writable<VehicleSettings>) => {
    if (value === null) return
    if (typeof value !== 'string') throw badRequest(`${name} must be a text.`)
    const text = value.trim()
    if (text.length > longest) throw badRequest(`${name} must have at most ${longest} characters.`)
    // PostgreSQL would store a lone surrogate as another character.
    if (/[\p{Cc}\p{Cs}]/u.test(text))
      throw badRequest(`${name} must not contain control characters or halves of characters.`)
    into[name] = text
  }
}

const NAMES = Object.keys(READERS).join(', ')

/** The body of decisions.md, *Reading requests*. @throws ClientError 400 naming the fault; then none of it applies */
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

function isName(name: string): name is keyof VehicleSettings {
  return Object.hasOwn(READERS, name)
}

/** A VIN (ISO 3779), in either letter case. */
export const VIN_PATTERN = '^[A-HJ-NPR-Za-hj-npr-z0-9]{17}$'

const orNull = (schema: { readonly type: string } & Record<string, unknown>) =>
  Type.Optional(Type.Unsafe({ ...schema, type: [schema.type, 'null'] }))
const textOrNull = (maxLength: number, description: string) => orNull({ type: 'string', maxLength, description })

const Settings = Type.Object(
  {
    vin: orNull({
      type: 'string',
      pattern: VIN_PATTERN,
      description: 'VIN of the vehicle, for when it could not be detected. It changes the id of the vehicle.',
    }),
    numberPlate: textOrNull(MAX_NUMBER_PLATE_CHARACTERS, 'Number plate.'),
    make: textOrNull(
      LONGEST_TEXTS.make,
      'Make of the vehicle, for when the VIN does not tell it; empty: as the VIN tells (beyond the original document).',
    ),
    model: textOrNull(LONGEST_TEXTS.model, 'Model of the vehicle (beyond the original document).'),
    fuelType: textOrNull(
      LONGEST_TEXTS.fuelType,
      'What it runs on; empty: as the vehicle reports it (beyond the original document).',
    ),
    color: textOrNull(LONGEST_TEXTS.color, 'Colour of the vehicle, in your own words (beyond the original document).'),
    group: textOrNull(
      LONGEST_TEXTS.group,
      'Which vehicles it belongs with, such as a site or a department, in your own words (beyond the original document).',
    ),
    alarmSystem: orNull({ type: 'boolean', description: 'Whether an additional alarm system exists.' }),
    deleteTimestamp: orNull({
      type: 'string',
      format: 'date-time',
      description: 'Marks the vehicle as deleted: it should not be displayed any more. null resets the mark.',
    }),
  },
  {
    title: 'Settings',
    additionalProperties: false,
    ...checkedByRoute({ minProperties: 1 }),
    description: 'One or several settings. A null leaves a setting as it is, except deleteTimestamp.',
  },
)

/** `{"settings": {…}}` as the contract describes it, and the bare object as its sample sends it. */
const SettingsBody = Type.Unsafe<VehicleSettings>(
  Type.Union(
    [Type.Object({ settings: Settings }, { title: 'SettingsChange', additionalProperties: false }), Settings],
    {
      examples: [{ settings: { numberPlate: 'M-TC 4711', alarmSystem: true } }],
    },
  ),
)

const VehiclePath = Type.Object({
  vehicleId: idParameter('Id of the vehicle, or one that it had before its VIN was known.', [
    'VINWVWZZZ1KZAW000001',
    'IMEI_356307042441013',
  ]),
})

const SettingsReply = Type.Object({}, { description: 'The settings hold.' })
