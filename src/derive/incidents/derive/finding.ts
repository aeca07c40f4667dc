import type { RuleKindName, Severity } from '../../../catalogue/rule-kinds/index.ts'

/** An interval that a rule found. A rule has at most one of the same start, area and detail. */
export type Finding = {
  readonly startMs: number
  /** null while it goes on; equal to `startMs` where it was a moment. */
  readonly endMs: number | null
  /** The greatest value, or the least of what was too low, in the unit of the kind; null where there is none. */
  readonly peak: number | null
  readonly peakMs: number | null
  /** Where the car was believed to be, in degrees; null where nobody knows. */
  readonly startLongitude: number | null
  readonly startLatitude: number | null
  readonly endLongitude: number | null
  readonly endLatitude: number | null
  readonly areaId: number | null
  /** What tells it from others of the same start, such as a trouble code. */
  readonly detail: string | null
}

/** What becomes an incident: a finding, and the rule that found it. */
export type IncidentItem = Finding & {
  readonly ruleId: number
  readonly ruleVersion: number
  readonly kind: RuleKindName
  readonly severity: Severity
  /** The dongle knew the odometer of the car: of two dongles that tell of one event, it measures better. */
  readonly hasOdometer: boolean
}

/** What tells an incident from others of its dongle within a fold: a car has at most one dongle of that id. */
export function incidentKey({
  ruleId,
  startMs,
  areaId,
  detail,
}: Pick<IncidentItem, 'ruleId' | 'startMs' | 'areaId' | 'detail'>): string {
  return `${ruleId} ${startMs} ${areaId ?? 0} ${detail ?? ''}`
}
