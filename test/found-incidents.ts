import type { ParameterValue, RuleKindName } from '../src/catalogue/rule-kinds/index.ts'
import type { IncidentItem } from '../src/derive/incidents/detector.ts'
import { type IncidentsState, incidentsPart } from '../src/derive/incidents/incidents-fold.ts'
import type { AreaVersion, RulesOfDevice, RuleVersion } from '../src/derive/rules/rule-book.ts'
import type { Sample } from '../src/model/sample.ts'
import { NOON_MS } from './trip-samples.ts'

export const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** A rule that always holds, for all cars, unless told otherwise. */
export function ruleOf(
  kind: RuleKindName,
  parameters: Readonly<Record<string, ParameterValue>> = {},
  more: Partial<RuleVersion> = {},
): RuleVersion {
  return {
    ...ALWAYS,
    ruleId: 1,
    version: 1,
    kind,
    parameters,
    severity: 'warning',
    vehicleIds: null,
    hours: null,
    ...more,
  }
}

/** A dongle that is in one car, 1 unless told otherwise. */
export function rulesOf(
  rules: readonly RuleVersion[],
  areas: readonly AreaVersion[] = [],
  vehicleId = 1,
): RulesOfDevice {
  return { assignments: [{ ...ALWAYS, vehicleId, book: { rules, areas } }] }
}

/** Every incident that follows from samples, by its start. */
export function incidentsIn(rules: RulesOfDevice, samples: readonly Sample[]): IncidentItem[] {
  const part = incidentsPart(rules)
  let state: IncidentsState | null = null
  const found: IncidentItem[] = []
  for (const sample of samples) {
    const stepped = part.step(state, sample)
    state = stepped.state
    found.push(...stepped.done)
  }
  return [...found, ...part.goingOn(state)].sort((a, b) => a.startMs - b.startMs || a.ruleId - b.ruleId)
}

/** The incidents of one rule in seconds after noon; null where they go on. */
export function spansIn(rule: RuleVersion, samples: readonly Sample[], areas: readonly AreaVersion[] = []) {
  return incidentsIn(rulesOf([rule], areas), samples).map(({ startMs, endMs }) => [
    (startMs - NOON_MS) / 1000,
    endMs === null ? null : (endMs - NOON_MS) / 1000,
  ])
}
