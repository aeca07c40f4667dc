import type { Sample } from '../../../model/sample.ts'
import { isIn } from '../../../model/time-range.ts'
import type { FoldPart, Json } from '../../fold-part.ts'
import { type Finding, type IncidentItem, incidentKey } from './finding.ts'
import { type Moment, momentOf } from './moment.ts'
import { type PackedIncidentsState, packState, unpackState } from './packed-state.ts'
import type { RulesOfDevice, RuleVersion } from './rule-book.ts'
import {
  type ActiveRule,
  type Beginning,
  detectorOf,
  type RulesInForce,
  rulesAt,
  ruleVersionIn,
} from './rules-in-force.ts'
import { silenceUntil } from './silence.ts'
import type { Situation } from './situation.ts'
import { isWithinHours } from './weekly-hours.ts'

/** What the fold knows of a dongle; null while no rule holds. Plain JSON, and equal only under the same rules. */
export type IncidentsState = {
  /** Of the rules in force (`RulesInForce.identity`). */
  readonly inForce: string
  readonly situation: Situation
  /** What the rules know of which something is going on, by the id of the rule. */
  readonly rules: RuleStates
} | null

type RuleStates = readonly RuleState[]
type RuleState = readonly [ruleId: number, version: number, state: Json]

interface IncidentsPart extends FoldPart<IncidentsState, IncidentItem> {
  /**
   * The incidents of a state if nothing more came of the dongle until an instant: those that its silence has ended, those that
   * still go on, and the silence itself. Later samples may change them.
   */
  silentUntil(state: IncidentsState, nowMs: number): readonly IncidentItem[]
  /** @param packed by `pack` */
  unpack(packed: Json): IncidentsState
}

const NOTHING_GOES_ON: RuleStates = []
const NONE: readonly IncidentItem[] = []
const UNCHANGED = { state: null, done: NONE }

/** Derives incidents from the samples of a dongle in the order of time, under the rules that held. */
export function incidentsPart(rules: RulesOfDevice): IncidentsPart {
  // The rules of the sample before mostly hold for the next one.
  let last: RulesInForce | undefined
  // Most steps find nothing.
  let done: IncidentItem[] = []
  const inForceAt = (timeMs: number) => (last && isIn(last, timeMs) ? last : (last = rulesAt(rules, timeMs)))

  return {
    begin: () => null,
    step(state, sample) {
      const inForce = inForceAt(sample.timeMs)
      if (!inForce && !state) return UNCHANGED
      if (done.length > 0) done = []
      const before =
        state && state.inForce !== inForce?.identity ? enter(rules, state, inForce, { sample, done }) : state
      const after = inForce ? stepRules(inForce, before, sample, done) : null
      return { state: after, done: done.length > 0 ? done : NONE }
    },
    pack: packState,
    // What is stored was made by `pack`.
    unpack: packed => unpackState(packed as PackedIncidentsState),
    keyOf: incidentKey,
    isByRules: true,
    goingOn: state =>
      eachRule(rules, state).flatMap(({ rule, of, situation }) =>
        itemsOf(rule, detectorOf(rule).goingOn(of), situation),
      ),
    silentUntil: (state, nowMs) =>
      eachRule(rules, state).flatMap(({ rule, of, situation }) => {
        const detector = detectorOf(rule)
        if (detector.silent) return silenceOf(rules, { rule, of, situation }, nowMs)
        const isOver = nowMs - situation.lastMs > detector.longestGapMs
        return itemsOf(rule, isOver ? detector.end(of, situation) : detector.goingOn(of), situation)
      }),
  }
}

/** What is kept of a state when other rules come into force. What was going on under a version that no longer holds has ended. */
function enter(
  rules: RulesOfDevice,
  state: NonNullable<IncidentsState>,
  inForce: RulesInForce | undefined,
  { sample, done }: { readonly sample: Sample; readonly done: IncidentItem[] },
): IncidentsState {
  const vehicleId = state.inForce.split(' ')[0]
  const isSameCar = inForce !== undefined && vehicleId === String(inForce.vehicleId)
  const kept: RuleState[] = []
  for (const { rule, of, situation } of eachRule(rules, state)) {
    const { ruleId, version } = rule
    const holds = isSameCar && inForce.active.rules.some(each => isVersion(each.rule, ruleId, version))
    const detector = detectorOf(rule)
    if (holds) kept.push([ruleId, version, of])
    else if (detector.silent) done.push(...endedSilenceOf(rules, { rule, of, situation }, sample))
    else done.push(...itemsOf(rule, detector.end(of, situation), situation))
  }
  return isSameCar ? { inForce: inForce.identity, situation: state.situation, rules: kept } : null
}

function silenceOf(rules: RulesOfDevice, heard: GoingOn, nowMs: number): IncidentItem[] {
  return silenceUntil(rules, heard, nowMs).flatMap(({ rule, findings }) => itemsOf(rule, findings, heard.situation))
}

