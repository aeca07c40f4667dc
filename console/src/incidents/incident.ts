import type { Incident, Severity } from '../api/types.ts'
import type { TimeRange } from '../calendar/days.ts'
import type { ExportCell } from '../export/files.ts'
import { nameOfCar, normalised } from '../fleet/car.ts'
import { formatQuantity, type Texts } from '../language/language.ts'
import { newestFirst, type SyncedList } from '../live/synced-list.ts'
import { homeCountryOf, longAddress, shortAddress } from '../trips/short-address.ts'

/** An incident with what a list says of it beside the API. */
export interface IncidentLine {
  readonly incident: Incident
  readonly carName: string
  /** Empty where the person may not see rules. */
  readonly ruleName: string
  /** Empty when it is about no area, or the person may not see areas. */
  readonly areaName: string
  /** The address at its begin; empty when not known. */
  readonly address: string
}

/** Names of what incidents are about, by id. */
interface NamesOfIncidents {
  readonly cars: ReadonlyMap<string, { readonly name: string }>
  readonly rules: ReadonlyMap<string, { readonly name: string }>
  readonly areas: ReadonlyMap<string, string>
}

/** Lines of a list, in its order. The country in which most of them are goes without saying. */
export function incidentLines(incidents: readonly Incident[], names: NamesOfIncidents): readonly IncidentLine[] {
  const home = homeCountryOf(incidents.map(({ startAddress }) => ({ tripStartAddress: startAddress })))
  return incidents.map(incident => incidentLine(incident, names, home))
}

export function incidentLine(incident: Incident, names: NamesOfIncidents, homeCountry: string): IncidentLine {
  const { vehicleId, ruleId, areaId, startAddress } = incident
  return {
    incident,
    carName: nameOfCar(names.cars, vehicleId),
    ruleName: names.rules.get(ruleId)?.name ?? '',
    areaName: areaId === null ? '' : (names.areas.get(areaId) ?? ''),
    address: startAddress ? shortAddress(startAddress, homeCountry) : '',
  }
}

/** Whether a row shows what was typed; case, accents, spaces and hyphens do not matter. Nothing typed finds every row. */
export function isLineFound(line: IncidentLine, typed: string, texts: Texts<'incidents'>): boolean {
  const wanted = normalised(typed)
  if (wanted === '') return true
  const { incident, carName, ruleName, areaName, address } = line
  const { severity, startAddress, acknowledged } = incident
  const shown = [titleOf(incident), ruleName, carName, areaName, address, texts.severities[severity]]
  if (startAddress) shown.push(longAddress(startAddress))
  if (acknowledged) shown.push(acknowledged.by, acknowledged.note)
  return [...shown, texts[stateOf(incident)]].some(text => normalised(text).includes(wanted))
}

/** What happened, such as `Fault code P0301`. */
export function titleOf({ title, detail }: Incident): string {
  return detail === null ? title : `${title} ${detail}`
}

/** The greatest value with its unit; empty without one. */
export function peakText({ peak }: Incident): string {
  return peak ? formatQuantity(peak.value, peak.unit) : ''
}

/** From the one that matters most to the one that matters least. */
export const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info']

/** Of marks on maps, charts and sliders; the text beside them says what happened. */
export const SEVERITY_COLORS: Readonly<Record<Severity, string>> = {
  info: '#5c6b77',
  warning: '#e8890c',
  critical: '#c92a2a',
}

/** Which incidents are read. */
export interface IncidentScope extends TimeRange {
  readonly vehicleId: string | undefined
  readonly ruleId: string | undefined
  readonly areaId: string | undefined
}

type IncidentState = 'open' | 'ended' | 'withdrawn'

export function stateOf({ deleteTimestamp, endTimestamp }: Incident): IncidentState {
  if (deleteTimestamp !== null) return 'withdrawn'
  return endTimestamp === null ? 'open' : 'ended'
}

/** Somebody should look at it. */
export function isUnseen(incident: Incident): boolean {
  return incident.acknowledged === null && incident.deleteTimestamp === null
}

/**
 * Those of the list that began in the range: the ones that go on first, then the newest first. A range that lasts until now
 * also has those that began before it and go on.
 */
export function incidentsIn(list: SyncedList<Incident>, { toMs }: TimeRange): readonly Incident[] {
  const isOpen = (incident: Incident) => stateOf(incident) === 'open'
  const newest = (fromMs: number) =>
    newestFirst({ ...list, knownFromMs: fromMs }, ({ startTimestamp }) => startTimestamp, toMs)
  const inRange = newest(list.knownFromMs)
  const open = (toMs === undefined ? newest(Number.NEGATIVE_INFINITY) : inRange).filter(isOpen)
  return [...open, ...inRange.filter(incident => !isOpen(incident))]
}

/** What of the incidents that were read is shown. */
interface IncidentFilter {
  readonly kind?: string
  readonly severity?: Severity
  readonly state?: 'unseen' | 'open' | 'withdrawn'
}

/** In the order in which they come. */
export function chosenIncidents(incidents: readonly Incident[], filter: IncidentFilter): readonly Incident[] {
  const { kind, severity, state } = filter
  return incidents.filter(
    incident =>
      (kind === undefined || incident.kind === kind) &&
      (severity === undefined || incident.severity === severity) &&
      (state === undefined || (state === 'unseen' ? isUnseen(incident) : stateOf(incident) === state)),
  )
}

/** How long it lasted, or lasts until now. */
export function lengthMsOf({ startTimestamp, endTimestamp }: Incident, nowMs: number): number {
  const endMs = endTimestamp === null ? nowMs : Date.parse(endTimestamp)
  return Math.max(0, endMs - Date.parse(startTimestamp))
}

/** A row of the exported list, in the order of `csvTitles`. */
export function incidentRow(line: IncidentLine, texts: Texts<'incidents'>): ExportCell[] {
  const { incident, carName, ruleName, areaName } = line
  const { peak, endTimestamp, startAddress, startPosition, acknowledged } = incident
  return [
    incident.title,
    incident.detail ?? '',
    ruleName,
    texts.severities[incident.severity],
    texts[stateOf(incident)],
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
