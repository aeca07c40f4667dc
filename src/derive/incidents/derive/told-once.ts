import type { RuleKindName } from '../../../catalogue/rule-kinds/index.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { type Span, stretchesOf } from '../../trips/derive/overlaps.ts'

/** What of an incident decides whether it counts beside those of other dongles in the car. */
export interface RivalIncident {
  readonly deviceId: DeviceId
  readonly ruleId: number
  readonly kind: string
  /** 0: none. */
  readonly areaId: number
  /** Empty: nothing. */
  readonly detail: string
  readonly startMs: number
  /** null while it goes on. */
  readonly endMs: number | null
  /** It ended only because its dongle fell silent. */
  readonly isCutShort: boolean
  /** The dongle knew the odometer of the car. */
  readonly hasOdometer: boolean
  readonly hasPosition: boolean
}

/** What they tell is of the dongle, not of its car: that a second one fell silent is news. */
const OF_DONGLE: readonly string[] = ['OFFLINE', 'UNPLUGGED'] satisfies readonly RuleKindName[]
/** Their detail is a value that a car reaches once, however much later another dongle notices. */
const REACHED_ONCE: readonly string[] = [
  'SERVICE_DUE_KM',
  'SERVICE_DUE_HOURS',
  'SERVICE_DUE_DATE',
] satisfies readonly RuleKindName[]
/** Clocks of two dongles differ by as much, so what is so close may be one event. */
const CLOCKS_MS = 60_000

/** Whether incidents of a kind are of the car, so that two dongles can tell of one event. */
export function isOfCar(kind: string): boolean {
  return !OF_DONGLE.includes(kind)
}

/** In which time another incident of the same rule, area and detail is of the same event. */
export function reachOf({ kind, startMs, endMs }: Pick<RivalIncident, 'kind' | 'startMs' | 'endMs'>): Span {
  if (REACHED_ONCE.includes(kind)) return { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY }
  return { startMs, endMs: (endMs ?? Number.POSITIVE_INFINITY) + CLOCKS_MS }
}

/**
 * Of what several dongles in a car tell of one event, one counts (docs/adr/0034). Incidents are taken by how well they were measured, and
 * each counts unless another dongle tells of the same event in one that does. It depends on the set of incidents only.
 * @param incidents of one vehicle
 * @returns those that do not count, each with the best one that counts in its place
 */
export function supersededIncidents<Incident extends RivalIncident>(
  incidents: readonly Incident[],
): Map<Incident, Incident> {
  const superseded = new Map<Incident, Incident>()
  for (const ofEvent of eventsOf(incidents.filter(({ kind }) => isOfCar(kind))))
    for (const stretch of stretchesOf(ofEvent.map(incident => ({ ...reachOf(incident), incident })))) {
      const counting: (typeof stretch)[number][] = []
      for (const each of stretch.sort((a, b) => byMeasurement(a.incident, b.incident))) {
        const better = counting.find(other => other.incident.deviceId !== each.incident.deviceId && meet(other, each))
        if (better) superseded.set(each.incident, better.incident)
        else counting.push(each)
      }
    }
  return superseded
}

function meet(a: Span, b: Span): boolean {
  return a.startMs < b.endMs && b.startMs < a.endMs
}

function eventsOf<Incident extends RivalIncident>(incidents: readonly Incident[]): Incident[][] {
  const events = new Map<string, Incident[]>()
  for (const incident of incidents) {
    const key = `${incident.ruleId} ${incident.areaId} ${incident.detail}`
    const known = events.get(key)
    if (known) known.push(incident)
    else events.set(key, [incident])
  }
  return [...events.values()]
}

/**
 * The better measured one first: one whose dongle did not fall silent in the middle of it, then by odometer, position and IMEI. It
 * depends on nothing that changes with each sample, or two dongles that report in turn would swap all the time.
 */
function byMeasurement(a: RivalIncident, b: RivalIncident): number {
  const byStart = a.startMs - b.startMs
  return (
    (REACHED_ONCE.includes(a.kind) ? byStart : 0) ||
    Number(a.isCutShort) - Number(b.isCutShort) ||
    Number(b.hasOdometer) - Number(a.hasOdometer) ||
    Number(b.hasPosition) - Number(a.hasPosition) ||
    a.deviceId - b.deviceId ||
    byStart
  )
}
