import type { Sample } from '../../model/sample.ts'
import { isIn } from '../../model/time-range.ts'
import type { FoldPart, Json } from '../fold-part.ts'
import type { RulesOfDevice, RuleVersion } from '../rules/rule-book.ts'
import { isWithinHours } from '../rules/weekly-hours.ts'
import { type ActiveRule, detectorOf, type RulesInForce, rulesAt, ruleVersionIn } from './active-rules.ts'
import type { CarState } from './car-state.ts'
import { type Finding, type IncidentItem, incidentKey, type Observation, observe } from './detector.ts'

/** All that the fold knows of a dongle while rules hold. */
export type IncidentsState = {
  /** Of the rules in force (`RulesInForce.identity`). */
  readonly inForce: string
  readonly car: CarState
  /** The rules by which something is going on, in the order of their ids. */
  readonly rules: readonly RuleState[]
}

type RuleState = readonly [ruleId: number, version: number, state: Json]

/** The state of a rule by which something is going on, and that of the car. */
interface GoingOn {
  readonly rule: RuleVersion
  readonly of: Json
  readonly car: CarState
}

/** Derives incidents from samples in order, under the rules that held: each sample is
 * observed once, then every rule steps. */
export function incidentsPart(rules: RulesOfDevice): IncidentsPart {
  return new IncidentsPart(rules)
}

class IncidentsPart implements FoldPart<IncidentsState, IncidentItem> {
  readonly #rules: RulesOfDevice
  /** The last rules that `#inForceAt` found. */
  #inForce: RulesInForce | undefined

  constructor(rules: RulesOfDevice) {
    this.#rules = rules
  }

  step(
    before: IncidentsState | null,
    sample: Sample,
  ): { readonly state: IncidentsState | null; readonly done: readonly IncidentItem[] } {
    const inForce = this.#inForceAt(sample.timeMs)
    const done: IncidentItem[] = []
    const entered = before && before.inForce !== inForce?.identity ? this.#enter(before, inForce, sample, done) : before
    if (!inForce) return { state: null, done }
    const { identity, active } = inForce
    const observation = observe(entered?.car ?? null, sample, active.areas)
    const known = entered?.rules ?? []
    const rules: RuleState[] = []
    let next = 0
    // Both are in the order of the ids.
    for (const each of active.rulesFor(observation.layout)) {
      const { ruleId, version } = each.rule
      const ofRule = known[next]?.[0] === ruleId ? known[next++] : undefined
      if (!ofRule && !each.mayBegin) continue
      const state = stateAfter(each, ofRule?.[2] ?? null, observation, done)
      if (state !== null) rules.push(ofRule?.[2] === state ? ofRule : [ruleId, version, state])
    }
    return { state: { inForce: identity, car: observation.now, rules }, done }
  }

  goingOn(state: IncidentsState | null): readonly IncidentItem[] {
    return this.#goingOnIn(state).flatMap(({ rule, of, car }) => itemsOf(rule, detectorOf(rule).goingOn(of), car))
  }

