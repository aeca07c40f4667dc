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

/** Signs between the groups of an IMEI, or that a spreadsheet, another program or a web page puts around a number. */
const SIGNS = /[\s/'’"=\p{Cf}]|(?<=\d)-/gu

/** The digits of a number, also with the decimals of a spreadsheet, or all 15 of an IMEI with an exponent. */
export function digitsOf(text: string): string {
  const number = text.replaceAll(SIGNS, '').replace(/^(\d)[.,](\d{14})E\+?14$/i, '$1$2')
  return number.replace(/(?<=\d{4})[.,]0*$|[.,]00?$/, '')
}

/** The number under which a dongle or phone reports: an IMEI, or another one below 2^53. @throws Error with the reason */
export function readImei(text: string): DeviceId {
  const digits = digitsOf(text)
  if (/^\d([.,]\d+)?E\+?\d+$/i.test(digits))
    throw new Error('was rounded by the spreadsheet: format the column as text and enter it again')
  if (/^\d+([.,]\d+)+$/.test(digits))
    throw new Error(
      'was made a number with separators by the spreadsheet: format the column as text and enter it again',
    )
  const deviceId = deviceIdOfText(digits)
  if (deviceId === undefined) throw new Error('must be an IMEI of 15 digits, or another number below 2^53')
  return deviceId
}

/** The number of a dongle that is entered: 15 digits are an IMEI with its check digit (3GPP TS 23.003, 6.2.1).
 * @param anyCheckDigit some dongles were made with a wrong one @throws Error with the reason */
export function readNewImei(text: string, anyCheckDigit: boolean): DeviceId {
  const deviceId = readImei(text)
  const digits = String(deviceId)
  const expected = luhnCheckDigit(digits.slice(0, -1))
  if (digits.length === 15 && expected !== Number(digits.slice(-1)) && !anyCheckDigit)
    throw new Error(
      `is no IMEI: the last digit would have to be ${expected}, so one of the digits is wrong; ` +
        'if the dongle has this number nevertheless, anyCheckDigit or --any-check-digit says so',
    )
  return deviceId
}

/** One IMEI, or all from one to another (356307042441000-356307042441999), check digits included; or of other numbers as long. @throws Error */
export function readImeiRange(text: string): ImeiRange {
  const [, from, to] = /^(\d+)\s*-\s*(\d+)$/.exec(text.trim()) ?? []
  if (from === undefined || to === undefined || from.length !== to.length) {
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
  const vin = text.replaceAll(SIGNS, '').toUpperCase()
  if (!/^[A-HJ-NPR-Z0-9]{17}$/.test(vin)) throw new Error('must have 17 letters and digits, without I, O and Q')
  return vin
}

/** A text on one line; a lone surrogate is refused, because PostgreSQL would store another character. @throws Error */
export function readText(text: string, longest: number): string {
  if (text.length > longest || /[\p{Cc}\p{Cs}]/u.test(text))
    throw new Error(`must have at most ${longest} characters on one line`)
  return text
}
