import { revised, unnestOf } from '../../../db/bulk-rows.ts'
import type { LockedDevices } from '../../../db/shards/locked-devices.ts'
import { listOf, type Statement, sql, verbatim } from '../../../db/sql.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { ItemStretch } from '../../fact.ts'
import { incidentChanges } from './incident-changes.ts'
import { ADDRESS_COLUMNS, type AddressRow, addressesOf } from './places.ts'
import {
  type Incident,
  type IncidentRef,
  KEY_COLUMNS,
  readDecided,
  type StoredIncident,
  VALUE_COLUMNS,
} from './stored-incidents.ts'
import { leaveTellingOnce, lockShared } from './tell-once.ts'

/** The incidents that the samples of a stretch decided, and those that are going on with the newest one. */
export type IncidentStretch = Omit<ItemStretch, 'items' | 'before'> & { readonly incidents: readonly Incident[] }

/**
 * Replaces the incidents that the samples of stretches decided, and those that are going on. Writes only differences, each row with its
 * own revision. One that was deleted and is told again has its row again.
 */
export async function writeIncidents(locked: LockedDevices, stretches: readonly IncidentStretch[]): Promise<void> {
  if (stretches.length === 0) return
  await lockShared(locked, stretches)
  await writeDifferences(locked, stretches, await readDecided(locked.transaction, stretches))
}

/**
 * The same, where vehicles with several dongles are locked (`lockShared`).
 * @param stored what the samples of the stretches decided, and what is going on, as far as it may change
 */
export async function writeDifferences(
  locked: LockedDevices,
  stretches: readonly IncidentStretch[],
  stored: readonly StoredIncident[],
): Promise<void> {
  const byDevice = new Map<DeviceId, StoredIncident[]>()
  for (const row of stored) {
    const ofDevice = byDevice.get(row.deviceId)
    if (ofDevice) ofDevice.push(row)
    else byDevice.set(row.deviceId, [row])
  }
  const changes = stretches.map(stretch =>
    incidentChanges(stretch, stretch.incidents, byDevice.get(stretch.device.deviceId) ?? NONE),
  )
  await retractIncidents(
    locked,
    changes.flatMap(({ gone }) => gone),
  )
  const changed = changes.flatMap(each => each.changed)
  const found = changes.flatMap(each => each.told)
  const addresses = await addressesOf<Incident>(locked.transaction, [...changed, ...found])
  await changeIncidents(locked, changed, addresses)
  const told = await tellIncidents(locked, found, addresses)
  const shared = new Set<DeviceId>()
  for (const { device } of stretches) if (device.othersUntilMs.size > 0) shared.add(device.deviceId)
  if (shared.size > 0)
    leaveTellingOnce(
      locked.transaction,
      [...stored, ...told].filter(({ deviceId }) => shared.has(deviceId)),
    )
}

const NONE: readonly StoredIncident[] = []

/**
 * Marks incidents as deleted; they keep their values and who acknowledged them. Whoever retracts those of a vehicle with several dongles
 * calls `leaveTellingOnce`, too: what they counted in place of counts again.
 */
export async function retractIncidents(
  locked: LockedDevices,
  incidents: readonly Pick<StoredIncident, 'deviceId' | 'id'>[],
): Promise<void> {
  if (incidents.length === 0) return
  const transaction = locked.transactionFor(incidents)
  const rows = await revised(
    transaction,
    incidents.map(({ deviceId, id }) => ({ device_id: deviceId, id })),
  )
  await transaction.rows(sql`
    update incidents item set deleted = coalesce(item.deleted, clock_timestamp()), superseded_by = null,
      modified = u.modified
    from ${unnestOf({ device_id: 'bigint', id: 'bigint', modified: 'timestamptz' }, rows)}
    where item.device_id = u.device_id and item.id = u.id`)
}

/** Writes new values of incidents into their rows. */
async function changeIncidents(
  locked: LockedDevices,
  incidents: readonly StoredIncident[],
  addresses: Addresses,
): Promise<void> {
  if (incidents.length === 0) return
  const transaction = locked.transactionFor(incidents)
  const rows = await revised(
    transaction,
    incidents.map(incident => incidentRow(incident.id, incident, addresses.get(incident) ?? NOWHERE)),
  )
  await transaction.rows(
    sql`
      update incidents item set ${assigned('u')}
      from ${unnestOf({ device_id: 'bigint', id: 'bigint', ...CHANGING_COLUMNS, modified: 'timestamptz' }, rows)}
      where item.device_id = u.device_id and item.id = u.id`,
    { prepareAs: 'change-incidents' },
  )
}

/**
 * Writes incidents, whether they have a row or not. Where several dongles are in a car, `leaveTellingOnce` must follow.
 * @param known the addresses of their positions; looked up if they are not known
 * @returns their rows
 */
export async function tellIncidents(
  locked: LockedDevices,
  incidents: readonly Incident[],
  known?: Addresses,
): Promise<IncidentRef[]> {
  if (incidents.length === 0) return []
  const transaction = locked.transactionFor(incidents)
  const addresses = known ?? (await addressesOf<Incident>(transaction, incidents))
  const columns = { ...KEY_COLUMNS, ...CHANGING_COLUMNS, modified: 'timestamptz' } as const
  const names = listOf(Object.keys(columns).map(verbatim))
  const rows = await revised(
    transaction,
    incidents.map(incident => incidentRow(null, incident, addresses.get(incident) ?? NOWHERE)),
  )
  const written = await transaction.rows<{ id: number; device_id: DeviceId }>(
    sql`
      insert into incidents as item (${names}) select ${names} from ${unnestOf(columns, rows)}
      on conflict (device_id, vehicle_id, rule_id, start_time, area_id, detail) where not is_erased
      do update set ${assigned('excluded')}, deleted = null, superseded_by = null
      returning id, device_id`,
    { prepareAs: 'tell-incidents' },
  )
  return written.map(({ id, device_id: deviceId }) => ({ id, deviceId }))
}

type Addresses = Awaited<ReturnType<typeof addressesOf<Incident>>>

const CHANGING_COLUMNS = { ...VALUE_COLUMNS, ...ADDRESS_COLUMNS } as const
const NOWHERE: AddressRow = { start_address_id: null, end_address_id: null }

/** All columns of an incident, of which a statement takes its own. Field by field: to spread the parts takes several times as long. */
function incidentRow<Id extends number | null>(id: Id, incident: Incident, address: AddressRow) {
  return {
    id,
    device_id: incident.deviceId,
    account_id: incident.accountId,
    vehicle_id: incident.vehicleId,
    rule_id: incident.ruleId,
    start_time: incident.startMs,
    area_id: incident.areaId,
    detail: incident.detail,
    rule_version: incident.ruleVersion,
    kind: incident.kind,
    severity: incident.severity,
    end_time: incident.endMs,
    decided_time: incident.decidedMs,
    longest_gap_s: incident.longestGapS,
    peak: incident.peak,
    peak_time: incident.peakMs,
    start_longitude: incident.startLongitude,
    start_latitude: incident.startLatitude,
    end_longitude: incident.endLongitude,
    end_latitude: incident.endLatitude,
    has_odometer: incident.hasOdometer,
    start_address_id: address.start_address_id,
    end_address_id: address.end_address_id,
  }
}

function assigned(from: 'u' | 'excluded'): Statement {
  return listOf([...Object.keys(CHANGING_COLUMNS), 'modified'].map(name => verbatim(`${name} = ${from}.${name}`)))
}
