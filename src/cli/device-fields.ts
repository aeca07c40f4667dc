import { type DeviceEntry, GREATEST_NUMBER, LONGEST_TEXTS, readImei, readText, readVin } from '../fleet/device-entry.ts'

type Writable<T> = { -readonly [K in keyof T]?: T[K] }

/** What can be entered about a dongle, before its account is looked up. */
export type ReadEntry = Omit<DeviceEntry, 'accountId'> & { readonly account?: string }

/** A field of a dongle or its car that can be entered. */
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

/** A field as a column of a list and as an option. */
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
    read: text => readText(text, LONGEST_TEXTS.plate),
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
    read: text => readText(text, LONGEST_TEXTS.make),
  },
  {
    key: 'model',
    option: '--model <text>',
    description: 'model, such as Golf',
    headings: ['model', 'modell'],
    read: text => readText(text, LONGEST_TEXTS.model),
  },
  {
    key: 'vehicle',
    option: '--vehicle <text>',
    description: 'type, such as 1.4 TSI',
    headings: ['vehicle', 'type', 'vehicletype', 'fahrzeug', 'typ', 'fahrzeugtyp'],
    read: text => readText(text, LONGEST_TEXTS.vehicle),
  },
  {
    key: 'fuelType',
    option: '--fuel <text>',
    description: 'fuel type, such as Diesel; wins over what the dongle reports',
    headings: ['fuel', 'fueltype', 'kraftstoff', 'kraftstoffart'],
    read: text => readText(text, LONGEST_TEXTS.fuelType),
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
    read: text => readText(text, LONGEST_TEXTS.kba),
  },
  {
    key: 'hardware',
    option: '--hardware <model>',
    description: 'model of the dongle, such as FMC003; counts until the dongle names its own',
    headings: ['hardware', 'hardwaretype', 'donglemodel', 'devicemodel'],
    read: text => readText(text, LONGEST_TEXTS.hardware),
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
 * @param problem called for each wrong one
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

/** Integers that fit the database column. */
function readNumber(text: string): number {
  const number = Number(text)
  if (!/^\d{1,10}$/.test(text) || number > GREATEST_NUMBER) throw new Error('must be a whole number')
  return number
}
