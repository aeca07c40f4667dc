import type { FoldPart, Json } from '../../fold-part.ts'
import { type IncidentItem, incidentKey } from './finding.ts'
import { eachGoingOn, type IncidentsState, itemsOf, silenceOf } from './going-on.ts'
import { IncidentsRun } from './incidents-run.ts'
import { type PackedIncidentsState, packState, unpackState } from './packed-state.ts'
import type { RulesOfDevice } from './rule-book.ts'
import { detectorOf, rulesAt } from './rules-in-force.ts'

interface IncidentsPart extends FoldPart<IncidentsState, IncidentItem> {
  run(state: IncidentsState): IncidentsRun
  /**
   * The incidents of a state if nothing more came of the dongle until an instant: those that its silence has ended, those that
   * still go on, and the silence itself. Later samples may change them.
   */
  silentUntil(state: IncidentsState, nowMs: number): readonly IncidentItem[]
  /** @param packed by `pack` */
  unpack(packed: Json): IncidentsState
}

const UNCHANGED = { state: null, done: [] }

/** Derives incidents from the samples of a dongle in the order of time, under the rules that held. */
export function incidentsPart(rules: RulesOfDevice): IncidentsPart {
  const run = (state: IncidentsState) => new IncidentsRun(rules, state)
  return {
    begin: () => null,
    step(state, sample) {
      if (!state && !rulesAt(rules, sample.timeMs)) return UNCHANGED
      const stepping = run(state)
      const done = stepping.step(sample)
      return { state: stepping.state(), done }
    },
    run,
    pack: packState,
    // What is stored was made by `pack`.
    unpack: packed => unpackState(packed as PackedIncidentsState),
    keyOf: incidentKey,
    isByRules: true,
    goingOn: state =>
      eachGoingOn(rules, state).flatMap(({ rule, of, situation }) =>
        itemsOf(rule, detectorOf(rule).goingOn(of), situation),
      ),
    silentUntil: (state, nowMs) =>
      eachGoingOn(rules, state).flatMap(heard => {
        const { rule, of, situation } = heard
        const detector = detectorOf(rule)
        if (detector.silent) return silenceOf(rules, heard, nowMs)
        const isOver = nowMs - situation.lastMs > detector.longestGapMs
        return itemsOf(rule, isOver ? detector.end(of, situation) : detector.goingOn(of), situation)
      }),
  }
}
