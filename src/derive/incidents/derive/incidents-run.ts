import type { Sample } from '../../../model/sample.ts'
import { isIn } from '../../../model/time-range.ts'
import type { Json, PartRun } from '../../fold-part.ts'
import type { IncidentItem } from './finding.ts'
import {
  eachGoingOn,
  type GoingOn,
  goingOnIn,
  type IncidentsState,
  itemsGoingOn,
  itemsOf,
  type RuleState,
  silenceOf,
} from './going-on.ts'
import { type Moment, Moments } from './moment.ts'
import type { RulesOfDevice, RuleVersion } from './rule-book.ts'
import { type ActiveRule, detectorOf, NEEDS, type RulesInForce, rulesAt } from './rules-in-force.ts'
import type { Situation } from './situation.ts'
import { isWithinHours } from './weekly-hours.ts'

const NONE: readonly IncidentItem[] = []
const NOTHING_GOES_ON: readonly RuleState[] = []
const NO_MOMENTS = new Moments(null)

/**
 * Folds sample after sample. What it knows is written over in place: to make a new state for each sample takes longer than all that
 * rules have to say of it, and a state is asked for once in many samples.
 */
export class IncidentsRun implements PartRun<IncidentsState, IncidentItem> {
  readonly #rules: RulesOfDevice
  /** The rules of the sample before mostly hold for the next one; undefined before the first sample, and where none holds. */
  #inForce: RulesInForce | undefined
  /** Its own from the first sample on at which rules are in force. */
  #moments = NO_MOMENTS
  /** What each rule in force knows, by its index there. */
  #states: Json[] = []
  #countGoingOn = 0
  /** What each rule told last: while what it knows is the same, so are its items. */
  readonly #told = new Map<RuleVersion, Told>()
  /** What is known until rules that are in force have seen a sample. */
  #entered: IncidentsState
  #done: IncidentItem[] = []

  constructor(rules: RulesOfDevice, state: IncidentsState) {
    this.#rules = rules
    this.#entered = state
  }

  /** Whether a rule has begun to see something. */
  get isGoingOn(): boolean {
    return this.#inForce ? this.#countGoingOn > 0 : (this.#entered?.rules.length ?? 0) > 0
  }

  /** What is known after the last sample; it is written over with the one after the next. Null while no rule holds. */
  get situation(): Situation | null {
    return this.#inForce ? this.#moments.known : (this.#entered?.situation ?? null)
  }

