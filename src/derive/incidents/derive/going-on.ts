import type { Json } from '../../fold-part.ts'
import type { Finding, IncidentItem } from './finding.ts'
import type { RulesOfDevice, RuleVersion } from './rule-book.ts'
import { detectorOf, ruleVersionIn } from './rules-in-force.ts'
import { silenceUntil } from './silence.ts'
import type { Situation } from './situation.ts'

/** What the fold knows of a dongle; null while no rule holds. Plain JSON, and equal only under the same rules. */
export type IncidentsState = {
  /** Of the rules in force (`RulesInForce.identity`). */
  readonly inForce: string
  readonly situation: Situation
  /** What the rules know of which something is going on, in the order of their ids. */
  readonly rules: readonly RuleState[]
} | null

export type RuleState = readonly [ruleId: number, version: number, state: Json]

/** What one rule knows. */
export interface GoingOn {
  readonly rule: RuleVersion
  readonly of: Json
  /** The last one known. */
  readonly situation: Situation
}

/** What is going on in a state, with the rules. A rule that is in no book any more tells nothing. */
export function eachGoingOn(rules: RulesOfDevice, state: IncidentsState): GoingOn[] {
  const going: GoingOn[] = []
  if (!state) return going
  for (const [ruleId, version, of] of state.rules) {
    const rule = ruleVersionIn(rules, ruleId, version)
    if (rule) going.push({ rule, of, situation: state.situation })
  }
  return going
}

/** The incidents that are going on in a state. @param tell those of one rule */
export function goingOnIn(
  rules: RulesOfDevice,
  state: IncidentsState,
  tell: (heard: GoingOn) => readonly IncidentItem[] = itemsGoingOn,
): readonly IncidentItem[] {
  const items: IncidentItem[] = []
  for (const heard of eachGoingOn(rules, state)) items.push(...tell(heard))
  return items
}

/** What is going on by one rule. */
export function itemsGoingOn({ rule, of, situation }: GoingOn): readonly IncidentItem[] {
  return itemsOf(rule, detectorOf(rule).goingOn(of), situation)
}

/** A silence until an instant. */
export function silenceOf(rules: RulesOfDevice, heard: GoingOn, nowMs: number): IncidentItem[] {
  return silenceUntil(rules, heard, nowMs).flatMap(({ rule, findings }) => itemsOf(rule, findings, heard.situation))
}

const NONE: readonly IncidentItem[] = []

export function itemsOf(
  { ruleId, version, kind, severity }: RuleVersion,
  findings: readonly Finding[],
  { odometerKm }: Situation,
): readonly IncidentItem[] {
  if (findings.length === 0) return NONE
  const hasOdometer = odometerKm !== null
  // Field by field: to spread a finding takes several times as long, and an open one is made with each batch of its dongle.
  return findings.map(finding => ({
    startMs: finding.startMs,
    endMs: finding.endMs,
    peak: finding.peak,
    peakMs: finding.peakMs,
    startLongitude: finding.startLongitude,
    startLatitude: finding.startLatitude,
    endLongitude: finding.endLongitude,
    endLatitude: finding.endLatitude,
    areaId: finding.areaId,
    detail: finding.detail,
    ruleId,
    ruleVersion: version,
    kind,
    severity,
    hasOdometer,
  }))
}
