import { revised, unnestOf } from '../../db/bulk-rows.ts'
import type { LockedDevices } from '../../db/shards.ts'
import { listOf, sql, verbatim } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { grouped } from '../../model/grouped.ts'
import type { DeviceId, Position } from '../../model/sample.ts'
import { ensureAddresses } from '../addresses/addresses.ts'
import type { FoldedRange } from '../fact.ts'
import { incidentKey } from './detector.ts'
import { noteRuleChange } from './rule-changes.ts'
import {
  type Incident,
  type IncidentRef,
  type IncidentValues,
  KEY_COLUMNS,
  readDecided,
  type StoredIncident,
  VALUE_COLUMNS,
} from './stored-incidents.ts'
import { leaveSuperseding, lockShared } from './superseded.ts'

/** The incidents that the samples of a range decided, and those that are going on with the newest one. */
export type IncidentRange = Omit<FoldedRange, 'items'> & { readonly incidents: readonly Incident[] }

/** Replaces the incidents that ranges decided, and those going on. Writes only differences, with a revision each. One
 * that was deleted and is found again has its row again. */
export async function writeIncidents(locked: LockedDevices, ranges: readonly IncidentRange[]): Promise<void> {
  if (ranges.length === 0) return
  await lockShared(locked, ranges)
  await writeDifferences(locked, ranges, await readDecided(locked.transaction, ranges))
}

/** The same, where shared vehicles are locked (`lockShared`).
 * @param stored of the ranges, and going on, as far as they change */
export async function writeDifferences(
  locked: LockedDevices,
  ranges: readonly IncidentRange[],
  stored: readonly StoredIncident[],
): Promise<void> {
  const added: Incident[] = []
  const changed: StoredIncident[] = []
  const gone: StoredIncident[] = []
  const rows = grouped(stored, ({ deviceId }) => deviceId)
  for (const { device, incidents, goingOn } of ranges) {
    const left = new Map((rows.get(device.deviceId) ?? []).map(row => [rowKey(row), row]))
    for (const incident of incidents) {
      const row = left.get(rowKey(incident))
      left.delete(rowKey(incident))
      if (!row) added.push(incident)
      else if (VALUES.some(name => row[name] !== incident[name])) changed.push({ ...incident, id: row.id })
    }
    gone.push(...[...left.values()].filter(row => !goingOn.includes(incidentKey(row))))
  }
  await retractIncidents(locked, gone)
  const addresses = await addressesOf(locked.transaction, [...changed, ...added])
  await changeIncidents(locked, changed, addresses)
  const written = await addIncidents(locked, added, addresses)
  const shared = new Set(ranges.flatMap(({ device }) => (device.othersUntilMs.size > 0 ? [device.deviceId] : [])))
  const ofShared = [...stored, ...written].filter(({ deviceId }) => shared.has(deviceId))
  if (ofShared.length > 0) leaveSuperseding(locked.transaction, ofShared)
}

const VALUES = Object.keys(VALUE_COLUMNS) as (keyof IncidentValues)[]

/** In another car an incident gets another row: a client that syncs one car must learn that
 * it left (decisions.md, *Sync*). */
function rowKey(incident: Incident): string {
  return `${incident.accountId} ${incident.vehicleId} ${incidentKey(incident)}`
}

/** Marks incidents as deleted, with their values. For vehicles with several dongles call `leaveSuperseding`, too: those
 * in whose place they counted count again. */
