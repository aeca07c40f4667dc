import { sql } from '../../../db/sql.ts'

/**
 * Whether the row `t` of `trips` is a drive of its dongle, though the trip of another one may count in its place. Any other
 * row only tells that there was one.
 */
export const STANDS = sql`(t.deleted is null or t.superseded_by is not null)`

/** The row of `device_states` with what is newer of the open trip `t`. */
export const OPEN_STATE = sql`left join device_states r on t.is_open and r.device_id = t.device_id and r.trip_id = t.id`

/** When the trip `t` ended, or its newest sample; wants `OPEN_STATE`. Readers of the API are shown `trips_now` instead. */
export const MEASURED_END = sql`coalesce(r.trip_end, t.end_time)`

/** All of the route of the trip `t`; wants `OPEN_STATE`. */
export const MEASURED_ROUTE = sql`
  case when r.trip_route is null then t.polyline else left(t.polyline, r.trip_route_kept) || r.trip_route end`
