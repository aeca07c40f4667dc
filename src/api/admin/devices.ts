import { type Static, Type } from 'typebox'
import {
  type DeviceEntry,
  GREATEST_NUMBER,
  LONGEST_TEXTS,
  readNewImei,
  readText,
  readVin,
} from '../../fleet/device-entry.ts'
import type { MoveRequest } from '../../fleet/record-move.ts'
import { admitDevices, deleteWithin, moveDevice } from '../../fleet/with-consequences.ts'
import { badRequest, notFound } from '../../model/errors.ts'
import { DEVICE_ID, deviceIdParameter } from '../../server/http/parameters.ts'
import { type Resource, routesOf } from '../context.ts'
import { checkedByRoute, deviceIdField, instant, readTimestamp, timestampIn } from '../schemas.ts'
import { VIN_PATTERN } from '../v2/vehicle-settings.ts'
import { administer } from './audit.ts'

/** /admin/devices: which dongles the caller's account has, and in which cars they are. GET /devices of the API lists them. */
export const administeredDevices: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'administration', tag: 'Administration', isUntranslated: true })
  const { database } = context
  route('POST /devices', {
    summary: 'Let a dongle in',
    description:
      'Adds a dongle that was never seen, with a car of its own. One that is there already is refused. Where there are ' +
      'several accounts, so is one that the operator of the service has not handed out to this account; and one that ' +
      'has reported nothing after some weeks is given up again.',
    body: NewDeviceBody,
    reply: AddedDevice,
    isCreated: true,
    answer: async asked => {
      const { accountId } = asked
      const entry = readNewDevice(asked.body, accountId)
      const { deviceId } = entry
      const terms = { firstAccountId: accountId, onlyNew: true, claimantId: accountId }
      // A refused claim is recorded, so the transaction commits.
      const outcome = await administer(asked, database, async transaction => {
        const result = await admitDevices(transaction, [entry], terms)
        return { kind: result.kind === 'entered' ? 'device-added' : 'device-refused', details: { deviceId }, result }
      })
      if (outcome.kind === 'refused')
        throw badRequest(outcome.problems.map(({ field, text }) => `${field} ${text}.`).join(' '))
      return { deviceId }
    },
  })
  route('POST /devices/:deviceId/move', {
    summary: 'Put a dongle into another car',
    description:
      'What the dongle measured from that instant on belongs to the other car: trips, fault codes, latest values, ' +
      'statistics. The former car keeps what was before.',
    params: DevicePath,
    body: MoveBody,
    reply: MovedDevice,
    fails: [404],
    answer: async asked => {
      const { accountId } = asked
      const { deviceId } = asked.params
      const { field, to, atMs } = readMove(asked.body)
      const outcome = await moveDevice(database, { deviceId, to, accountId: undefined, ownerId: accountId, atMs })
      if (outcome.kind === 'unknown') throw notFound(`The device ${deviceId}`)
      if (outcome.kind === 'refused')
        throw badRequest(`${outcome.field === 'atMs' ? 'fromTimestamp' : field}: ${outcome.text}.`)
      const details = { deviceId, vehicleId: outcome.publicId, fromTimestamp: new Date(outcome.atMs).toISOString() }
      // A move takes more than one transaction.
      return administer(asked, database, async () => ({ kind: 'device-moved', details, result: details }))
    },
  })
  route('DELETE /devices/:deviceId', {
    summary: 'Delete a dongle and its car',
    description:
      'Erases everything that the dongle measured, its trips, fault codes and statistics, and every car in which no ' +
      'other dongle ever was. Clients that sync are told that trips, codes and cars are deleted; of these nothing but ' +
      'the ids is left. It cannot be undone.',
    params: DevicePath,
    fails: [404, 413, 415],
    answer: async asked => {
      const { deviceId } = asked.params
      await administer(asked, database, async transaction => {
        const result = await deleteWithin(transaction, { deviceId, ownerId: asked.accountId })
        if (result.kind === 'unknown') throw notFound(`The device ${deviceId}`)
        if (result.kind === 'refused') throw badRequest(`The device ${deviceId} ${result.text}.`)
        return { kind: 'device-deleted', details: { deviceId }, result }
      })
    },
  })
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

const TEXTS = {
  licensePlate: 'plate',
  make: 'make',
  model: 'model',
  vehicle: 'vehicle',
  fuelType: 'fuelType',
  kba: 'kba',
  hardwareType: 'hardware',
} as const satisfies Partial<Record<keyof NewDeviceBody, keyof typeof LONGEST_TEXTS>>

const NUMBERS = {
  tecDocMakeId: 'tecdocMakeId',
  tecDocModelId: 'tecdocModelId',
  tecDocVehicleId: 'tecdocVehicleId',
} as const satisfies Partial<Record<keyof NewDeviceBody, keyof DeviceEntry>>

/** Reads a dongle and its car; blank texts count as absent. @throws ClientError 400 naming the field that is wrong. */
function readNewDevice(body: NewDeviceBody, accountId: number): DeviceEntry {
  const entry: Writable<DeviceEntry> = {
    deviceId: readAs('deviceId', text => readNewImei(text, body.anyCheckDigit ?? false), String(body.deviceId)),
    accountId,
  }
  const vin = given(body.vin)
  if (vin !== undefined) entry.vin = readAs('vin', readVin, vin)
  for (const name of namesOf(TEXTS)) {
    const text = given(body[name])
    if (text !== undefined)
      entry[TEXTS[name]] = readAs(name, value => readText(value, LONGEST_TEXTS[TEXTS[name]]), text)
  }
  for (const name of namesOf(NUMBERS)) {
    const number = body[name]
    if (number !== undefined) entry[NUMBERS[name]] = number
  }
  return entry
}