/** Silence under former rules that a sample has ended. */
function endedSilenceOf(rules: RulesOfDevice, heard: GoingOn, sample: Sample): IncidentItem[] {
  return silenceOf(rules, heard, sample.timeMs).map(item => {
    if (item.endMs !== null) return item
    const { place } = momentOf(heard.situation, sample, undefined).now
    return { ...item, endMs: sample.timeMs, endLongitude: place?.lon ?? null, endLatitude: place?.lat ?? null }
  })
}

function isVersion(rule: RuleVersion, ruleId: number, version: number): boolean {
  return rule.ruleId === ruleId && rule.version === version
}

function stepRules(
  { identity, active }: RulesInForce,
  before: IncidentsState,
  sample: Sample,
  done: IncidentItem[],
): IncidentsState {
  const moment = momentOf(before?.situation ?? null, sample, active.areas)
  const { beginnings, heeded } = active.heeding(moment.layout)
  const states = before?.rules ?? NOTHING_GOES_ON
  const silentMs = before ? sample.timeMs - before.situation.lastMs : 0
  if (states.length === 0) {
    const begun: RuleState[] = []
    for (const index of heeded) {
      if (!mayBegin(beginnings[index], moment, silentMs)) continue
      const each = active.rules[index]
      const state = each && stepRule(each, null, moment, silentMs, done)
      if (each && state !== null && state !== undefined) begun.push([each.rule.ruleId, each.rule.version, state])
    }
    return { inForce: identity, situation: moment.now, rules: begun.length > 0 ? begun : NOTHING_GOES_ON }
  }
  // What follows of each rule is gathered first, because a list that grows costs more than all else.
  let count = 0
  let hasChanged = false
  // Both are in the order of the rules' ids.
  let at = 0
  for (let index = 0; index < active.rules.length; index++) {
    const each = active.rules[index]
    if (!each) continue
    const state = states[at]
    const known = state?.[0] === each.rule.ruleId ? state : undefined
    if (known) at++
    const beginning = beginnings[index]
    if (!known) {
      if (!mayBegin(beginning, moment, silentMs)) continue
    } else if (!beginning && !mayChange(each, moment, silentMs)) {
      gathered[count++] = known
      continue
    }
    const of = known ? known[2] : null
    const after = stepRule(each, of, moment, silentMs, done)
    hasChanged ||= after !== of
    if (after !== null) gathered[count++] = known && after === of ? known : [each.rule.ruleId, each.rule.version, after]
  }
  return { inForce: identity, situation: moment.now, rules: hasChanged ? gathered.slice(0, count) : states }
}

/** Filled anew by each step: steps never overlap. */
const gathered: RuleState[] = []

/** Whether something can begin at a sample; what can not is not asked, which costs more than the answer. */
function mayBegin(beginning: Beginning | undefined, { near }: Moment, silentMs: number): boolean {
  return beginning !== undefined && silentMs <= beginning.withinMs && (!beginning.isInArea || near.length > 0)
}

/** Whether a sample without anything that a rule looks for can change what is going on. */
function mayChange({ detector, appliesIn }: ActiveRule, { now }: Moment, silentMs: number): boolean {
  return !detector.isDeafToOthers || silentMs > detector.longestGapMs || now.isUnplugged || appliesIn !== null
}

/** @returns the state after a sample */
function stepRule(
  { rule, detector, appliesIn }: ActiveRule,
  known: Json,
  moment: Moment,
  silentMs: number,
  done: IncidentItem[],
): Json {
  const isOut = moment.now.isUnplugged && !detector.isOfDongle
  const applies = !isOut && (!appliesIn || isWithinHours(appliesIn, moment.timeMs))
  let state = known
  if (state !== null && moment.before && (!applies || silentMs > detector.longestGapMs)) {
    // Whether a silence was long enough is known only now.
    const left = detector.silent ? detector.step(state, moment).done : detector.end(state, moment.before)
    done.push(...itemsOf(rule, left, moment.before))
    state = null
  }
  if (!applies) return null
  const stepped = detector.step(state, moment)
  if (stepped.done.length > 0) done.push(...itemsOf(rule, stepped.done, moment.now))
  return stepped.state
}

function itemsOf(
  { ruleId, version, kind, severity }: RuleVersion,
  findings: readonly Finding[],
  { odometerKm }: Situation,
): readonly IncidentItem[] {
  const hasOdometer = odometerKm !== null
  if (findings.length === 0) return NONE
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

interface GoingOn {
  readonly rule: RuleVersion
  readonly of: Json
  /** The last one known. */
  readonly situation: Situation
}

/** What is going on in a state, with the rules. A rule that is in no book any more tells nothing. */
function eachRule(rules: RulesOfDevice, state: IncidentsState): GoingOn[] {
  if (!state) return []
  return state.rules.flatMap(([ruleId, version, of]) => {
    const rule = ruleVersionIn(rules, ruleId, version)
    return rule ? [{ rule, of, situation: state.situation }] : []
  })
}
