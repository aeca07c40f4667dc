import { OperatorError } from '../../src/model/errors.ts'
import { LEFT_OUT_COLUMNS } from './columns.ts'
import { tripKey, type VedRow } from './row.ts'

/** What a recording holds, known before anything of it is sent. */
export interface Survey {
  readonly rows: number
  readonly cars: number
  readonly trips: number
  /** Rows with nothing to send. */
  readonly emptyRows: number
  /** Rows that repeat an instant of their trip. The server keeps one sample an instant: the union, the greater value. */
  readonly repeatedInstants: number
  readonly firstMs: number
  readonly lastMs: number
  /** Number of values by name of a column that is not sent. */
  readonly leftOut: ReadonlyMap<string, number>
}

/** Reads all rows once. @throws OperatorError when there are none. */
export async function surveyOf(rows: AsyncIterable<VedRow>): Promise<Survey> {
  const cars = new Set<number>()
  const trips = new Set<string>()
  const leftOut = LEFT_OUT_COLUMNS.map(() => 0)
  const counts = { rows: 0, emptyRows: 0, repeatedInstants: 0 }
  let firstMs = Number.POSITIVE_INFINITY
  let lastMs = Number.NEGATIVE_INFINITY
  let trip = ''
  // Of one trip only: its rows follow one another, and a recording may be longer than memory.
  let instants = new Set<number>()
  for await (const row of rows) {
    counts.rows++
    cars.add(row.carNumber)
    if (tripKey(row) !== trip) {
      trip = tripKey(row)
      instants = new Set()
    }
    // The first row of a trip is never empty: it carries the VIN.
    if (trips.has(trip) && isEmpty(row)) counts.emptyRows++
    else if (instants.has(row.timeMs)) counts.repeatedInstants++
    trips.add(trip)
    instants.add(row.timeMs)
    firstMs = Math.min(firstMs, row.timeMs)
    lastMs = Math.max(lastMs, row.timeMs)
    for (const [i, present] of row.leftOut.entries()) if (present) leftOut[i] = (leftOut[i] ?? 0) + 1
  }
  if (counts.rows === 0) throw new OperatorError('The recording has a header and no rows.')
  const leftOutByColumn = new Map(LEFT_OUT_COLUMNS.map(({ column }, i) => [column, leftOut[i] ?? 0]))
  return { ...counts, cars: cars.size, trips: trips.size, firstMs, lastMs, leftOut: leftOutByColumn }
}

function isEmpty(row: VedRow): boolean {
  return !row.position && row.measured.every(Number.isNaN)
}
