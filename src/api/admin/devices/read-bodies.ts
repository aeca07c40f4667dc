import { type DeviceEntry, LONGEST_TEXTS, readImei, readText, readVin } from '../../../fleet/device-entry.ts'
import type { MoveRequest } from '../../../fleet/record-move.ts'
import { badRequest } from '../../../model/errors.ts'
import { readTimestamp } from '../schemas.ts'
import type { MoveBody, NewDeviceBody } from './schema.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The names of texts in the body, and what they are in an entry. */
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
export function readNewDevice(body: NewDeviceBody, accountId: number): DeviceEntry {
  const entry: Writable<DeviceEntry> = {
    deviceId: readAs('deviceId', readImei, String(body.deviceId)),
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
export function readMove(body: MoveBody): Pick<MoveRequest, 'to' | 'atMs'> & { readonly field: MoveField } {
  const fields = MOVE_FIELDS.flatMap(field => {
    const text = given(body[field])
    return text === undefined ? [] : [{ field, text }]
  })
  const [named] = fields
  if (!named || fields.length > 1) throw badRequest(`Exactly one of ${MOVE_FIELDS.join(', ')} must be given.`)
  const { field, text } = named
  const since = given(body.fromTimestamp)
  // PostgreSQL can not store this character in a text and would reject the query.
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
