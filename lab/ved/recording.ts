import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { EventTypeName } from '../../src/catalogue/event-types.ts'
import { OperatorError } from '../../src/model/errors.ts'
import type { DeviceId, Position } from '../../src/model/sample.ts'
import { imeiOf, vinOf } from '../simulation/imei.ts'
import type { IngestSample } from '../upload/ingest-client.ts'

/** One after the other, never all in memory. @throws OperatorError when the file or a line makes no sense. */
export async function* readRows(file: string): AsyncGenerator<VedRow> {
  const fileName = basename(file)
  let parse: ParseRow | undefined
  let lineNumber = 0
  try {
    for await (const line of linesOf(file)) {
      lineNumber++
      if (!parse) parse = rowParser(fileName, line)
      else if (line.trim() !== '') yield parse(line, lineNumber)
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new OperatorError(`There is no file ${file}.`, { cause: error })
    const where = code?.startsWith('Z_') ? `${fileName} is damaged after line ${lineNumber}` : `${file} cannot be read`
    throw new OperatorError(`${where}: ${message}.`, { cause: error })
  }
  if (!parse) throw new OperatorError(`${fileName} is empty.`)
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const gzip = await isGzip(file)
  const plain = createReadStream(file)
  // An error on either side ends both and arrives through the iteration, so the callback has nothing to do.
  const input = gzip ? pipeline(plain, createGunzip(), () => {}) : plain
  let unfinished = ''
  for await (const chunk of input.setEncoding('utf8')) {
    const lines = (unfinished + String(chunk)).split('\n')
    unfinished = lines.pop() ?? ''
    yield* lines
  }
  if (unfinished !== '') yield unfinished
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer.equals(GZIP_MAGIC)
  } finally {
    await handle.close()
  }
}

export const KEY_COLUMNS = {
  /** Days since 2017-11-01T00:00 UTC, counted from 1; the start of the trip, the same in all its rows. */
  tripStartDay: 'DayNum',
  car: 'VehId',
  trip: 'Trip',
  /** Counts from the start of the trip. */
  sinceTripStartMs: 'Timestamp(ms)',
} as const

export const POSITION_COLUMNS = { lat: 'Latitude[deg]', lon: 'Longitude[deg]' } as const

/** A column whose values are sent as they are: its unit is the unit of the event type. */
interface MeasuredColumn {
  readonly column: string
  readonly eventType: EventTypeName
  /** As the contract writes it; a test compares it with the catalogue. */
  readonly unit: string
}

export const MEASURED_COLUMNS: readonly MeasuredColumn[] = [
  { column: 'Vehicle Speed[km/h]', eventType: 'VEHICLE_SPEED_AVERAGE', unit: 'km/h' },
  { column: 'Engine RPM[RPM]', eventType: 'ENGINE_RPM_AVERAGE', unit: '1/min' },
  // OBD PID 43: unlike calculated load it passes 100 % on charged engines.
  { column: 'Absolute Load[%]', eventType: 'ENGINE_LOAD_AVERAGE', unit: '%' },
  { column: 'OAT[DegC]', eventType: 'AMBIENT_AIR_TEMPERATURE', unit: '°C' },
  { column: 'Fuel Rate[L/hr]', eventType: 'FUEL_RATE_AVERAGE', unit: 'l/h' },
  { column: 'HV Battery SOC[%]', eventType: 'HV_BATTERY_SOC', unit: '%' },
  { column: 'HV Battery Voltage[V]', eventType: 'HV_BATTERY_VOLTAGE', unit: 'V' },
  // Both are positive when the battery charges.
  { column: 'HV Battery Current[A]', eventType: 'HV_BATTERY_CHARGING_CURRENT', unit: 'A' },
]

/** Columns without an event type in the contract; their values are counted and not sent. */
export const LEFT_OUT_COLUMNS = [
  'MAF[g/sec]',
  'Air Conditioning Power[kW]',
  'Air Conditioning Power[Watts]',
  'Heater Power[Watts]',
  'Short Term Fuel Trim Bank 1[%]',
  'Short Term Fuel Trim Bank 2[%]',
  'Long Term Fuel Trim Bank 1[%]',
  'Long Term Fuel Trim Bank 2[%]',
] as const

const DAY_MS = 86_400_000
const DAY_ONE_MS = Date.UTC(2017, 10, 1)

export interface VedRow {
  readonly carNumber: number
  readonly tripNumber: number
  readonly timeMs: number
  readonly position: Position | undefined
  /** In the order of MEASURED_COLUMNS; NaN where nothing was measured. */
  readonly measured: readonly number[]
  /** In the order of LEFT_OUT_COLUMNS: whether there was a value. */
  readonly leftOut: readonly boolean[]
}

export function tripKey({ carNumber, tripNumber }: VedRow): string {
  return `${carNumber}/${tripNumber}`
}

type ParseRow = (line: string, lineNumber: number) => VedRow

