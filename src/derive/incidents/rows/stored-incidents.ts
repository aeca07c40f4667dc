import { type ColumnType, unnestOf } from '../../../db/bulk-rows.ts'
import type { Connection } from '../../../db/database.ts'
import { listOf, sql, verbatim } from '../../../db/sql.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { STALE_MS } from '../../device-records/device-records.ts'
import type { ItemStretch } from '../../fact.ts'

/** The row of an incident. */
export interface IncidentRef {
  readonly id: number
  readonly deviceId: DeviceId
}

/** What identifies an incident of a device: one that is told again with the same values has the same row. */
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

/** What may change of an incident. */
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

/** The columns of what may change, with their types. */
export const VALUE_COLUMNS = {
  rule_version: 'integer',
  kind: 'text',
  severity: 'text',
  end_time: 'timestamptz?',
  decided_time: 'timestamptz',
  longest_gap_s: 'integer',
  peak: 'float8?',
  peak_time: 'timestamptz?',
  start_longitude: 'float8?',
  start_latitude: 'float8?',
  end_longitude: 'float8?',
  end_latitude: 'float8?',
  has_odometer: 'boolean',
} as const satisfies Readonly<Record<string, ColumnType | `${ColumnType}?`>>

export const KEY_COLUMNS = {
  device_id: 'bigint',
  account_id: 'integer',
  vehicle_id: 'bigint',
  rule_id: 'integer',
  start_time: 'timestamptz',
  area_id: 'bigint',
  detail: 'text',
} as const satisfies Readonly<Record<string, ColumnType>>

/**
 * Whether the row `item` of `incidents` is what its dongle tells, even if the incident of another dongle counts in its place. Other rows
 * only record that an incident was withdrawn.
 */
export const STANDS = sql`(item.deleted is null or item.superseded_by is not null)`

/** Whether the newest sample of the row `s` of `device_states` is old. */
export const IS_STALE = sql`(s.last_time < clock_timestamp() - ${STALE_MS} * interval '1 millisecond')`

/** A row of a device of which it is known whether its newest sample is old. */
export type DecidedIncident = StoredIncident & { readonly isStale: boolean }

/** The incidents of devices that samples of these stretches decided. */
export async function readDecided(
  connection: Connection,
  stretches: readonly Pick<ItemStretch, 'device' | 'decidedFromMs' | 'toMs'>[],
): Promise<DecidedIncident[]> {
  if (stretches.length === 0) return []
  const rows = await connection.rows<IncidentRow & { readonly is_stale: boolean }>(
    sql`
      select ${COLUMNS},
        -- Not joined: the planner would read the whole table.
        (select ${IS_STALE} from device_states s where s.device_id = u.device_id) as is_stale
      from ${unnestOf(
        { device_id: 'bigint', from_time: 'timestamptz', to_time: 'timestamptz' },
        stretches.map(({ device: { deviceId }, decidedFromMs, toMs }) => ({
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
  return rows.map(row => ({ ...incidentOf(row), isStale: row.is_stale }))
}

/** All incidents that a device tells. */
export async function readIncidentsOf(connection: Connection, deviceId: DeviceId): Promise<StoredIncident[]> {
  const rows = await connection.rows<IncidentRow>(sql`
    select ${COLUMNS} from incidents item where item.device_id = ${deviceId} and ${STANDS}`)
  return rows.map(incidentOf)
}

/** Instants as milliseconds: to read each from a text would take as long as all else of a row. */
const COLUMNS = listOf(
  ['id', ...Object.keys(KEY_COLUMNS), ...Object.keys(VALUE_COLUMNS)].map(name =>
    verbatim(name.endsWith('_time') ? `date_part('epoch', item.${name}) * 1000 as ${name}` : `item.${name}`),
  ),
)

/** Its instants are whole milliseconds, and so precise is a double of their seconds. */
const wholeMs = Math.round

interface IncidentRow {
  readonly id: number
  readonly device_id: DeviceId
  readonly account_id: number
  readonly vehicle_id: number
  readonly rule_id: number
  readonly start_time: number
  readonly area_id: number
  readonly detail: string
  readonly rule_version: number
  readonly kind: string
  readonly severity: string
  readonly end_time: number | null
  readonly decided_time: number
  readonly longest_gap_s: number
  readonly peak: number | null
  readonly peak_time: number | null
  readonly start_longitude: number | null
  readonly start_latitude: number | null
  readonly end_longitude: number | null
  readonly end_latitude: number | null
  readonly has_odometer: boolean
}

function incidentOf(row: IncidentRow): StoredIncident {
  return {
    id: row.id,
    deviceId: row.device_id,
    accountId: row.account_id,
    vehicleId: row.vehicle_id,
    ruleId: row.rule_id,
    startMs: wholeMs(row.start_time),
    areaId: row.area_id,
    detail: row.detail,
    ruleVersion: row.rule_version,
    kind: row.kind,
    severity: row.severity,
    endMs: row.end_time === null ? null : wholeMs(row.end_time),
    decidedMs: wholeMs(row.decided_time),
    longestGapS: row.longest_gap_s,
    peak: row.peak,
    peakMs: row.peak_time === null ? null : wholeMs(row.peak_time),
    startLongitude: row.start_longitude,
    startLatitude: row.start_latitude,
    endLongitude: row.end_longitude,
    endLatitude: row.end_latitude,
    hasOdometer: row.has_odometer,
  }
}