export async function retractIncidents(locked: LockedDevices, incidents: readonly IncidentRef[]): Promise<void> {
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

const ROW_COLUMNS = {
  ...Object.fromEntries(Object.values({ ...KEY_COLUMNS, ...VALUE_COLUMNS })),
  start_address_id: 'bigint?',
  end_address_id: 'bigint?',
  modified: 'timestamptz',
} as const
const ROW_NAMES = Object.keys(ROW_COLUMNS)
const KEY_NAMES = Object.values(KEY_COLUMNS).map(([name]) => name)
const CHANGING_NAMES = ROW_NAMES.filter(name => !KEY_NAMES.includes(name))

async function changeIncidents(
  locked: LockedDevices,
  incidents: readonly StoredIncident[],
  addresses: Addresses,
): Promise<void> {
  if (incidents.length === 0) return
  const transaction = locked.transactionFor(incidents)
  const rows = await revised(
    transaction,
    incidents.map(incident => ({ id: incident.id, ...rowOf(incident, addresses) })),
  )
  await transaction.rows(
    sql`
      update incidents item set ${listOf(CHANGING_NAMES.map(name => verbatim(`${name} = u.${name}`)))}
      from ${unnestOf({ id: 'bigint', ...ROW_COLUMNS }, rows)}
      where item.device_id = u.device_id and item.id = u.id`,
    { prepareAs: 'change-incidents' },
  )
}

/** Writes incidents, whether they have a row that was deleted or none. @returns their rows */
async function addIncidents(
  locked: LockedDevices,
  incidents: readonly Incident[],
  addresses: Addresses,
): Promise<IncidentRef[]> {
  if (incidents.length === 0) return []
  const transaction = locked.transactionFor(incidents)
  const rows = await revised(
    transaction,
    incidents.map(incident => rowOf(incident, addresses)),
  )
  const names = listOf(ROW_NAMES.map(verbatim))
  return transaction.rows<IncidentRef>(
    sql`
      insert into incidents as item (${names}) select ${names} from ${unnestOf(ROW_COLUMNS, rows)}
      on conflict (device_id, vehicle_id, rule_id, start_time, area_id, detail) where not is_erased
      do update set ${listOf(CHANGING_NAMES.map(name => verbatim(`${name} = excluded.${name}`)))}, deleted = null,
        superseded_by = null
      returning id, device_id as "deviceId"`,
    { prepareAs: 'add-incidents' },
  )
}

function rowOf(incident: Incident, addresses: Addresses) {
  const columns = Object.entries({ ...KEY_COLUMNS, ...VALUE_COLUMNS })
  const values = columns.map(([field, [name]]) => [name, incident[field as keyof Incident]] as const)
  return { ...Object.fromEntries(values), ...(addresses.get(incident) ?? NOWHERE) }
}

const NOWHERE = { start_address_id: null, end_address_id: null }
type Addresses = Awaited<ReturnType<typeof addressesOf>>

/** The addresses of the positions of incidents, before their rows are written: those of trips come before, in the order of the facts. */
async function addressesOf(transaction: Transaction, incidents: readonly Incident[]) {
  const positions: Position[] = []
  const add = (lon: number | null, lat: number | null) =>
    lon === null || lat === null ? -1 : positions.push({ lon, lat }) - 1
  const places = incidents.map(incident => ({
    incident,
    start: add(incident.startLongitude, incident.startLatitude),
    end: add(incident.endLongitude, incident.endLatitude),
  }))
  const ids = await ensureAddresses(transaction, positions)
  return new Map(
    places.map(({ incident, start, end }) => [
      incident,
      { start_address_id: ids[start] ?? null, end_address_id: ids[end] ?? null },
    ]),
  )
}

/** Before a vehicle goes, its withdrawn incidents move to its successor, so that one found again has its row (that of
 * the successor, where both have one), and rules name the successor. */
export async function leaveIncidentsTo(
  transaction: Transaction,
  {
    accountId,
    vehicleId,
    successorId,
  }: { readonly accountId: number; readonly vehicleId: number; readonly successorId: number },
): Promise<void> {
  const rows = await transaction.rows<{ id: number; device_id: DeviceId; has_twin: boolean }>(sql`
    select item.id, item.device_id, exists (
      select from incidents twin where twin.device_id = item.device_id and twin.vehicle_id = ${successorId}
        and twin.rule_id = item.rule_id and twin.start_time = item.start_time and twin.area_id = item.area_id
        and twin.detail = item.detail and not twin.is_erased) as has_twin
    from incidents item where item.vehicle_id = ${vehicleId} order by item.id`)
  if (rows.length > 0)
    await transaction.rows(sql`
      update incidents item set vehicle_id = ${successorId}, is_erased = item.is_erased or u.has_twin, modified = u.modified
      from ${unnestOf(
        { device_id: 'bigint', id: 'bigint', has_twin: 'boolean', modified: 'timestamptz' },
        await revised(transaction, rows),
      )}
      where item.device_id = u.device_id and item.id = u.id`)
  const named = await transaction.rows(sql`
    update rule_versions set vehicle_ids = array_replace(vehicle_ids, ${vehicleId}::bigint, ${successorId}::bigint)
    where account_id = ${accountId} and ${vehicleId}::bigint = any(vehicle_ids) returning 1`)
  if (named.length > 0)
    await noteRuleChange(transaction, { accountId, fromMs: Number.NEGATIVE_INFINITY, vehicleIds: [successorId] })
}
