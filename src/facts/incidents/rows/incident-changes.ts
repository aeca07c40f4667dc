import { assignmentAt } from '../../device-records/device-records.ts'
import type { ItemStretch } from '../../fact.ts'
import { incidentKey } from '../derive/finding.ts'
import { type Incident, type IncidentValues, type StoredIncident, valueRow } from './stored-incidents.ts'

interface IncidentChanges {
  /** Without a row, or with one that is deleted. */
  readonly told: readonly Incident[]
  readonly changed: readonly StoredIncident[]
  readonly gone: readonly StoredIncident[]
}

/**
 * Compares the stored incidents that the samples of a stretch decided with those that follow from them. One that belongs to another
 * car now has another row, and the old one is gone: a client that syncs one car must learn that it left (decisions.md, *Sync*).
 * @param incidents those of the stretch
 * @param stored those of its device
 */
export function incidentChanges(
  { goingOn }: Pick<ItemStretch, 'goingOn'>,
  incidents: readonly Incident[],
  stored: readonly StoredIncident[],
): IncidentChanges {
  const rows = new Map(stored.map(row => [rowKeyOf(row), row]))
  const told: Incident[] = []
  const changed: StoredIncident[] = []
  for (const incident of incidents) {
    const key = rowKeyOf(incident)
    const row = rows.get(key)
    rows.delete(key)
    if (!row) told.push(incident)
    else if (!isSame(row, incident)) changed.push({ ...incident, id: row.id })
  }
  return { told, changed, gone: [...rows.values()].filter(row => !goingOn.includes(incidentKey(row))) }
}

/** The accounts and vehicles that items belong to by their start; without an assignment, an item belongs to nobody. */
export function placed<Item extends Omit<Incident, 'deviceId' | 'accountId' | 'vehicleId'>>(
  device: ItemStretch['device'],
  items: readonly Item[],
): (Item & Pick<Incident, 'deviceId' | 'accountId' | 'vehicleId'>)[] {
  return items.flatMap(item => {
    const assignment = assignmentAt(device, item.startMs)
    if (!assignment) return []
    const { accountId, vehicleId } = assignment
    return [{ ...item, deviceId: device.deviceId, accountId, vehicleId }]
  })
}

function rowKeyOf(incident: Incident): string {
  return `${incident.accountId} ${incident.vehicleId} ${incidentKey(incident)}`
}

function isSame(row: IncidentValues, incident: IncidentValues): boolean {
  const [before, now] = [Object.values(valueRow(row)), Object.values(valueRow(incident))]
  return before.every((value, index) => value === now[index])
}
