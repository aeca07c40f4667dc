import type { ExportCell, ExportSource } from '../export/files.ts'
import { type Texts, timeZoneHere } from '../language/language.ts'
import { longAddress } from '../trips/short-address.ts'
import { type IncidentLine, lengthMsOf, stateOf } from './incident.ts'

/** The incidents that the page shows. */
export function incidentsCsv(
  lines: readonly IncidentLine[],
  texts: Texts<'incidents'>,
  fileName: string,
): ExportSource {
  return {
    fileName,
    titles: texts.csvTitles(timeZoneHere()),
    pages: async function* () {
      yield lines.map(line => incidentRow(line, texts))
    },
  }
}

/** In the order of `csvTitles`. */
export function incidentRow(
  { incident, carName, ruleName, areaName }: IncidentLine,
  texts: Texts<'incidents'>,
): ExportCell[] {
  const { peak, endTimestamp, startAddress, startPosition, acknowledged } = incident
  const state = stateOf(incident)
  return [
    incident.title,
    incident.detail ?? '',
    ruleName,
    texts.severities[incident.severity],
    state === 'open' ? texts.goesOn : texts[state],
    carName,
    incident.vehicleId,
    new Date(incident.startTimestamp),
    endTimestamp === null ? undefined : new Date(endTimestamp),
    endTimestamp === null ? undefined : Math.round(lengthMsOf(incident, 0) / 6000) / 10,
    peak?.value,
    peak?.unit ?? '',
    areaName,
    startAddress ? longAddress(startAddress) : '',
    startPosition?.lat,
    startPosition?.lon,
    acknowledged?.by ?? '',
    acknowledged ? new Date(acknowledged.timestamp) : undefined,
    acknowledged?.note ?? '',
    incident.tripId ?? '',
    incident.id,
  ]
}
