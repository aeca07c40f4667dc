import { type ColumnType, unnestOf } from '../../db/bulk-rows.ts'
import { type Connection, listOf, sql, verbatim } from '../../db/sql.ts'
import type { DeviceId } from '../../model/sample.ts'
import { assignmentAt, STALE_MS } from '../device-records.ts'
import type { FoldedRange } from '../fact.ts'
import { detectorOf, ruleVersionIn } from './active-rules.ts'
import type { IncidentItem } from './detector.ts'

export interface IncidentRef {
  readonly id: number
  readonly deviceId: DeviceId
}

/** It identifies an incident of a device: one that is found again with the same values has the same row. */
interface IncidentKey {
  readonly deviceId: DeviceId
  readonly accountId: number
  readonly vehicleId: number
  readonly ruleId: number
  readonly startMs: number
  /** 0: none. */
  readonly areaId: number
  /** Empty: nothing. */
  readonly detail: string
}

/** All of an incident that may change. */
export interface IncidentValues {
  readonly ruleVersion: number
  readonly kind: string
  readonly severity: string
  /** null while it goes on. */
  readonly endMs: number | null
  /** The time of the sample since which no later one can change it; infinite while it goes on. */
  readonly decidedMs: number
  readonly longestGapS: number
  readonly peak: number | null
  readonly peakMs: number | null
  readonly startLongitude: number | null
  readonly startLatitude: number | null
  readonly endLongitude: number | null
  readonly endLatitude: number | null
  readonly hasOdometer: boolean
}

export type Incident = IncidentKey & IncidentValues
/** A row that stands (`STANDS`). */
export type StoredIncident = Incident & { readonly id: number }

type ColumnOf<Fields> = Readonly<Record<keyof Fields, readonly [name: string, type: ColumnType | `${ColumnType}?`]>>

export const KEY_COLUMNS: ColumnOf<IncidentKey> = {
  deviceId: ['device_id', 'bigint'],
  accountId: ['account_id', 'integer'],
  vehicleId: ['vehicle_id', 'bigint'],
  ruleId: ['rule_id', 'integer'],
  startMs: ['start_time', 'timestamptz'],
  areaId: ['area_id', 'bigint'],
  detail: ['detail', 'text'],
}
export const VALUE_COLUMNS: ColumnOf<IncidentValues> = {
  ruleVersion: ['rule_version', 'integer'],
  kind: ['kind', 'text'],
  severity: ['severity', 'text'],
  endMs: ['end_time', 'timestamptz?'],
  decidedMs: ['decided_time', 'timestamptz'],
  longestGapS: ['longest_gap_s', 'integer'],
  peak: ['peak', 'float8?'],
  peakMs: ['peak_time', 'timestamptz?'],
  startLongitude: ['start_longitude', 'float8?'],
  startLatitude: ['start_latitude', 'float8?'],
  endLongitude: ['end_longitude', 'float8?'],
  endLatitude: ['end_latitude', 'float8?'],
  hasOdometer: ['has_odometer', 'boolean'],
}

/** The dongle found the incident `item`, even if another dongle's counts in its place.
 * Other rows record a withdrawal. */
export const STANDS = sql`(item.deleted is null or item.superseded_by is not null)`

/** The newest sample of the row `s` of `device_states` is old. */
export const IS_STALE = sql`(s.last_time < clock_timestamp() - ${STALE_MS} * interval '1 millisecond')`

/** A row of `incidents` by the names of the fields. Instants are whole milliseconds, and so precise is a double of their seconds. */
const COLUMNS = listOf([
  sql`item.id`,
  ...Object.entries({ ...KEY_COLUMNS, ...VALUE_COLUMNS }).map(([field, [name, type]]) =>
    type.startsWith('timestamptz')
      ? verbatim(`round(date_part('epoch', item.${name}) * 1000) as "${field}"`)
      : verbatim(`item.${name} as "${field}"`),
  ),
])

/** The incidents of devices that samples of these ranges decided, and whether the newest sample of the device is old. */
export function readDecided(
  connection: Connection,
  ranges: readonly Pick<FoldedRange, 'device' | 'decidedFromMs' | 'toMs'>[],
): Promise<(StoredIncident & { readonly isStale: boolean })[]> {
  return connection.rows(
    sql`
      select ${COLUMNS},
        -- Not joined: the planner would read the whole table.
        (select ${IS_STALE} from device_states s where s.device_id = u.device_id) as "isStale"
      from ${unnestOf(
        { device_id: 'bigint', from_time: 'timestamptz', to_time: 'timestamptz' },
        ranges.map(({ device: { deviceId }, decidedFromMs, toMs }) => ({
          device_id: deviceId,
          from_time: decidedFromMs,
          to_time: toMs,
        })),
      )},
      -- With an offset it is looked up for each device: while little is known of the table, the planner would read all of it.
      lateral (
        select * from incidents item where item.device_id = u.device_id and item.decided_time >= u.from_time and ${STANDS} offset 0
      ) item
      where item.decided_time < u.to_time or u.to_time = 'infinity'`,
    { prepareAs: 'read-decided-incidents' },
  )
}

export function readIncidentsOf(connection: Connection, deviceId: DeviceId): Promise<StoredIncident[]> {
  return connection.rows(sql`
    select ${COLUMNS} from incidents item where item.device_id = ${deviceId} and ${STANDS}`)
}

/** Longer than any dongle is silent; `integer` has room for it. */
const NEVER_S = 2_000_000_000

/** The incidents of a range, each in the car of the dongle when it began. Without an
 * assignment, an item belongs to nobody. */
export function incidentsOf({ device, items }: Pick<FoldedRange, 'device' | 'items'>): readonly Incident[] {
  return items.flatMap(({ item, decidedMs }): Incident[] => {
    const assignment = assignmentAt(device, item.startMs)
    if (!assignment) return []
    // The fold makes items of this form only.
    const { areaId, detail, ...found } = item as IncidentItem
    const { accountId, vehicleId } = assignment
    const rule = ruleVersionIn(device.rules, found.ruleId, found.ruleVersion)
    // If nothing comes for longer, the incident is over.
    const longestGapS = rule ? Math.min(NEVER_S, Math.ceil(detectorOf(rule).longestGapMs / 1000)) : NEVER_S
    const key = { deviceId: device.deviceId, accountId, vehicleId, areaId: areaId ?? 0, detail: detail ?? '' }
    return [{ ...found, ...key, decidedMs, longestGapS }]
  })
}
