import type { Sample } from '../../../model/sample.ts'
import { SampleLayout } from '../../../model/sample-layout.ts'
import { isIn } from '../../../model/time-range.ts'
import type { FoldPart, Json } from '../../fold-part.ts'
import type { Finding, IncidentItem } from './finding.ts'
import { KINDS } from './kinds/index.ts'
import { type Moment, momentOf } from './moment.ts'
import type { RulesOfDevice, RuleVersion } from './rule-book.ts'
import { type ActiveRule, type RulesInForce, rulesAt, ruleVersionIn } from './rules-in-force.ts'
import type { Situation } from './situation.ts'
import { isWithinHours } from './weekly-hours.ts'

/** What the fold knows of a dongle; null while no rule holds. Plain JSON, and equal only under the same rules. */
type IncidentsState = {
  /** Of the rules in force (`RulesInForce.identity`). */
  readonly inForce: string
  readonly situation: Situation
  /** Of the rules of which something is going on: the version, and what it knows. By the id of the rule. */
  readonly rules: RuleStates
} | null

type RuleStates = { readonly [ruleId: string]: readonly [version: number, state: Json] }

interface IncidentsPart extends FoldPart<IncidentsState, IncidentItem> {
  /**
   * The incidents of a state if nothing more came of the dongle until an instant: those that its silence has ended, those that
   * still go on, and the silence itself. Later samples may change them.
   */
  silentUntil(state: IncidentsState, nowMs: number): readonly IncidentItem[]
}

const NOTHING_GOES_ON: RuleStates = {}
const NONE: readonly IncidentItem[] = []
const UNCHANGED = { state: null, done: NONE }

/** Derives incidents from the samples of a dongle in the order of time, under the rules that held. */
export function incidentsPart(rules: RulesOfDevice): IncidentsPart {
  // The rules of the sample before mostly hold for the next one.
  let last: RulesInForce | undefined
  const inForceAt = (timeMs: number) => (last && isIn(last, timeMs) ? last : (last = rulesAt(rules, timeMs)))

  return {
    begin: () => null,
    step(state, sample) {
      const inForce = inForceAt(sample.timeMs)
      if (!inForce && !state) return UNCHANGED
      const done: IncidentItem[] = []
      const before = state && state.inForce !== inForce?.identity ? enter(rules, state, inForce, done) : state
      if (!inForce) return { state: null, done }
      return { state: stepRules(inForce, before, sample, done), done }
    },
    goingOn: state =>
      eachRule(rules, state).flatMap(({ rule, of }) => itemsOf(rule, KINDS[rule.kind](rule).goingOn(of))),
    silentUntil: (state, nowMs) =>
      eachRule(rules, state).flatMap(({ rule, of }) => {
        if (!state) return []
        const { situation } = state
        const detector = KINDS[rule.kind](rule)
        if (detector.silent) return itemsOf(rule, detector.silent(of, nowMs))
        const isOver = nowMs - situation.lastMs > detector.longestGapMs
        return itemsOf(rule, isOver ? detector.end(of, situation) : detector.goingOn(of))
      }),
  }
}

/** What is kept of a state when other rules come into force. What was going on under a version that no longer holds has ended. */
function enter(
  rules: RulesOfDevice,
  state: NonNullable<IncidentsState>,
  inForce: RulesInForce | undefined,
  done: IncidentItem[],
): IncidentsState {
  const vehicleId = state.inForce.split(' ')[0]
  const isSameCar = inForce !== undefined && vehicleId === String(inForce.vehicleId)
  const kept: Record<string, RuleStates[string]> = {}
  for (const { rule, of } of eachRule(rules, state)) {
    const holds =
      isSameCar &&
      inForce.active.rules.some(({ rule: { ruleId, version } }) => ruleId === rule.ruleId && version === rule.version)
    if (holds) kept[rule.ruleId] = [rule.version, of]
    else done.push(...itemsOf(rule, KINDS[rule.kind](rule).end(of, state.situation)))
  }
  return isSameCar ? { inForce: inForce.identity, situation: state.situation, rules: kept } : null
}

function stepRules(
  { identity, active }: RulesInForce,
  before: IncidentsState,
  sample: Sample,
  done: IncidentItem[],
): IncidentsState {
  const moment = momentOf(before?.situation ?? null, sample, active.areas)
  const begins = active.begins(SampleLayout.of(sample.types))
  const states = before?.rules ?? NOTHING_GOES_ON
  let changed: Record<string, RuleStates[string]> | undefined
  for (let index = 0; index < active.rules.length; index++) {
    const each = active.rules[index]
    if (!each) continue
    const { ruleId, version } = each.rule
    const known = states[ruleId]?.[1] ?? null
    if (known === null && !begins[index]) continue
    const after = stepRule(each, known, moment, done)
    if (after === known) continue
    changed ??= { ...states }
    if (after === null) delete changed[ruleId]
    else changed[ruleId] = [version, after]
  }
  return { inForce: identity, situation: moment.now, rules: changed ?? states }
}

/** @returns the state after a sample */
function stepRule({ rule, detector, appliesIn }: ActiveRule, known: Json, moment: Moment, done: IncidentItem[]): Json {
  const { before, now, timeMs } = moment
  const isOut = now.isUnplugged && !detector.isOfDongle
  const applies = !isOut && (!appliesIn || isWithinHours(appliesIn, timeMs))
  let state = known
  if (state !== null && before && (!applies || timeMs - before.lastMs > detector.longestGapMs)) {
    done.push(...itemsOf(rule, detector.end(state, before)))
    state = null
  }
  if (!applies) return null
  const stepped = detector.step(state, moment)
  if (stepped.done.length > 0) done.push(...itemsOf(rule, stepped.done))
  return stepped.state
}

function itemsOf({ ruleId, version, kind, severity }: RuleVersion, findings: readonly Finding[]): IncidentItem[] {
  return findings.map(finding => ({ ...finding, ruleId, ruleVersion: version, kind, severity }))
}

/** What is going on in a state, with the rules. A rule that is in no book any more tells nothing. */
function eachRule(rules: RulesOfDevice, state: IncidentsState): { readonly rule: RuleVersion; readonly of: Json }[] {
  return Object.entries(state?.rules ?? NOTHING_GOES_ON).flatMap(([ruleId, [version, of]]) => {
    const rule = ruleVersionIn(rules, Number(ruleId), version)
    return rule ? [{ rule, of }] : []
  })
}
