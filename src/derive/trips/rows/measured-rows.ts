import { sql } from '../../../db/sql.ts'

/**
 * Whether the row `t` of `trips` is a drive of its dongle, even if the trip of another dongle counts in its place. Other rows
 * only record that a trip was deleted.
 */
export const STANDS = sql`(t.deleted is null or t.superseded_by is not null)`

/** The row of `device_states` with the newest data of the open trip `t`. */
export const OPEN_STATE = sql`left join device_states r on t.is_open and r.device_id = t.device_id and r.trip_id = t.id`

/** The end of the trip `t`, or its newest sample; needs `OPEN_STATE`. The API reads `trips_now` instead. */
export const MEASURED_END = sql`coalesce(r.trip_end, t.end_time)`

/** The whole route of the trip `t`; needs `OPEN_STATE`. */
export const MEASURED_ROUTE = sql`
  case when r.trip_route is null then t.polyline else left(t.polyline, r.trip_route_kept) || r.trip_route end`