  state(): IncidentsState {
    const inForce = this.#inForce
    if (!inForce) return this.#entered
    const situation = this.#moments.known
    return situation && { inForce: inForce.identity, situation, rules: this.#ruleStates(inForce) }
  }

  goingOn(): readonly IncidentItem[] {
    return goingOnIn(this.#rules, this.state(), heard => this.#itemsGoingOn(heard))
  }

  #itemsGoingOn(heard: GoingOn): readonly IncidentItem[] {
    const hasOdometer = heard.situation.odometerKm !== null
    const told = this.#told.get(heard.rule)
    if (told && told.of === heard.of && told.hasOdometer === hasOdometer) return told.items
    const items = itemsGoingOn(heard)
    this.#told.set(heard.rule, { of: heard.of, hasOdometer, items })
    return items
  }

  step(sample: Sample): readonly IncidentItem[] {
    if (this.#done.length > 0) this.#done = []
    if (!this.#inForce || !isIn(this.#inForce, sample.timeMs)) this.#enterRulesOf(sample)
    if (this.#inForce) this.#stepRules(this.#inForce, sample)
    return this.#done.length > 0 ? this.#done : NONE
  }

  #ruleStates({ active }: RulesInForce): readonly RuleState[] {
    if (this.#countGoingOn === 0) return NOTHING_GOES_ON
    const states: RuleState[] = []
    for (let index = 0; states.length < this.#countGoingOn; index++) {
      const state = this.#states[index] ?? null
      const each = active.rules[index]
      if (each && state !== null) states.push([each.rule.ruleId, each.rule.version, state])
    }
    return states
  }

  /** Takes what is known over to the rules that hold at a sample. */
  #enterRulesOf(sample: Sample): void {
    const inForce = rulesAt(this.#rules, sample.timeMs)
    const state = this.state()
    const isSame = !state || state.inForce === inForce?.identity
    const entered = isSame ? state : enter(this.#rules, state, inForce, { sample, done: this.#done })
    this.#inForce = inForce
    this.#entered = entered
    if (!inForce) return
    this.#moments = new Moments(entered?.situation ?? null)
    this.#states = []
    this.#countGoingOn = 0
    // Both are in the order of the rules' ids.
    for (const { rule } of inForce.active.rules) {
      const known = entered?.rules[this.#countGoingOn]
      const isKnown = known?.[0] === rule.ruleId
      this.#states.push(isKnown ? known[2] : null)
      if (isKnown) this.#countGoingOn++
    }
  }

  #stepRules({ active }: RulesInForce, sample: Sample): void {
    const states = this.#states
    const moment = this.#moments.next(sample, active.areas)
    const { before } = moment
    const silentMs = before ? sample.timeMs - before.lastMs : 0
    const { all, usual, deafMs, heeded } = active.heeding(moment.layout)
    const whileGoingOn = silentMs > deafMs || moment.now.isUnplugged ? all : usual
    const missing = missingAt(moment)
    const { vehicleSpeedKmh, gpsSpeedKmh } = moment.reading
    const kmh = vehicleSpeedKmh ?? gpsSpeedKmh ?? 0
    const heard = this.#countGoingOn === 0 ? heeded : whileGoingOn
    // By index: an iterator is an object for each sample.
    for (let at = 0; at < heard.length; at++) {
      const hearing = heard[at]
      if (!hearing) continue
      const { each, index } = hearing
      const known = states[index] ?? null
      // What can not begin is not asked, which costs more than the answer.
      const isConcerned =
        known === null
          ? hearing.isHeeded &&
            (hearing.needs & missing) === 0 &&
            silentMs <= hearing.withinMs &&
            kmh > hearing.aboveKmh
          : hearing.isHeeded || mayChange(each, moment, silentMs)
      if (!isConcerned) continue
      const after = stateAfter(each, known, moment, silentMs, this.#done)
      if (after === known) continue
      states[index] = after
      if (known === null) this.#countGoingOn++
      else if (after === null) this.#countGoingOn--
    }
  }
}

/** What follows from what a rule knew. */
interface Told {
  readonly of: Json
  readonly hasOdometer: boolean
  readonly items: readonly IncidentItem[]
}

/** What is not true of a sample, of what may have to be for something to begin. */
function missingAt({ near, motion, now }: Moment): number {
  return (
    (near.length > 0 ? 0 : NEEDS.inArea) |
    (motion === 'standing' ? 0 : NEEDS.standing) |
    (now.isIgnitionOn === true ? NEEDS.ignitionOff : 0)
  )
}

/** Whether a sample without anything that a rule looks for can change what is going on. */
function mayChange({ detector, appliesIn }: ActiveRule, { now }: Moment, silentMs: number): boolean {
  return !detector.isDeafToOthers || silentMs > detector.longestGapMs || now.isUnplugged || appliesIn !== null
}

/** What a rule knows after a sample. */
function stateAfter(
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
  for (const heard of eachGoingOn(rules, state)) {
    const { rule, of, situation } = heard
    const { ruleId, version } = rule
    const holds = isSameCar && inForce.active.rules.some(each => isVersion(each.rule, ruleId, version))
    const detector = detectorOf(rule)
    if (holds) kept.push([ruleId, version, of])
    else if (detector.silent) done.push(...endedSilence(silenceOf(rules, heard, sample.timeMs), situation, sample))
    else done.push(...itemsOf(rule, detector.end(of, situation), situation))
  }
  return isSameCar ? { inForce: inForce.identity, situation: state.situation, rules: kept } : null
}

/** Silence under former rules that a sample has ended. */
function endedSilence(items: readonly IncidentItem[], known: Situation, sample: Sample): IncidentItem[] {
  return items.map(item => {
    if (item.endMs !== null) return item
    const { place } = new Moments(known).next(sample, undefined).now
    return { ...item, endMs: sample.timeMs, endLongitude: place?.lon ?? null, endLatitude: place?.lat ?? null }
  })
}

function isVersion(rule: RuleVersion, ruleId: number, version: number): boolean {
  return rule.ruleId === ruleId && rule.version === version
}
