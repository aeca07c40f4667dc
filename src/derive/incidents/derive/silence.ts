import { isIn } from '../../../model/time-range.ts'
import type { Json } from '../../fold-part.ts'
import type { Finding } from './finding.ts'
import { KINDS } from './kinds/index.ts'
import type { RulesOfDevice, RuleVersion } from './rule-book.ts'
import type { Situation } from './situation.ts'

/** What one rule knows after the last sample. */
interface Heard {
  readonly rule: RuleVersion
  readonly of: Json
  readonly situation: Situation
}

interface FoundSilence {
  /** The version of the rule that found it. */
  readonly rule: RuleVersion
  readonly findings: readonly Finding[]
}

/**
 * The silence of a dongle from its last sample until an instant, of kinds about silence. It is judged as if the dongle had been looked at
 * all the time: by each version of the rule while that held, one after the other without a break, and the first that found it long enough
 * tells it. So a silence that was told stays told when its rule changes, and one that was too short for a version is found by a later one.
 * It ends when the dongle was put into another car.
 */
export function silenceUntil(rules: RulesOfDevice, { rule, of, situation }: Heard, nowMs: number): FoundSilence[] {
  const stay = rules.assignments.find(each => isIn(each, situation.lastMs))
  if (!stay) return []
  const untilMs = Math.min(nowMs, stay.toMs)
  const { book, vehicleId } = stay
  for (let version: RuleVersion | undefined = rule; version; version = next(book.rules, version, vehicleId)) {
    const findings = KINDS[version.kind](version).silent?.(of, Math.min(untilMs, version.toMs)) ?? []
    if (findings.length > 0) {
      const hasLeft = nowMs >= stay.toMs
      return [{ rule: version, findings: hasLeft ? findings.map(each => ({ ...each, endMs: stay.toMs })) : findings }]
    }
    if (version.toMs >= untilMs) break
  }
  return []
}

/** The version that follows another one without a break, if it looks for the same in that car. */
function next(rules: readonly RuleVersion[], { ruleId, kind, toMs }: RuleVersion, vehicleId: number) {
  return rules.find(
    each =>
      each.ruleId === ruleId &&
      each.kind === kind &&
      each.fromMs === toMs &&
      (each.vehicleIds === null || each.vehicleIds.includes(vehicleId)),
  )
}
