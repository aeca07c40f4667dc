import { type Static, Type } from 'typebox'
import { isInvalidParameter } from '../../../db/faults.ts'
import { allOf, type Connection, sql } from '../../../db/sql.ts'
import { vehicleIdOf } from '../../../fleet/vehicles.ts'
import { idParameter, rangeParameters, timeZoneParameter, unknownTimeZone } from '../../../server/http/parameters.ts'
import { type Resource, routesOf } from '../../context.ts'

/** GET /aggregations/hours: in which hours of the week the cars of the caller's account drive. */
export const drivingHours: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'aggregations', tag: 'Aggregations' })
  route('GET /aggregations/hours', {
    summary: 'Driving time by hour of the week',
    description:
      'Beyond the original document. By weekday and hour; hours without driving are left out. Of the trips that start in the range, each counts in every hour for as long as it lasted in it.',
    query: DrivingHoursQuery,
    reply: Type.Array(DrivingHour),
    answer: ({ history, accountId, query }) => readDrivingHours(history, accountId, query),
  })
}

/** A trip counts in each hour for as long as it lasted in it. In every time zone, hours begin at a quarter hour of UTC,
 * so trips are cut at these. @throws {HttpError} 400 for a time zone that the database does not know */
async function readDrivingHours(
  connection: Connection,
  accountId: number,
  { vehicleId, timeZone = 'UTC', fromTimestamp, toTimestamp }: DrivingHoursQuery,
): Promise<DrivingHour[]> {
  const [from, to] = [fromTimestamp ?? '-infinity', toTimestamp ?? 'infinity']
  const conditions = [sql`item.account_id = ${accountId}`]
  if (vehicleId !== undefined) {
    const id = await vehicleIdOf(connection, accountId, vehicleId)
    if (id === undefined) return []
    conditions.push(sql`item.vehicle_id = ${id}`)
  }
  const statement = sql`
    with quarters as (
      select quarter, sum(extract(epoch from
        least(item.end_time, quarter + interval '15 minutes') - greatest(item.start_time, quarter))) as seconds
      from trips_now item, lateral generate_series(
        date_bin('15 minutes', item.start_time, timestamptz '2000-01-01T00:00:00Z'), item.end_time, interval '15 minutes'
      ) as quarter
      where ${allOf(conditions)} and item.deleted is null
        and item.start_time >= ${from}::timestamptz and item.start_time <= ${to}::timestamptz
      group by quarter
    ),
    local_quarters as (select quarter at time zone ${timeZone}::text as local, seconds from quarters)
    select extract(isodow from local)::integer as weekday, extract(hour from local)::integer as hour,
      sum(seconds)::float8 as duration
    from local_quarters group by 1, 2 having sum(seconds) > 0 order by 1, 2`
  try {
    return await connection.rows<DrivingHour>(statement)
  } catch (error) {
    // The time zones of the database may be older than those of this program.
    if (isInvalidParameter(error)) throw unknownTimeZone('timeZone')
    throw error
  }
}

/** How long cars drove in one hour of the week (beyond the original document). */
export const DrivingHour = Type.Object(
  {
    weekday: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday, 7 Sunday (ISO 8601).', examples: [1] }),
    hour: Type.Integer({ minimum: 0, maximum: 23, description: 'From this hour of the day on.', examples: [8] }),
    duration: Type.Number({ description: 'Seconds that cars drove in it, all weeks together.', examples: [5400] }),
  },
  { title: 'DrivingHour', description: 'How long cars drove in an hour of the week.' },
)
export type DrivingHour = Static<typeof DrivingHour>

const DrivingHoursQuery = Type.Object({
  vehicleId: Type.Optional(idParameter('Only trips of this vehicle.', ['VINWVWZZZ1KZAW000001'])),
  timeZone: Type.Optional(timeZoneParameter('In which days and hours begin.')),
  ...rangeParameters('the start of the trips'),
})
type DrivingHoursQuery = Static<typeof DrivingHoursQuery>
