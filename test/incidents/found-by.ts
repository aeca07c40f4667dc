import type { Connection } from '../../src/db/sql.ts'
import { readDeviceRecords } from '../../src/derive/device-records.ts'
import type { IncidentItem } from '../../src/derive/incidents/detector.ts'
import { type IncidentsState, incidentsPart } from '../../src/derive/incidents/incidents-fold.ts'
import { type RivalIncident, supersededIncidents } from '../../src/derive/incidents/superseded.ts'
import { NO_RULES } from '../../src/derive/rules/rule-books.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { isIn } from '../../src/model/time-range.ts'
import type { ShownIncident } from './incident-world.ts'

/** The part of an incident that follows from samples and rules. */
interface FoundIncident {
  readonly deviceId: number
  readonly ruleId: string
  readonly ruleVersion: number
  readonly startTimestamp: string
  readonly endTimestamp: string | null
  readonly peak: number | null
  readonly areaId: string | null
  readonly detail: string | null
}

/** The incidents of all samples in order under the rules as they are now, where nothing else is in the cars. */
export async function incidentsFoundBy(
  connection: Connection,
  ...dongles: readonly (readonly [DeviceId, readonly Sample[]])[]
): Promise<FoundIncident[]> {
  const byCar = new Map<number, FoundRival[]>()
  for (const [deviceId, samples] of dongles)
    for (const rival of await foundBy(connection, deviceId, samples))
      byCar.set(rival.vehicleId, [...(byCar.get(rival.vehicleId) ?? []), rival])
  return [...byCar.values()]
    .flatMap(ofCar => {
      const superseded = supersededIncidents(ofCar)
      return ofCar.filter(rival => !superseded.has(rival))
    })
    .map(({ item, deviceId }) => foundOf(item, deviceId))
    .sort(byStart)
}

async function foundBy(connection: Connection, deviceId: DeviceId, samples: readonly Sample[]): Promise<FoundRival[]> {
  const { rules } = (await readDeviceRecords(connection, [deviceId])).get(deviceId) ?? NO_RULES
  const part = incidentsPart(rules)
  let state: IncidentsState | null = null
  const done: IncidentItem[] = []
  for (const sample of samples.toSorted((a, b) => a.timeMs - b.timeMs)) {
    const stepped = part.step(state, sample)
    state = stepped.state
    done.push(...stepped.done)
  }
  // The dongle has been silent since.
  const open = part.silentUntil(state, Date.now())
  const rivalOf = (item: IncidentItem, isCutShort: boolean) => {
    const { ruleId, kind, startMs, endMs, hasOdometer } = item
    const stay = rules.assignments.find(each => isIn(each, startMs))
    const more = { areaId: item.areaId ?? 0, detail: item.detail ?? '', hasPosition: item.startLongitude !== null }
    const rival = { deviceId, ruleId, kind, startMs, endMs, isCutShort, hasOdometer, item, ...more }
    return stay ? [{ ...rival, vehicleId: stay.vehicleId }] : []
  }
  return [...done.flatMap(item => rivalOf(item, false)), ...open.flatMap(item => rivalOf(item, item.endMs !== null))]
}
type FoundRival = RivalIncident & { readonly vehicleId: number; readonly item: IncidentItem }

function foundOf(item: IncidentItem, deviceId: DeviceId): FoundIncident {
  return {
    deviceId,
    ruleId: String(item.ruleId),
    ruleVersion: item.ruleVersion,
    startTimestamp: new Date(item.startMs).toISOString(),
    endTimestamp: item.endMs === null ? null : new Date(item.endMs).toISOString(),
    peak: item.peak,
    areaId: item.areaId === null ? null : String(item.areaId),
    detail: item.detail,
  }
}

/** The same of listed incidents. */
export function shownAsFound(incidents: readonly ShownIncident[]): FoundIncident[] {
  return incidents
    .map(({ deviceId, ruleId, ruleVersion, startTimestamp, endTimestamp, peak, areaId, detail }) => ({
      deviceId,
      ruleId,
      ruleVersion,
      startTimestamp,
      endTimestamp,
      peak: peak?.value ?? null,
      areaId,
      detail,
    }))
    .sort(byStart)
}

/** By start; what begins at once in any order, but always the same. */
function byStart(a: FoundIncident, b: FoundIncident): number {
  const [first, second] = [a, b].map(item => `${item.startTimestamp} ${JSON.stringify(item)}`)
  return (first ?? '') < (second ?? '') ? -1 : 1
}
