import { parse } from 'csv-parse/sync'
import {
  type DeviceEntry,
  digitsOf,
  GREATEST_NUMBER,
  LONGEST_TEXTS,
  readNewImei,
  readText,
  readVin,
} from '../fleet/device-entry.ts'
import { textOfBytes } from '../lib/text-of-bytes.ts'

/** An error in a list, with the line and the column heading of the file. */
export interface ListProblem {
  readonly line: number
  readonly column: string | undefined
  readonly text: string
}

export interface ListedEntry {
  readonly line: number
  readonly entry: ReadEntry
}

interface DeviceList {
  readonly entries: readonly ListedEntry[]
  readonly problems: readonly ListProblem[]
  readonly headingOf: (field: DeviceField) => string | undefined
}

/** RFC 4180, also with semicolons, tabs or bars, in UTF-8, UTF-16 or Windows-1252, headings first. */
export function readDeviceFile(bytes: Uint8Array, anyCheckDigit: boolean): DeviceList {
  const problems: ListProblem[] = []
  const rows = rowsOf(textOfBytes(bytes), problems)
  const [headings, ...others] = rows
  const columns = headings ? columnsOf(headings.cells, problems) : []
  if (!headings && problems.length === 0) problems.push({ line: 1, column: undefined, text: 'the file is empty' })
  const entries: ListedEntry[] = []
  if (problems.length === 0)
    for (const { line, cells } of others) {
      const problem = (column: string | undefined, text: string) => problems.push({ line, column, text })
      const entry = entryOf(cells, columns, anyCheckDigit, problem)
      if (entry) entries.push({ line, entry })
    }
  findRepeats(entries, problems)
  return {
    entries,
    problems: problems.toSorted((a, b) => a.line - b.line),
    headingOf: field => columns.find(column => column?.field === field)?.heading,
  }
}

interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

function rowsOf(text: string, problems: ListProblem[]): Row[] {
  // Excel may write the separator into a first line.
  const [, given] = /^sep=(.)\r?\n/i.exec(text) ?? []
  // Some programs write ="…", so that Excel leaves digits alone.
  const body = text.replace(/^sep=.\r?\n/i, '\n').replaceAll(/(?<=^|[,;\t])=("[^"\r\n]*")(?=[,;\t\r\n]|$)/gm, '$1')
  const headings = body.split(/[\r\n]/).find(line => line.trim() !== '') ?? ''
  const delimiter = given ?? [';', '\t', '|'].find(sign => headings.includes(sign)) ?? ','
  try {
    const records = parse(body, {
      delimiter,
      // Files that were put together have several.
      record_delimiter: ['\r\n', '\n', '\r'],
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
    }) as unknown as readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[]
    return records
      .map(({ record, info }) => ({ line: info.lines, cells: record }))
      .filter(({ cells }) => cells.some(cell => cell.trim() !== ''))
  } catch (error) {
    const line = error instanceof Error && 'lines' in error && typeof error.lines === 'number' ? error.lines : 1
    problems.push({ line, column: undefined, text: 'a quotation mark stands where none may be, or is never closed' })
    return []
  }
}

interface Column {
  readonly heading: string
  readonly field: DeviceField
}

function columnsOf(headings: readonly string[], problems: ListProblem[]): (Column | undefined)[] {
  const names = DEVICE_FIELDS.map(({ headings: [name] }) => name).join(', ')
  const taken = new Set<DeviceField>()
  const columns = headings.map(heading => {
    const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
    const field = DEVICE_FIELDS.find(item => item.headings.includes(plain))
    const text =
      field === undefined
        ? `is no column of this list; there are ${names}`
        : taken.has(field)
          ? 'is there twice'
          : undefined
    if (plain !== '' && text !== undefined) problems.push({ line: 1, column: heading.trim(), text })
    if (field) taken.add(field)
    return field && { heading: heading.trim(), field }
  })
  if (![...taken].some(({ key }) => key === 'deviceId'))
    problems.push({ line: 1, column: undefined, text: 'no column is named imei' })
  return columns
}

function entryOf(
  cells: readonly string[],
  columns: readonly (Column | undefined)[],
  anyCheckDigit: boolean,
  problem: (column: string | undefined, text: string) => void,
): ReadEntry | undefined {
  const texts = new Map<DeviceField, string>()
  for (const [index, cell] of cells.entries()) {
    const column = columns[index]
    if (column) texts.set(column.field, cell)
    else if (cell.trim() !== '') problem(undefined, `there is no heading above ${JSON.stringify(cell.trim())}`)
  }
  const imei = columns.find(column => column?.field.key === 'deviceId')
  if (imei && (texts.get(imei.field) ?? '').trim() === '') problem(imei.heading, 'is missing')
  const headingOf = (field: DeviceField) => columns.find(column => column?.field === field)?.heading
  return readFields(texts, anyCheckDigit, (field, text) => problem(headingOf(field), text))
}

function findRepeats(entries: readonly ListedEntry[], problems: ListProblem[]): void {
  const lines = new Map<number, number>()
  for (const { line, entry } of entries) {
    const before = lines.get(entry.deviceId)
    if (before !== undefined)
      problems.push({ line, column: undefined, text: `the dongle ${entry.deviceId} is in line ${before}, too` })
    else lines.set(entry.deviceId, line)
  }
}

type Writable<T> = { -readonly [K in keyof T]?: T[K] }

/** An entry before its account is looked up. */
export type ReadEntry = Omit<DeviceEntry, 'accountId'> & { readonly account?: string }

interface DeviceField {
  readonly key: keyof ReadEntry
  /** The option of the command line; undefined for the argument. */
  readonly option: string | undefined
  readonly description: string
  /** Headings of columns, lower case without blanks and signs; the first one is the field's name. */
  readonly headings: readonly [string, ...string[]]
  /** Reads a text that is trimmed and not empty. @throws Error whose message says how it must be, after its name. */
  readonly read: (text: string, anyCheckDigit: boolean) => string | number
}

/** A field as a column of a list and as an option. */
export const DEVICE_FIELDS: readonly DeviceField[] = [
  {
    key: 'deviceId',
    option: undefined,
    description: 'its IMEI, or another number below 2^53 that it reports under',
    headings: ['imei', 'imeinr', 'imeinummer', 'device', 'deviceid', 'uniqueid', 'dongle', 'gerät', 'geräteid'],
    read: readNewImei,
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

/** Reads texts of some fields; blank ones are absent. @param problem called for each wrong one */
export function readFields(
  texts: ReadonlyMap<DeviceField, string>,
  anyCheckDigit: boolean,
  problem: (field: DeviceField, text: string) => void,
): ReadEntry | undefined {
  const entry: Writable<Record<keyof ReadEntry, unknown>> = {}
  let isRight = true
  for (const [field, text] of texts) {
    const trimmed = text.trim()
    if (trimmed === '') continue
    try {
      entry[field.key] = field.read(trimmed, anyCheckDigit)
    } catch (error) {
      isRight = false
      problem(field, error instanceof Error ? error.message : String(error))
    }
  }
  return isRight && entry.deviceId !== undefined ? (entry as ReadEntry) : undefined
}

function readNumber(text: string): number {
  const digits = digitsOf(text)
  const number = Number(digits)
  if (!/^\d{1,10}$/.test(digits) || number > GREATEST_NUMBER) throw new Error('must be a whole number')
  return number
}
