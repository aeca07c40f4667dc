import type { Connection } from '../../../db/database.ts'
import { isInvalidParameter } from '../../../db/faults.ts'
import { type Statement, sql } from '../../../db/sql.ts'
import { vehicleIdOf } from '../../../fleet/vehicles.ts'
import { unknownTimeZone } from '../../../server/http/parameters.ts'
import { dayRange } from './day-range.ts'
import { drivenBefore, NO_TOTALS, SO_FAR, TOTALS, withJumps } from './running-totals.ts'
import { ALL, type BinSize } from './schema.ts'
import { type Scope, slicesOfFleet, slicesOfVehicles } from './slices.ts'

export interface BinRequest {
  /** A public id; undefined for the whole fleet. */
  readonly vehicleId: string | undefined
  /** One row for each vehicle, or one for all of them. */
  readonly perVehicle: boolean
  /** Read running totals too, which takes every day of the vehicles since their first trip. */
  readonly withTotals: boolean
  readonly binSize: BinSize
  readonly timeZone: string
  readonly fromTimestamp: string | undefined
  readonly toTimestamp: string | undefined
}

/** The trips of one bin, in metres and seconds; the totals are those of the vehicle before and after them. */
export interface BinRow {
  readonly vehicleId: string
  readonly bin: string
  readonly trips: number
  readonly metresMin: number
  readonly metresMax: number
  readonly metresSum: number
  readonly metresBefore: number | null
  readonly metresAfter: number | null
  /** Between the two, without jumps of the odometer. */
  readonly metresGrown: number | null
  readonly secondsMin: number
  readonly secondsMax: number
  readonly secondsSum: number
  readonly secondsBefore: number | null
  readonly secondsAfter: number | null
}

/** The bins that have trips, ordered by bin and vehicle id. One statement, so it sees one snapshot of trips and sums. */
export async function readBins(connection: Connection, accountId: number, request: BinRequest): Promise<BinRow[]> {
  try {
    if (request.vehicleId === undefined && !request.perVehicle) return await readFleet(connection, accountId, request)
    return await readVehicles(connection, accountId, request)
  } catch (error) {
    // The time zones of the database may be older than those of this program.
    if (isInvalidParameter(error)) throw unknownTimeZone('timeZone')
    throw error
  }
}

/** All vehicles as one. */
function readFleet(connection: Connection, accountId: number, request: BinRequest): Promise<BinRow[]> {
  const countsDays = isUtc(request.timeZone)
  const range = dayRange(request.fromTimestamp, request.toTimestamp, countsDays)
  const slices = slicesOfFleet(accountId, range)
  const statement = sql`
    with slices as (${slices}),
    bins as (select local_bin, ${SUMS}, ${NO_TOTALS} from ${binned(request, sql`slices`)} group by local_bin)
    select ${BIN}, ${firstInstantOf(request.timeZone)} as bin, ${ALL}::text as "vehicleId"
    from bins order by local_bin`
  // Planning takes longer than running it. Where trips are read, the best plan depends on the range.
  if (!countsDays) return connection.rows(statement)
  return connection.rows(statement, { prepareAs: range.hasPartialDays ? 'bins-of-fleet' : 'bins-of-whole-days' })
}

/** One vehicle, or each of them. */
async function readVehicles(connection: Connection, accountId: number, request: BinRequest): Promise<BinRow[]> {
  const { perVehicle, withTotals, timeZone, fromTimestamp, toTimestamp } = request
  const scope = await scopeOf(connection, accountId, request.vehicleId)
  if (!scope) return []
  const range = dayRange(fromTimestamp, toTimestamp, isUtc(timeZone))
  const totals = perVehicle && withTotals
  const running = sql`
    before as (${drivenBefore(scope, range)}),
    running as (
      select slices.*, ${SO_FAR} from slices left join before using (vehicle_id)
      window so_far as (partition by vehicle_id order by begin, id rows unbounded preceding)
    ),
    binned as (${withJumps(binned(request, sql`running`))}),`
  return connection.rows(sql`
    with slices as (${slicesOfVehicles(scope, range, totals)}),
    ${totals ? running : sql``}
    bins as (
      select local_bin, ${perVehicle ? sql`vehicle_id` : sql`null::bigint as vehicle_id`},
        ${SUMS}, ${totals ? TOTALS : NO_TOTALS}
      from ${totals ? sql`binned` : binned(request, sql`slices`)}
      group by local_bin${perVehicle ? sql`, vehicle_id` : sql``}
    )
    select ${BIN}, ${firstInstantOf(timeZone)} as bin, coalesce(v.public_id, ${ALL}) as "vehicleId"
    from bins left join vehicles v on v.id = bins.vehicle_id
    order by local_bin, v.public_id collate "C"`)
}

async function scopeOf(
  connection: Connection,
  accountId: number,
  publicId: string | undefined,
): Promise<Scope | undefined> {
  if (publicId === undefined) return table => sql`${table}.account_id = ${accountId}`
  const vehicleId = await vehicleIdOf(connection, accountId, publicId)
  if (vehicleId === undefined) return undefined
  return table => sql`${table}.account_id = ${accountId} and ${table}.vehicle_id = ${vehicleId}`
}

/** Names that always mean UTC. With other zones, days give the same result, only more slowly. */
function isUtc(timeZone: string): boolean {
  return /^(Etc\/)?(UTC|GMT)$/i.test(timeZone)
}

function binned({ binSize, timeZone }: BinRequest, slices: Statement): Statement {
  return sql`(
    select *, date_trunc(${binSize.toLowerCase()}::text, begin at time zone ${timeZone}::text) as local_bin
    from ${slices}
  ) as binned`
}

const BIN = sql`
  trips, "metresMin", "metresMax", "metresSum", "metresBefore", "metresAfter", "metresGrown",
  "secondsMin", "secondsMax", "secondsSum", "secondsBefore", "secondsAfter"`
const SUMS = sql`
  sum(trips) as trips,
  min(metres_min) as "metresMin", max(metres_max) as "metresMax", sum(metres_sum) as "metresSum",
  min(seconds_min) as "secondsMin", max(seconds_max) as "secondsMax", sum(seconds_sum) as "secondsSum"`

/** When clocks go back over midnight, PostgreSQL takes the second of the two instants; the bin begins at the first. */
function firstInstantOf(timeZone: string): Statement {
  const zone = sql`${timeZone}::text`
  const instant = sql`(local_bin at time zone ${zone})`
  return sql`
    case when (${instant} - interval '1 hour') at time zone ${zone} >= local_bin
      then ${instant} - interval '1 hour' else ${instant} end`
}
