import { OperatorError } from '../../src/model/errors.ts'
import type { Position } from '../../src/model/sample.ts'
import { MOST_CAR_NUMBER } from './car-identity.ts'
import { KEY_COLUMNS, LEFT_OUT_COLUMNS, MEASURED_COLUMNS, POSITION_COLUMNS } from './columns.ts'

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
export type ParseRow = (line: string, lineNumber: number) => VedRow

/**
 * Learns from the header where each column is; any order will do, and optional columns may be missing.
 * @throws OperatorError when the file is not a recording of this kind.
 */
export function rowParser(fileName: string, header: string): ParseRow {
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
