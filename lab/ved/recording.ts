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

/**
 * The rows of a recording, plain or gzip, one after the other and never all at once in memory.
 * @throws OperatorError when the file can not be read or a line makes no sense.
 */
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
    const where = code?.startsWith('Z_') ? `${fileName} is damaged after line ${lineNumber}` : `${file} can not be read`
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

/** Columns that say which car, trip and instant a row belongs to; every recording has them. */
export const KEY_COLUMNS = {
  /** Days since 2017-11-01T00:00 UTC, counted from 1; the start of the trip, the same in all its rows. */
  tripStartDay: 'DayNum',
  car: 'VehId',
  trip: 'Trip',
  /** Counts from the start of the trip. */
  sinceTripStartMs: 'Timestamp(ms)',
} as const

/** The two columns that together are a POSITION. */
export const POSITION_COLUMNS = { lat: 'Latitude[deg]', lon: 'Longitude[deg]' } as const

/** A column whose values are sent as they are: its unit is the unit of the event type. */
interface MeasuredColumn {
  readonly column: string
  readonly eventType: EventTypeName
  /** As the contract writes it; a test compares it with the catalogue. */
  readonly unit: string
  readonly reason: string
}

export const MEASURED_COLUMNS: readonly MeasuredColumn[] = [
  {
    column: 'Vehicle Speed[km/h]',
    eventType: 'VEHICLE_SPEED_AVERAGE',
    unit: 'km/h',
    reason:
      'read from the car (OBD PID 0D), not from the satellites; of the three vehicle speeds it is neither MIN nor MAX',
  },
  {
    column: 'Engine RPM[RPM]',
    eventType: 'ENGINE_RPM_AVERAGE',
    unit: '1/min',
    reason: 'the one reading of its interval',
  },
  {
    column: 'Absolute Load[%]',
    eventType: 'ENGINE_LOAD_AVERAGE',
    unit: '%',
    reason: 'the only load recorded (OBD PID 43); unlike calculated load it passes 100 % on charged engines',
  },
  {
    column: 'OAT[DegC]',
    eventType: 'AMBIENT_AIR_TEMPERATURE',
    unit: '°C',
    reason: 'OAT is outside air temperature',
  },
  {
    column: 'Fuel Rate[L/hr]',
    eventType: 'FUEL_RATE_AVERAGE',
    unit: 'l/h',
    reason: 'the one reading of its interval',
  },
  {
    column: 'HV Battery SOC[%]',
    eventType: 'HV_BATTERY_SOC',
    unit: '%',
    reason: 'the same quantity',
  },
  {
    column: 'HV Battery Voltage[V]',
    eventType: 'HV_BATTERY_VOLTAGE',
    unit: 'V',
    reason: 'the same quantity',
  },
  {
    column: 'HV Battery Current[A]',
    eventType: 'HV_BATTERY_CHARGING_CURRENT',
    unit: 'A',
    reason:
      'both are positive when the battery charges: over each trip, charge summed from it follows the state of charge',
  },
]

/** A column that the contract has no event type for; its values are counted and not sent. */
interface LeftOutColumn {
  readonly column: string
  readonly reason: string
}

export const LEFT_OUT_COLUMNS: readonly LeftOutColumn[] = [
  { column: 'MAF[g/sec]', reason: 'no event type for the air that enters the engine' },
  { column: 'Air Conditioning Power[kW]', reason: 'no event type for the power of single consumers' },
  { column: 'Air Conditioning Power[Watts]', reason: 'no event type for the power of single consumers' },
  { column: 'Heater Power[Watts]', reason: 'no event type for the power of single consumers' },
  { column: 'Short Term Fuel Trim Bank 1[%]', reason: 'no event type for fuel trims' },
  { column: 'Short Term Fuel Trim Bank 2[%]', reason: 'no event type for fuel trims' },
  { column: 'Long Term Fuel Trim Bank 1[%]', reason: 'no event type for fuel trims' },
  { column: 'Long Term Fuel Trim Bank 2[%]', reason: 'no event type for fuel trims' },
]

const DAY_MS = 86_400_000
const DAY_ONE_MS = Date.UTC(2017, 10, 1)

/** One line of a recording. */
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

/** Names a trip among all trips of a recording. */
export function tripKey({ carNumber, tripNumber }: VedRow): string {
  return `${carNumber}/${tripNumber}`
}

/** Turns a line into a row. @throws OperatorError that names file, line and column. */
type ParseRow = (line: string, lineNumber: number) => VedRow

/**
 * Learns from the header where each column is; any order will do, and optional columns may be missing.
 * @throws OperatorError when the file is not a recording of this kind.
 */
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
  const leftOut = LEFT_OUT_COLUMNS.map(({ column }) => place(column))

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

/** What a recording does not tell: the IMEI of the dongle and the VIN of the car, made up from the car's number. */
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

/** The identity of car `carNumber` (1 to `MOST_CAR_NUMBER`): always the same, and no two cars share one. */
export function carIdentity(carNumber: number): CarIdentity {
  const kind = KINDS_OF_CAR[carNumber % KINDS_OF_CAR.length] ?? KINDS_OF_CAR[0]
  const year = MODEL_YEARS[carNumber % MODEL_YEARS.length] ?? MODEL_YEARS[0]
  return { deviceId: imeiOf(TAC, carNumber), vin: vinOf(kind, `${year}U${String(carNumber).padStart(6, '0')}`) }
}

/**
 * What the dongle of the row's car would have reported; undefined when the row holds nothing to report.
 * @param withVin a dongle reads the VIN once a trip.
 * @param shiftMs moves the recording in time.
 */
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

/** From when to when a car was driven. */
interface Piece {
  readonly startMs: number
  readonly endMs: number
}

/** decisions.md, *Trips*: so long without data or without motion cuts a trip. */
const PAUSE_MS = 5 * 60_000

/**
 * The pieces of a recorded trip between which the car stood, or the recorder was silent, for five minutes and more.
 * @param motionMs when its rows tell of motion, ascending
 */
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
