import { type EventTypeId, eventTypeByName } from '../../../catalogue/event-types.ts'
import type { HiddenEventTypes } from '../../../catalogue/permissions.ts'
import { allOf, type Connection, type Statement, sql } from '../../../db/sql.ts'
import { instantMs } from '../../../db/values.ts'
import { FIRST_STORED, joinExtent, LAST_STORED } from '../../../derive/due.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE } from '../../../derive/latest-values/battery-state.ts'
import { vehicleIdStatement } from '../../../fleet/vehicles.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { clippedTo, type TimeRange } from '../../../model/time-range.ts'
import type { Interval } from '../../../store/index.ts'
import { numberIdOf } from '../../schemas.ts'

/** The scope of a list of events. `vehicleId` is a public id. */
export interface EventScope {
  readonly accountId: number
  readonly deviceId: DeviceId | undefined
  readonly vehicleId: string | undefined
  readonly tripId: string | undefined
}

/** Both ends are inclusive for the client; event times have milliseconds, its timestamps microseconds. */
export function timeRange(from: string | undefined, to: string | undefined): TimeRange {
  const fromMs =
    from === undefined ? Number.NEGATIVE_INFINITY : instantMs(from) + (from.slice(23, 26) === '000' ? 0 : 1)
  return { fromMs, toMs: to === undefined ? Number.POSITIVE_INFINITY : instantMs(to) + 1 }
}

/** The conditions on an assignment `a` that hold for a scope, and the trip `t` to join; undefined when nothing can match. */
export function scopeConditions(scope: EventScope): { conditions: Statement[]; trip: Statement } | undefined {
  const { accountId, deviceId, vehicleId, tripId } = scope
  const conditions = [sql`a.account_id = ${accountId}`]
  if (deviceId !== undefined) conditions.push(sql`a.device_id = ${deviceId}`)
  if (vehicleId !== undefined) conditions.push(sql`a.vehicle_id = ${vehicleIdStatement(accountId, vehicleId)}`)
  if (tripId === undefined) return { conditions, trip: sql`` }
  const id = numberIdOf(tripId)
  if (id === undefined) return undefined
  conditions.push(sql`t.id = ${id}`, sql`a.from_time <= t.end_time and a.to_time > t.start_time`)
  const trip = sql`
    join trips_now t on t.device_id = a.device_id and t.vehicle_id = a.vehicle_id and t.account_id = a.account_id`
  return { conditions, trip }
}

/** Clipped to the time of their samples, so that no empty week is read. */
export async function findIntervals(connection: Connection, scope: EventScope, range: TimeRange): Promise<Interval[]> {
  const found = scopeConditions(scope)
  if (!found) return []
  const ofTrip = scope.tripId === undefined ? undefined : { from: sql`t.start_time`, to: sql`t.end_time` }
  const rows = await connection.rows<IntervalRow>(
    sql`
    select a.device_id, a.from_time, a.to_time, ${FIRST_STORED} as first_time, ${LAST_STORED} as last_time,
      ${ofTrip?.from ?? sql`'-infinity'::timestamptz`} as trip_from, ${ofTrip?.to ?? sql`'infinity'::timestamptz`} as trip_to
    from assignments a ${joinExtent(sql`a.device_id`)} ${found.trip}
    where ${allOf([...found.conditions, sql`${LAST_STORED} is not null`])}`,
    { prepareAs: `event-intervals-${scopeKind(scope)}` },
  )
  return rows
    .map(row => ({
      deviceId: row.device_id,
      fromMs: Math.max(instantMs(row.from_time), instantMs(row.first_time), instantMs(row.trip_from)),
      toMs: Math.min(instantMs(row.to_time), instantMs(row.last_time) + 1, instantMs(row.trip_to) + 1),
    }))
    .flatMap(interval => clippedTo(range, interval) ?? [])
}

/** Scopes of one kind share a prepared statement. */
function scopeKind({ deviceId, vehicleId, tripId }: EventScope): string {
  return [deviceId !== undefined && 'device', vehicleId !== undefined && 'vehicle', tripId !== undefined && 'trip']
    .filter(Boolean)
    .join('-')
}

interface IntervalRow {
  readonly device_id: DeviceId
  readonly from_time: string
  readonly to_time: string
  readonly first_time: string
  readonly last_time: string
  readonly trip_from: string
  readonly trip_to: string
}

/** The first instant of which there can be samples of a scope, in milliseconds; undefined when nothing can match. */
export async function firstInstantOf(connection: Connection, scope: EventScope): Promise<number | undefined> {
  const found = scopeConditions(scope)
  if (!found) return undefined
  const [row] = await connection.rows<{ first: string | null }>(sql`
    select min(greatest(${FIRST_STORED}, a.from_time)) as first
    from assignments a ${joinExtent(sql`a.device_id`)} ${found.trip}
    where ${allOf([...found.conditions, sql`${LAST_STORED} is not null`])}`)
  return row?.first == null ? undefined : instantMs(row.first)
}

/** The part of a range in which the account has samples at all; undefined when that is nothing. */
export async function fleetRange(
  connection: Connection,
  accountId: number,
  range: TimeRange,
): Promise<TimeRange | undefined> {
  const [row] = await connection.rows<{ first: string | null; last: string | null }>(sql`
    select min(greatest(${FIRST_STORED}, a.from_time)) as first, max(least(${LAST_STORED}, a.to_time)) as last
    from assignments a ${joinExtent(sql`a.device_id`)} where a.account_id = ${accountId} and ${LAST_STORED} is not null`)
  if (!row || row.first === null || row.last === null) return undefined
  return clippedTo(range, { fromMs: instantMs(row.first), toMs: instantMs(row.last) + 1 })
}

export interface TypeSelection {
  readonly accept: (type: EventTypeId) => boolean
  /** Only samples with one of these can hold such an event; undefined when any can, empty when none. */
  readonly sampleTypes: readonly EventTypeId[] | undefined
}

/** @param names unknown ones match nothing @param hidden types that the caller has no permission for */
export function selectTypes(names: readonly string[] | undefined, hidden: HiddenEventTypes): TypeSelection {
  if (!names) return { accept: type => !hidden.has(type), sampleTypes: undefined }
  const wanted = new Set(names.flatMap(name => eventTypeByName(name)?.id ?? []).filter(type => !hidden.has(type)))
  const sampleTypes = new Set(wanted)
  // The state follows from the voltage wherever the dongle sent none.
  if (wanted.has(BATTERY_STATE.id)) sampleTypes.add(BATTERY_VOLTAGE.id)
  return { accept: type => wanted.has(type), sampleTypes: [...sampleTypes] }
}
