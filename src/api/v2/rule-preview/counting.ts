import { type RivalIncident, supersededIncidents } from '../../../derive/incidents/derive/told-once.ts'
import type { FoundIncident } from './tally.ts'

/** Those that count of what several dongles in the same vehicles tell (docs/adr/0034). */
export function countingOf(found: readonly FoundIncident[]): FoundIncident[] {
  const byVehicle = new Map<string, (RivalIncident & { readonly found: FoundIncident })[]>()
  for (const each of found) {
    const rivals = byVehicle.get(each.publicId)
    const rival = rivalOf(each)
    if (rivals) rivals.push(rival)
    else byVehicle.set(each.publicId, [rival])
  }
  return [...byVehicle.values()].flatMap(rivals => {
    const superseded = supersededIncidents(rivals)
    return rivals.flatMap(rival => (superseded.has(rival) ? [] : [rival.found]))
  })
}

function rivalOf(found: FoundIncident): RivalIncident & { readonly found: FoundIncident } {
  const { deviceId, item } = found
  const { ruleId, kind, areaId, detail, startMs, endMs, hasOdometer, startLongitude } = item
  return {
    deviceId,
    ruleId,
    kind,
    areaId: areaId ?? 0,
    detail: detail ?? '',
    startMs,
    endMs,
    isCutShort: false,
    hasOdometer,
    hasPosition: startLongitude !== null,
    found,
  }
}
