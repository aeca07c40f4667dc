import type { ItemStretch } from '../../fact.ts'
import { incidentKey } from '../derive/finding.ts'
import type { Incident, IncidentValues, StoredIncident } from './stored-incidents.ts'

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
  // Mostly a device has none or one, and nothing of it changed.
  if (incidents.length === 0 && stored.length === 0) return UNCHANGED
  const rows = byStart(stored)
  const told: Incident[] = []
  const changed: StoredIncident[] = []
  for (const incident of incidents) {
    const row = take(rows, incident)
    if (!row) told.push(incident)
    else if (!isSame(row, incident)) changed.push({ ...incident, id: row.id })
  }
  const left = [...rows.values()].flat()
  return { told, changed, gone: left.filter(row => !goingOn.includes(incidentKey(row))) }
}

const UNCHANGED: IncidentChanges = { told: [], changed: [], gone: [] }

function byStart(stored: readonly StoredIncident[]): Map<number, StoredIncident[]> {
  const rows = new Map<number, StoredIncident[]>()
  for (const row of stored) {
    const ofStart = rows.get(row.startMs)
    if (ofStart) ofStart.push(row)
    else rows.set(row.startMs, [row])
  }
  return rows
}

/** Takes the row of an incident out of the others. */
function take(rows: Map<number, StoredIncident[]>, incident: Incident): StoredIncident | undefined {
  const ofStart = rows.get(incident.startMs)
  const at = ofStart?.findIndex(row => isRowOf(row, incident)) ?? -1
  return at < 0 ? undefined : ofStart?.splice(at, 1)[0]
}

/** Of two of one device and start. */
function isRowOf(row: StoredIncident, incident: Incident): boolean {
  return (
    row.ruleId === incident.ruleId &&
    row.areaId === incident.areaId &&
    row.detail === incident.detail &&
    row.vehicleId === incident.vehicleId &&
    row.accountId === incident.accountId
  )
}

const VALUES = Object.keys({
  ruleVersion: true,
  kind: true,
  severity: true,
  endMs: true,
  decidedMs: true,
  longestGapS: true,
  peak: true,
  peakMs: true,
  startLongitude: true,
  startLatitude: true,
  endLongitude: true,
  endLatitude: true,
  hasOdometer: true,
} satisfies Readonly<Record<keyof IncidentValues, true>>) as readonly (keyof IncidentValues)[]

function isSame(row: IncidentValues, incident: IncidentValues): boolean {
  for (const name of VALUES) if (row[name] !== incident[name]) return false
  return true
}