/** Reads which car a dongle moves to, and from when on. @throws ClientError 400 naming the field that is wrong. */
function readMove(body: MoveBody): Pick<MoveRequest, 'to' | 'atMs'> & { readonly field: MoveField } {
  const fields = MOVE_FIELDS.flatMap(field => {
    const text = given(body[field])
    return text === undefined ? [] : [{ field, text }]
  })
  const [named] = fields
  if (!named || fields.length > 1) throw badRequest(`Exactly one of ${MOVE_FIELDS.join(', ')} must be given.`)
  const { field, text } = named
  const since = given(body.fromTimestamp)
  // PostgreSQL cannot store this character.
  if (text.includes('\0')) throw badRequest(`${field} must not contain the character NUL.`)
  return {
    field,
    to: field === 'vin' ? { kind: 'found or new', vin: readAs('vin', readVin, text) } : { kind: 'named', name: text },
    atMs: since === undefined ? undefined : Date.parse(readTimestamp(since, 'fromTimestamp')),
  }
}

type MoveField = (typeof MOVE_FIELDS)[number]

const MOVE_FIELDS = ['vehicleId', 'licensePlate', 'vin'] as const

/** The text without surrounding whitespace; undefined when nothing is left. */
function given(text: string | undefined): string | undefined {
  return text?.trim() || undefined
}

function readAs<T>(field: string, read: (text: string) => T, text: string): T {
  try {
    return read(text)
  } catch (error) {
    throw badRequest(`${field} ${error instanceof Error ? error.message : String(error)}.`)
  }
}

function namesOf<Name extends string>(fields: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(fields) as Name[]
}

const text = (maxLength: number, description: string, example: string) =>
  Type.Optional(Type.String({ maxLength, description, examples: [example] }))
const catalogueNumber = (description: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: GREATEST_NUMBER, description, examples: [example] }))

const vin = (description: string) =>
  Type.Optional(
    Type.String({ description, examples: ['WVWZZZ1KZAW000001'], ...checkedByRoute({ pattern: VIN_PATTERN }) }),
  )
const licensePlate = (description: string) => text(LONGEST_TEXTS.plate, description, 'M-TC 4711')

const NewDeviceBody = Type.Object(
  {
    deviceId: Type.Integer({
      ...DEVICE_ID,
      description: 'IMEI of the dongle, or another number that it reports under.',
      examples: [356307042441013],
    }),
    anyCheckDigit: Type.Optional(
      Type.Boolean({ description: 'Takes 15 digits of which the last is not the check digit of an IMEI.' }),
    ),
    vin: vin('VIN of the car. If the account has that car without a dongle, this one is in it.'),
    licensePlate: licensePlate('Number plate.'),
    make: text(LONGEST_TEXTS.make, 'Make of the car; by its VIN if absent.', 'Volkswagen'),
    model: text(LONGEST_TEXTS.model, 'Model.', 'Golf'),
    vehicle: text(LONGEST_TEXTS.vehicle, 'Type.', '1.4 TSI'),
    fuelType: text(LONGEST_TEXTS.fuelType, 'Fuel type; wins over what the dongle reports.', 'Diesel'),
    tecDocMakeId: catalogueNumber('Number of the make in the TecDoc catalogue.', 121),
    tecDocModelId: catalogueNumber('Number of the model in the TecDoc catalogue.', 6_174),
    tecDocVehicleId: catalogueNumber('Number of the type in the TecDoc catalogue (KTypNr).', 54_321),
    kba: text(LONGEST_TEXTS.kba, 'Numbers of the German registration, HSN and TSN.', '0603/BQM'),
    hardwareType: text(LONGEST_TEXTS.hardware, 'Model of the dongle, until it names its own.', 'FMC003'),
  },
  { title: 'NewDevice', additionalProperties: false },
)
type NewDeviceBody = Static<typeof NewDeviceBody>

const AddedDevice = Type.Object({ deviceId: deviceIdField }, { title: 'AddedDevice' })

const DevicePath = Type.Object({ deviceId: deviceIdParameter('The IMEI of the device.') })

const MoveBody = Type.Object(
  {
    vehicleId: Type.Optional(
      Type.String({ description: 'Id of a vehicle of the account.', examples: ['VINWVWZZZ1KZAW000001'] }),
    ),
    licensePlate: licensePlate('Number plate of a vehicle of the account.'),
    vin: vin('VIN of the vehicle, which is made if the account has none with that VIN.'),
    fromTimestamp: Type.Optional(timestampIn('Since when the dongle is in it; now if absent.')),
  },
  {
    title: 'Move',
    description: 'Exactly one of vehicleId, licensePlate and vin says into which vehicle.',
    additionalProperties: false,
    ...checkedByRoute({ oneOf: ['vehicleId', 'licensePlate', 'vin'].map(field => ({ required: [field] })) }),
  },
)
type MoveBody = Static<typeof MoveBody>

const MovedDevice = Type.Object(
  {
    deviceId: deviceIdField,
    vehicleId: Type.String({ description: 'The vehicle that the dongle is in.', examples: ['VINWVWZZZ1KZAW000001'] }),
    fromTimestamp: instant('Since when.'),
  },
  { title: 'MovedDevice' },
)
