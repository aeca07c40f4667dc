import { luhnCheckDigit } from '../catalogue/vehicles-and-dongles.ts'
import { type DeviceId, deviceIdOfText } from '../model/sample.ts'
import type { ImeiRange } from './claims.ts'

/** An operator's entry for a dongle and its car; absent fields stay as they are. */
export interface DeviceEntry {
  readonly deviceId: DeviceId
  /** Where a new one joins; where an existing one must be. undefined: the first account, or wherever it is. */
  readonly accountId: number | undefined
  /** Well-formed. */
  readonly vin?: string
  readonly plate?: string
  readonly make?: string
  readonly model?: string
  /** The car's type in words, such as "Golf VII 1.4 TSI". */
  readonly vehicle?: string
  readonly fuelType?: string
  readonly tecdocMakeId?: number
  readonly tecdocModelId?: number
  readonly tecdocVehicleId?: number
  readonly kba?: string
  readonly hardware?: string
}

export interface EntryProblem {
  readonly entry: DeviceEntry
  readonly field: 'deviceId' | 'accountId' | 'vin'
  /** After the name or the value of the field. */
  readonly text: string
  readonly advice?: string
}

/** The settings of a vehicle that are a column each. */
export type CarColumns = Readonly<
  Record<'license_plate' | 'make' | 'model' | 'vehicle' | 'fuel_type_set' | 'kba', string> &
    Record<'tecdoc_make_id' | 'tecdoc_model_id' | 'tecdoc_vehicle_id', number>
>

export function carColumnsOf(entry: DeviceEntry): Partial<CarColumns> {
  const columns = {
    license_plate: entry.plate,
    make: entry.make,
    model: entry.model,
    vehicle: entry.vehicle,
    fuel_type_set: entry.fuelType,
    kba: entry.kba,
    tecdoc_make_id: entry.tecdocMakeId,
    tecdoc_model_id: entry.tecdocModelId,
    tecdoc_vehicle_id: entry.tecdocVehicleId,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

export const LONGEST_TEXTS = {
  plate: 50,
  make: 100,
  model: 100,
  vehicle: 200,
  fuelType: 100,
  color: 100,
  group: 100,
  kba: 50,
  hardware: 50,
} as const

/** Numbers of catalogues are stored as integers of four bytes. */
export const GREATEST_NUMBER = 2_147_483_647

/** Phones use a short number (Traccar Client draws six digits): too short for an IMEI with missing digits. */
const NUMBER_OF_PHONE = /^[1-9]\d{0,9}$/

/** An IMEI with its check digit (3GPP TS 23.003, 6.2.1), or the number of a phone. @throws Error with the reason */
export function readImei(text: string): DeviceId {
  const digits = text.replaceAll(/[\s/-]/g, '')
  if (/^\d([.,]\d+)?E\+?\d+$/i.test(digits))
    throw new Error('was rounded by the spreadsheet: format the column as text and enter it again')
  if (NUMBER_OF_PHONE.test(digits)) return Number(digits) as DeviceId
  if (!/^\d{15}$/.test(digits)) throw new Error('must be an IMEI of 15 digits, or the number of a phone of at most 10')
  const expected = luhnCheckDigit(digits.slice(0, -1))
  if (expected !== Number(digits.slice(-1)))
    throw new Error(`is no IMEI: the last digit would have to be ${expected}, so one of the digits is wrong`)
  const deviceId = deviceIdOfText(digits)
  if (deviceId === undefined || digits.startsWith('0')) throw new Error('must not begin with 0')
  return deviceId
}

/** An existing dongle's number: some report under an IMEI with a wrong check digit. @throws Error with the reason */
export function readKnownImei(text: string): DeviceId {
  const deviceId = deviceIdOfText(text.replaceAll(/[\s/-]/g, ''))
  if (deviceId === undefined) throw new Error('must be the IMEI of a dongle, or the number of a phone')
  return deviceId
}

/** One IMEI, or all from one to another (356307042441000-356307042441999), check digits included. @throws Error */
export function readImeiRange(text: string): ImeiRange {
  const [, from, to] = /^(\d{15})\s*-\s*(\d{15})$/.exec(text.trim()) ?? []
  if (from === undefined || to === undefined) {
    const one = readImei(text)
    return { first: one, last: one }
  }
  const [first, last] = [deviceIdOfText(from), deviceIdOfText(to)]
  if (first === undefined || last === undefined || first > last)
    throw new Error('must be an IMEI, or a range such as 356307042441000-356307042441999')
  return { first, last }
}

/** A well-formed VIN (ISO 3779). @throws Error */
export function readVin(text: string): string {
  const vin = text.replaceAll(/\s/g, '').toUpperCase()
  if (!/^[A-HJ-NPR-Z0-9]{17}$/.test(vin)) throw new Error('must have 17 letters and digits, without I, O and Q')
  return vin
}

/** A text on one line; a lone surrogate is refused, because PostgreSQL would store another character. @throws Error */
export function readText(text: string, longest: number): string {
  if (text.length > longest || /[\p{Cc}\p{Cs}]/u.test(text))
    throw new Error(`must have at most ${longest} characters on one line`)
  return text
}