  /** The incidents if nothing more came until an instant: ended by silence, going on, and the silence itself. Later
   * samples may change them. */
  silentUntil(state: IncidentsState | null, nowMs: number): readonly IncidentItem[] {
    return this.#goingOnIn(state).flatMap(({ rule, of, car }) => {
      const detector = detectorOf(rule)
      if (detector.silent) return this.#silenceUntil({ rule, of, car }, nowMs)
      const isOver = nowMs - car.lastMs > detector.longestGapMs
      return itemsOf(rule, isOver ? detector.end(of, car) : detector.goingOn(of), car)
    })
  }

  keyOf(item: IncidentItem): string {
    return incidentKey(item)
  }

  #inForceAt(timeMs: number): RulesInForce | undefined {
    if (!this.#inForce || !isIn(this.#inForce, timeMs)) this.#inForce = rulesAt(this.#rules, timeMs)
    return this.#inForce
  }

  /** A rule that is in no book any more finds nothing. */
  #goingOnIn(state: IncidentsState | null): readonly GoingOn[] {
    if (!state) return []
    return state.rules.flatMap(([ruleId, version, of]) => {
      const rule = ruleVersionIn(this.#rules, ruleId, version)
      return rule ? [{ rule, of, car: state.car }] : []
    })
  }

  /** Keeps what still holds when other rules come into force. What was going on under a version that no longer holds has ended. */
  #enter(
    state: IncidentsState,
    inForce: RulesInForce | undefined,
    sample: Sample,
    done: IncidentItem[],
  ): IncidentsState | null {
    const { car } = state
    const vehicleId = state.inForce.split(' ')[0]
    const isSameCar = inForce !== undefined && vehicleId === String(inForce.vehicleId)
    const kept: RuleState[] = []
    for (const goingOn of this.#goingOnIn(state)) {
      const { rule, of } = goingOn
      const { ruleId, version } = rule
      const holds =
        isSameCar && inForce.active.rules.some(each => each.rule.ruleId === ruleId && each.rule.version === version)
      const detector = detectorOf(rule)
      if (holds) kept.push([ruleId, version, of])
      else if (detector.silent) done.push(...endedSilence(this.#silenceUntil(goingOn, sample.timeMs), car, sample))
      else done.push(...itemsOf(rule, detector.end(of, car), car))
    }
    return isSameCar ? { inForce: inForce.identity, car, rules: kept } : null
  }

  /** The silence from the last sample until an instant, or a move to another car. Each version of the rule judges it
   * while it held; the first that found it long enough counts. */
  #silenceUntil({ rule, of, car }: GoingOn, nowMs: number): readonly IncidentItem[] {
    const assignment = this.#rules.assignments.find(each => isIn(each, car.lastMs))
    if (!assignment) return []
    const { book, vehicleId, toMs } = assignment
    const untilMs = Math.min(nowMs, toMs)
    for (let version: RuleVersion | undefined = rule; version; version = nextVersion(book.rules, version, vehicleId)) {
      const findings = detectorOf(version).silent?.(of, Math.min(untilMs, version.toMs)) ?? []
      const ended = nowMs >= toMs ? findings.map(each => ({ ...each, endMs: toMs })) : findings
      if (ended.length > 0) return itemsOf(version, ended, car)
      if (version.toMs >= untilMs) break
    }
    return []
  }
}

/** The version that follows another one without a break, if it looks for the same in that car. */
function nextVersion(rules: readonly RuleVersion[], { ruleId, kind, toMs }: RuleVersion, vehicleId: number) {
  return rules.find(
    each =>
      each.ruleId === ruleId &&
      each.kind === kind &&
      each.fromMs === toMs &&
      (each.vehicleIds === null || each.vehicleIds.includes(vehicleId)),
  )
}

/** Silence under former rules that a sample has ended. */
function endedSilence(items: readonly IncidentItem[], car: CarState, sample: Sample): IncidentItem[] {
  return items.map(item => {
    if (item.endMs !== null) return item
    const { place } = observe(car, sample, undefined).now
    return { ...item, endMs: sample.timeMs, endLongitude: place?.lon ?? null, endLatitude: place?.lat ?? null }
  })
}

function stateAfter(
  { rule, detector, appliesIn }: ActiveRule,
  known: Json,
  observation: Observation,
  done: IncidentItem[],
): Json {
  const { before, now, timeMs } = observation
  const isOut = now.isUnplugged && !detector.isOfDongle && !detector.outlastsSocket
  const applies = !isOut && (!appliesIn || isWithinHours(appliesIn, timeMs))
  let state = known
  if (state !== null && before && (!applies || timeMs - before.lastMs > detector.longestGapMs)) {
    // Only now is it known how long a silence was.
    const ended = detector.silent ? detector.step(state, observation).done : detector.end(state, before)
    done.push(...itemsOf(rule, ended, before))
    state = null
  }
  if (!applies) return null
  const stepped = detector.step(state, observation)
  if (stepped.done.length > 0) done.push(...itemsOf(rule, stepped.done, now))
  return stepped.state
}

function itemsOf(
  { ruleId, version, kind, severity }: RuleVersion,
  findings: readonly Finding[],
  { odometerKm }: CarState,
): readonly IncidentItem[] {
  const hasOdometer = odometerKm !== null
  return findings.map(finding => ({ ...finding, ruleId, ruleVersion: version, kind, severity, hasOdometer }))
}