/** Any order of columns will do; optional ones may be missing. @throws OperatorError */
function rowParser(fileName: string, header: string): ParseRow {
  const names = header
    .replace(/^\uFEFF/, '')
    .split(',')
    .map(name => name.trim())
  for (const column of [...Object.values(KEY_COLUMNS), ...Object.values(POSITION_COLUMNS)])
    if (!names.includes(column))
      throw new OperatorError(`${fileName} is not a VED recording: its first line has no column "${column}".`)

  const place = (column: string) => names.indexOf(column)
  const key = {
    tripStartDay: place(KEY_COLUMNS.tripStartDay),
    car: place(KEY_COLUMNS.car),
    trip: place(KEY_COLUMNS.trip),
    sinceTripStartMs: place(KEY_COLUMNS.sinceTripStartMs),
  }
  const lat = place(POSITION_COLUMNS.lat)
  const lon = place(POSITION_COLUMNS.lon)
  const measured = MEASURED_COLUMNS.map(({ column }) => place(column))
  const leftOut = LEFT_OUT_COLUMNS.map(place)

  return (line, lineNumber) => {
    const fields = line.split(',')
    const refuse = (why: string) => new OperatorError(`${fileName}, line ${lineNumber}: ${why}.`)
    if (fields.length !== names.length) throw refuse(`${fields.length} fields where the first line has ${names.length}`)

    const numberAt = (index: number): number => {
      const text = fields[index]?.trim() ?? ''
      if (isAbsent(text)) return Number.NaN
      const value = Number(text)
      if (!Number.isFinite(value)) throw refuse(`"${text}" in column "${names[index]}" is not a number`)
      return value
    }
    const within = (index: number, least: number, most: number, whole = false): number => {
      const value = numberAt(index)
      if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value
      const range = `${whole ? 'a whole number' : 'a number'} from ${least} to ${most}`
      throw refuse(`"${fields[index]}" in column "${names[index]}" is not ${range}`)
    }
    const hasLat = !Number.isNaN(numberAt(lat))
    if (hasLat === Number.isNaN(numberAt(lon))) throw refuse('a position needs both latitude and longitude')

    const tripStartMs = DAY_ONE_MS + Math.round((within(key.tripStartDay, 1, 100_000) - 1) * DAY_MS)
    return {
      carNumber: within(key.car, 1, MOST_CAR_NUMBER, true),
      tripNumber: within(key.trip, 0, Number.MAX_SAFE_INTEGER, true),
      timeMs: tripStartMs + Math.round(within(key.sinceTripStartMs, 0, 100 * DAY_MS)),
      position: hasLat ? { lon: within(lon, -180, 180), lat: within(lat, -90, 90) } : undefined,
      measured: measured.map(index => (index < 0 ? Number.NaN : numberAt(index))),
      leftOut: leftOut.map(index => index >= 0 && !isAbsent(fields[index]?.trim() ?? '')),
    }
  }
}

/** The recordings exist with empty fields and with NaN for what was not measured. */
function isAbsent(text: string): boolean {
  return text === '' || text === 'NaN'
}

/** Made up from the car's number: recordings hold neither. */
interface CarIdentity {
  readonly deviceId: DeviceId
  readonly vin: string
}

const MOST_CAR_NUMBER = 999_999

/** Type allocation code of every replayed dongle; 86 is the reporting body that most of them come from. */
const TAC = '86419603'

/** VIN positions 1 to 8 of cars common where the recordings were made (Ann Arbor, USA). */
// biome-ignore format: a row of codes reads better than a column
const KINDS_OF_CAR = [
  '1FADP3F2', '1G11C5SA', '1HGCR2F3', '4T1BF1FK', '1C3CCCAB', '5NPEC4AC', '3VWDX7AJ', 'JTDKN3DU', '1G1RB6E4',
  '3FA6P0LU', '1N4AZ0CP',
] as const

/** Position 10: model years 2012 to 2017. */
const MODEL_YEARS = ['C', 'D', 'E', 'F', 'G', 'H'] as const

export function carIdentity(carNumber: number): CarIdentity {
  const kind = KINDS_OF_CAR[carNumber % KINDS_OF_CAR.length] ?? KINDS_OF_CAR[0]
  const year = MODEL_YEARS[carNumber % MODEL_YEARS.length] ?? MODEL_YEARS[0]
  return { deviceId: imeiOf(TAC, carNumber), vin: vinOf(kind, `${year}U${String(carNumber).padStart(6, '0')}`) }
}

/** What the dongle of the row's car would have reported; undefined when the row holds nothing to report. */
export function sampleOfRow(row: VedRow, withVin: boolean, shiftMs = 0): IngestSample | undefined {
  const { deviceId, vin } = carIdentity(row.carNumber)
  const events: IngestSample['events'][number][] = []
  if (withVin) events.push(['VIN', vin])
  if (row.position) events.push(['POSITION', row.position])
  MEASURED_COLUMNS.forEach(({ eventType }, i) => {
    const value = row.measured[i]
    if (value !== undefined && !Number.isNaN(value)) events.push([eventType, value])
  })
  return events.length ? { deviceId, timeMs: row.timeMs + shiftMs, events } : undefined
}

interface Piece {
  readonly startMs: number
  readonly endMs: number
}

/** decisions.md, *Trips*: so long without data or without motion cuts a trip. */
const PAUSE_MS = 5 * 60_000

/** The pieces of a recorded trip between which the car stood, or the recorder was silent, for five minutes and more. */
export function piecesOf({ startMs, endMs }: Piece, motionMs: readonly number[]): Piece[] {
  const pauses = motionMs.flatMap((timeMs, i) => {
    const nextMs = motionMs[i + 1] ?? timeMs
    return nextMs - timeMs >= PAUSE_MS ? [{ fromMs: timeMs, toMs: nextMs }] : []
  })
  const ends = [...pauses.map(({ fromMs }) => fromMs), endMs]
  return [startMs, ...pauses.map(({ toMs }) => toMs)].map((beginMs, i) => ({
    startMs: beginMs,
    endMs: ends[i] ?? endMs,
  }))
}
