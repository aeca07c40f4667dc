import type { BinRequest, BinRow, BinSize } from '../src/api/v2/aggregations/query.ts'

/** A trip as aggregations see it. */
export interface DrivenTrip {
  readonly id: number
  readonly publicId: string
  readonly startMs: number
  readonly endMs: number
  readonly metres: number
  readonly seconds: number
  readonly isDeleted: boolean
  /** Readings of the odometer in km. */
  readonly odometer: { readonly start?: number | undefined; readonly end?: number | undefined }
}

/** A bin as it must be; `day` is its first day in the zone asked for. */
type ExpectedBin = Omit<BinRow, 'bin'> & { readonly day: string }

/**
 * The bins of these trips by the words of decisions.md, *Aggregations*: trip by trip, without the database, by the
 * calendar of `Intl`. Ordered as the answer is.
 */
export function expectedBins(trips: readonly DrivenTrip[], request: BinRequest): ExpectedBin[] {
  const { vehicleId, perVehicle, timeZone, binSize } = request
  const counted = trips
    .filter(trip => !trip.isDeleted && (vehicleId === undefined || trip.publicId === vehicleId))
    .sort((a, b) => a.startMs - b.startMs || a.id - b.id)
  const fromMs = request.fromTimestamp === undefined ? -Infinity : Date.parse(request.fromTimestamp)
  const toMs = request.toTimestamp === undefined ? Infinity : Date.parse(request.toTimestamp)
  const groups = new Map<string, DrivenTrip[]>()
  for (const trip of counted) {
    if (trip.startMs < fromMs || trip.startMs > toMs) continue
    const day = firstDayOfBin(localDay(trip.startMs, timeZone), binSize)
    const key = `${day} ${perVehicle ? trip.publicId : 'ALL'}`
    groups.set(key, [...(groups.get(key) ?? []), trip])
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, members]) => {
      const [day = '', publicId = ''] = key.split(' ')
      const metres = members.map(trip => trip.metres)
      const seconds = members.map(trip => trip.seconds)
      const totals = perVehicle && request.withTotals ? runningTotals(counted, members) : NO_TOTALS
      return {
        vehicleId: publicId,
        day,
        trips: members.length,
        metresMin: Math.min(...metres),
        metresMax: Math.max(...metres),
        metresSum: sum(metres),
        secondsMin: Math.min(...seconds),
        secondsMax: Math.max(...seconds),
        secondsSum: sum(seconds),
        ...totals,
      }
    })
}

const NO_TOTALS = {
  metresBefore: null,
  metresAfter: null,
  metresGrown: null,
  secondsBefore: null,
  secondsAfter: null,
}

function runningTotals(all: readonly DrivenTrip[], members: readonly DrivenTrip[]) {
  const first = members[0]
  const own = all.filter(trip => trip.publicId === first?.publicId)
  const before = own.slice(
    0,
    own.findIndex(trip => trip.id === first?.id),
  )
  const metres = sum(members.map(trip => trip.metres))
  const metresBefore = sum(before.map(trip => trip.metres))
  const secondsBefore = sum(before.map(trip => trip.seconds))
  const readings = members.map(odometerOf)
  const firstRead = readings.findIndex(reading => reading !== undefined)
  const lastRead = readings.findLastIndex(reading => reading !== undefined)
  const drivenIn = (trips: readonly DrivenTrip[]) => sum(trips.map(trip => trip.metres))
  return {
    metresBefore: readings[firstRead]
      ? readings[firstRead].start - drivenIn(members.slice(0, firstRead))
      : metresBefore,
    metresAfter: readings[lastRead]
      ? readings[lastRead].end + drivenIn(members.slice(lastRead + 1))
      : metresBefore + metres,
    metresGrown: grown(members),
    secondsBefore,
    secondsAfter: secondsBefore + sum(members.map(trip => trip.seconds)),
  }
}

/** In metres at both ends of the trip; undefined without a believable reading. */
function odometerOf({ odometer, metres }: DrivenTrip): { start: number; end: number } | undefined {
  const [start, end] = [odometer.start, odometer.end].map(km =>
    km === undefined || Math.abs(km) >= 1e9 ? undefined : Math.round(km * 1000),
  )
  if (start !== undefined) return { start, end: end ?? start + metres }
  return end === undefined ? undefined : { start: end - metres, end }
}

/** By how much the running total grew: trip by trip, from reading to reading, jumps left out. */
function grown(members: readonly DrivenTrip[]): number {
  let total = 0
  let unread = 0
  let before: Read | undefined
  for (const trip of members) {
    const read = readOf(trip)
    if (!read) {
      unread += trip.metres
      continue
    }
    total += (before ? grownBetween(before, read, unread) : unread) + read.grown
    unread = 0
    before = read
  }
  return total + unread
}

/** What the odometer showed during a trip, when at the earliest and at the latest, and what it grew, in metres. */
interface Read {
  readonly start: number
  readonly end: number
  readonly grown: number
  readonly fromMs: number
  readonly toMs: number
}

/** At 250 km/h. */
const MS_A_METRE = 14.4

function readOf(trip: DrivenTrip): Read | undefined {
  const odometer = odometerOf(trip)
  if (!odometer) return undefined
  const { start, end } = odometer
  const isJump = end < start || end - start > trip.metres + 1000
  const grownInIt = isJump ? trip.metres : end - start
  const notCoveredMs = Math.max(0, trip.metres - grownInIt) * MS_A_METRE
  return { start, end, grown: grownInIt, fromMs: trip.startMs + notCoveredMs, toMs: trip.endMs - notCoveredMs }
}

function grownBetween(before: Read, after: Read, unread: number): number {
  const metres = after.start - before.end
  const ms = Math.max(0, after.fromMs - before.toMs)
  // Microseconds, as the database counts, in whole numbers.
  return metres >= 0 && Math.round(metres * MS_A_METRE * 1000) <= Math.round(ms * 1000) ? metres : unread
}

/** `2020-03-29`: the day of an instant where the clocks of the zone show it. */
export function localDay(timeMs: number, timeZone: string): string {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    formats.set(timeZone, format)
  }
  return format.format(timeMs)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function firstDayOfBin(day: string, binSize: BinSize): string {
  if (binSize === 'MONTH') return `${day.slice(0, 7)}-01`
  if (binSize === 'YEAR') return `${day.slice(0, 4)}-01-01`
  if (binSize === 'DAY') return day
  const date = new Date(day)
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return date.toISOString().slice(0, 10)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
