import type { Sample } from '../../../model/sample.ts'
import type { FoldPart, Json } from '../../fold-part.ts'
import { type IncidentItem, incidentKey } from './finding.ts'
import { eachGoingOn, goingOnIn, type IncidentsState, itemsOf, silenceOf } from './going-on.ts'
import { IncidentsRun } from './incidents-run.ts'
import { type PackedIncidentsState, packState, unpackState } from './packed-state.ts'
import type { RulesOfDevice } from './rule-book.ts'
import { detectorOf, rulesAt } from './rules-in-force.ts'

const UNCHANGED = { state: null, done: [] }

/** Derives incidents from the samples of a dongle in the order of time, under the rules that held. Made anew with each batch of a dongle. */
class IncidentsPart implements FoldPart<IncidentsState, IncidentItem> {
  readonly isByRules = true
  readonly #rules: RulesOfDevice

  constructor(rules: RulesOfDevice) {
    this.#rules = rules
  }

  begin(): IncidentsState {
    return null
  }

  isUnderRulesAt(state: IncidentsState, timeMs: number): boolean {
    return state !== null && state.inForce === rulesAt(this.#rules, timeMs)?.identity
  }

  step(
    state: IncidentsState,
    sample: Sample,
  ): { readonly state: IncidentsState; readonly done: readonly IncidentItem[] } {
    if (!state && !rulesAt(this.#rules, sample.timeMs)) return UNCHANGED
    const stepping = this.run(state)
    const done = stepping.step(sample)
    return { state: stepping.state(), done }
  }

  run(state: IncidentsState): IncidentsRun {
    return new IncidentsRun(this.#rules, state)
  }

  pack(state: IncidentsState): PackedIncidentsState {
    return packState(this.#rules, state)
  }

  /** @param packed by `pack` */
  unpack(packed: Json): IncidentsState {
    // What is stored was made by `pack`.
    return unpackState(this.#rules, packed as PackedIncidentsState)
  }

  keyOf(item: IncidentItem): string {
    return incidentKey(item)
  }

  goingOn(state: IncidentsState): readonly IncidentItem[] {
    return goingOnIn(this.#rules, state)
  }

  /**
   * The incidents of a state if nothing more came of the dongle until an instant: those that its silence has ended, those that
   * still go on, and the silence itself. Later samples may change them.
   */
  silentUntil(state: IncidentsState, nowMs: number): readonly IncidentItem[] {
    return eachGoingOn(this.#rules, state).flatMap(heard => {
      const { rule, of, situation } = heard
      const detector = detectorOf(rule)
      if (detector.silent) return silenceOf(this.#rules, heard, nowMs)
      const isOver = nowMs - situation.lastMs > detector.longestGapMs
      return itemsOf(rule, isOver ? detector.end(of, situation) : detector.goingOn(of), situation)
    })
  }
}

/** The part of a dongle with these rules. */
export function incidentsPart(rules: RulesOfDevice): IncidentsPart {
  return new IncidentsPart(rules)
}
