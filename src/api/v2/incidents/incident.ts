import { eventTypeByName } from '../../../catalogue/event-types.ts'
import { type RuleKindName, ruleKindByName, type Severity } from '../../../catalogue/rule-kinds/index.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { changesOfList } from '../../lists.ts'
import { addressOf, type TripView } from '../trips/query.ts'
import { type IncidentRow, listIncidents } from './query.ts'
import type { Incident } from './schema.ts'

/** The parts of incidents that a caller may see, and their language. */
export type IncidentView = TripView

/** An incident as a caller sees it. */
export function incidentOf(row: IncidentRow, { language, maySeePositions }: IncidentView): Incident {
  return {
    id: String(row.id),
    ruleId: String(row.ruleId),
    ruleVersion: row.ruleVersion,
    kind: row.kind as RuleKindName,
    title: ruleKindByName(row.kind)?.title[language] ?? row.kind,
    severity: row.severity as Severity,
    vehicleId: row.vehicleId,
    deviceId: row.deviceId,
    tripId: row.tripId === null ? null : String(row.tripId),
    areaId: row.areaId === 0 ? null : String(row.areaId),
    detail: row.detail === '' ? null : row.detail,
    startTimestamp: millisecondText(row.start),
    endTimestamp: row.end === null ? null : millisecondText(row.end),
    peak: peakOf(row),
    startPosition: maySeePositions ? positionOf(row.startLat, row.startLon) : null,
    endPosition: maySeePositions ? positionOf(row.endLat, row.endLon) : null,
    startAddress: maySeePositions ? addressOf(row.startAddress, language) : null,
    endAddress: maySeePositions ? addressOf(row.endAddress, language) : null,
    acknowledged:
      row.acknowledged === null
        ? null
        : { timestamp: millisecondText(row.acknowledged), by: row.acknowledgedBy ?? '', note: row.note ?? '' },
    deleteTimestamp: row.deleted === null ? null : millisecondText(row.deleted),
    modifyTimestamp: row.modified,
  }
}

function positionOf(lat: number | null, lon: number | null): Incident['startPosition'] {
  return lat === null || lon === null ? null : { lat, lon }
}

function peakOf(row: IncidentRow): Incident['peak'] {
  if (row.peak === null) return null
  return {
    value: row.peak,
    unit: peakUnitOf(row.kind, row.parameters ?? {}),
    timestamp: row.peakTime === null ? null : millisecondText(row.peakTime),
  }
}

/** The unit of the peak values of what a rule finds; empty where there are none. @param parameters of the rule */
export function peakUnitOf(kind: string, parameters: Readonly<Record<string, unknown>>): string {
  const known = ruleKindByName(kind)
  if (known?.peakUnit !== null) return known?.peakUnit ?? ''
  const named = known.parameters.find(({ type }) => type === 'eventType')
  const eventType = named && parameters[named.name]
  return (typeof eventType === 'string' ? eventTypeByName(eventType)?.unit : undefined) ?? ''
}

/** Incidents in the feed of changes. */
export const incidentChanges = changesOfList('incidents', listIncidents, (rows, { language, hidesPositions }) =>
  rows.map(row => JSON.stringify(incidentOf(row, { language, maySeePositions: !hidesPositions }))),
)
