import { luhnCheckDigit } from '../catalogue/luhn.ts'
import { deviceIdOfText } from '../intake/sample.ts'
import type { DeviceEntry } from '../store/fleet/provisioning/device-entry.ts'

type Writable<T> = { -readonly [K in keyof T]?: T[K] }

/** What can be entered of a dongle, before its account is looked up. */
export type ReadEntry = Omit<DeviceEntry, 'accountId'> & { readonly account?: string }

/** One thing that can be entered of a dongle or its car. */
export interface DeviceField {
  readonly key: keyof ReadEntry
  /** The option of the command line; undefined for the argument. */
  readonly option: string | undefined
  readonly description: string
  /** Headings of columns, lower case without blanks and signs; the first one is the field's name. */
  readonly headings: readonly [string, ...string[]]
  /** Reads a text that is trimmed and not empty. @throws Error whose message says how it must be, after its name. */
  readonly read: (text: string) => string | number
}

/** A field as it stands in a row of a list, and as an option. */
export const DEVICE_FIELDS: readonly DeviceField[] = [
  {
    key: 'deviceId',
    option: undefined,
    description: 'its IMEI, 15 digits (or the number of a phone, at most 10)',
    headings: ['imei', 'device', 'deviceid', 'dongle', 'gerät', 'geräteid'],
    read: readImei,
  },
  {
    key: 'plate',
    option: '--plate <text>',
    description: 'number plate',
    headings: ['plate', 'numberplate', 'licenseplate', 'licenceplate', 'registration', 'kennzeichen'],
    read: text => readText(text, 50),
  },
  {
    key: 'vin',
    option: '--vin <vin>',
    description: 'vehicle identification number; of a car that is there without a dongle: the dongle is in that one',
    headings: ['vin', 'fin', 'fahrgestellnummer', 'chassisnumber'],
    read: readVin,
  },
  {
    key: 'make',
    option: '--make <text>',
    description: 'make of the car (otherwise by its VIN)',
    headings: ['make', 'brand', 'manufacturer', 'marke', 'hersteller'],
    read: text => readText(text, 100),
  },
  {
    key: 'model',
    option: '--model <text>',
    description: 'model, such as Golf',
    headings: ['model', 'modell'],
    read: text => readText(text, 100),
  },
  {
    key: 'vehicle',
    option: '--vehicle <text>',
    description: 'type, such as 1.4 TSI',
    headings: ['vehicle', 'type', 'vehicletype', 'fahrzeug', 'typ', 'fahrzeugtyp'],
    read: text => readText(text, 200),
  },
  {
    key: 'fuelType',
    option: '--fuel <text>',
    description: 'fuel type, such as Diesel; wins over what the dongle reports',
    headings: ['fuel', 'fueltype', 'kraftstoff', 'kraftstoffart'],
    read: text => readText(text, 100),
  },
  {
    key: 'tecdocMakeId',
    option: '--tecdoc-make <id>',
    description: 'number of the make in the TecDoc catalogue',
    headings: ['tecdocmake', 'tecdocmakeid', 'tecdochersteller'],
    read: readNumber,
  },
  {
    key: 'tecdocModelId',
    option: '--tecdoc-model <id>',
    description: 'of the model',
    headings: ['tecdocmodel', 'tecdocmodelid', 'tecdocmodell'],
    read: readNumber,
  },
  {
    key: 'tecdocVehicleId',
    option: '--tecdoc-vehicle <id>',
    description: 'of the type (KTypNr)',
    headings: ['tecdocvehicle', 'tecdocvehicleid', 'ktype', 'ktypnr', 'tecdoctyp', 'tecdocfahrzeug'],
    read: readNumber,
  },
  {
    key: 'kba',
    option: '--kba <text>',
    description: 'numbers of the German registration, HSN and TSN',
    headings: ['kba', 'kbanumber', 'hsntsn', 'kbahsntsn', 'kbanummer', 'schlüsselnummer'],
    read: text => readText(text, 50),
  },
  {
    key: 'hardware',
    option: '--hardware <model>',
    description: 'model of the dongle, such as FMC003; counts until the dongle names its own',
    headings: ['hardware', 'hardwaretype', 'donglemodel', 'devicemodel'],
    read: text => readText(text, 50),
  },
  {
    key: 'account',
    option: '--account <name>',
    description: 'account that it joins (default: the first account)',
    headings: ['account', 'customer', 'konto', 'kunde'],
    read: text => readText(text, 100),
  },
]

/**
 * Reads texts of some fields; blank ones are absent.
 * @param problem told of each that is wrong
 */
export function readFields(
  texts: ReadonlyMap<DeviceField, string>,
  problem: (field: DeviceField, text: string) => void,
): ReadEntry | undefined {
  const entry: Writable<Record<keyof ReadEntry, unknown>> = {}
  let isRight = true
  for (const [field, text] of texts) {
    const trimmed = text.trim()
    if (trimmed === '') continue
    try {
      entry[field.key] = field.read(trimmed)
    } catch (error) {
      isRight = false
      problem(field, error instanceof Error ? error.message : String(error))
    }
  }
  return isRight && entry.deviceId !== undefined ? (entry as ReadEntry) : undefined
}

/** Phones have a short number of their own (Traccar Client draws six digits): too short for an IMEI with digits lost. */
const NUMBER_OF_PHONE = /^[1-9]\d{0,9}$/

/**
 * An IMEI with its check digit (3GPP TS 23.003, 6.2.1), or the number of a phone.
 * @throws Error saying what is wrong.
 */
export function readImei(text: string): number {
  const digits = text.replaceAll(/[\s/-]/g, '')
  if (/^\d([.,]\d+)?E\+?\d+$/i.test(digits))
    throw new Error('was rounded by the spreadsheet: format the column as text and enter it again')
  if (NUMBER_OF_PHONE.test(digits)) return Number(digits)
  if (!/^\d{15}$/.test(digits)) throw new Error('must be an IMEI of 15 digits, or the number of a phone of at most 10')
  const expected = luhnCheckDigit(digits.slice(0, -1))
  if (expected !== Number(digits.slice(-1)))
    throw new Error(`is no IMEI: the last digit would have to be ${expected}, so one of the digits is wrong`)
  const deviceId = deviceIdOfText(digits)
  if (deviceId === undefined || digits.startsWith('0')) throw new Error('must not begin with 0')
  return deviceId
}

/** A well-formed VIN (ISO 3779). @throws Error */
export function readVin(text: string): string {
  const vin = text.replaceAll(/\s/g, '').toUpperCase()
  if (!/^[A-HJ-NPR-Z0-9]{17}$/.test(vin)) throw new Error('must have 17 letters and digits, without I, O and Q')
  return vin
}

function readText(text: string, longest: number): string {
  if (text.length > longest || /\p{Cc}/u.test(text))
    throw new Error(`must have at most ${longest} characters on one line`)
  return text
}

/** Whole numbers of the database's size. */
function readNumber(text: string): number {
  const number = Number(text)
  if (!/^\d{1,10}$/.test(text) || number > 2_147_483_647) throw new Error('must be a whole number')
  return number
}
