import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANY_AREAS, incidentHistory, parametersOf } from '../../../../test/any-incident-history.ts'
import { deep } from '../../../../test/deep.ts'
import { ALWAYS, ruleOf } from '../../../../test/found-incidents.ts'
import { NOON_MS } from '../../../../test/trip-samples.ts'
import { RULE_KINDS } from '../../../catalogue/rule-kinds/index.ts'
import type { Sample } from '../../../model/sample.ts'
import { type FoldItem, type FoldPart, foldParts, type Json, type PartStates, statesOfText } from '../../fold-part.ts'
import { incidentsPart } from './incidents-part.ts'
import { packState } from './packed-state.ts'
import type { RulesOfDevice } from './rule-book.ts'

/** A rule of each kind, some of which have a second version from noon on, and others end. */
const RULES = RULE_KINDS.flatMap((kind, index) => {
  const first = { ruleId: index + 1, toMs: index % 3 === 0 ? Number.POSITIVE_INFINITY : NOON_MS }
  const rule = ruleOf(kind.name, parametersOf(kind), first)
  return index % 3 === 1 ? [rule, { ...rule, version: 2, fromMs: NOON_MS, toMs: Number.POSITIVE_INFINITY }] : [rule]
})

const book = { rules: RULES, areas: ANY_AREAS }
const IN_ONE_CAR: RulesOfDevice = { assignments: [{ ...ALWAYS, vehicleId: 1, book }] }
/** Without rules for an hour between the cars. */
const IN_TWO_CARS: RulesOfDevice = {
  assignments: [
    { fromMs: Number.NEGATIVE_INFINITY, toMs: NOON_MS, vehicleId: 1, book },
    { fromMs: NOON_MS + 3_600_000, toMs: Number.POSITIVE_INFINITY, vehicleId: 2, book },
  ],
}

describe.each([
  ['one car', IN_ONE_CAR],
  ['two cars', IN_TWO_CARS],
])('a run of samples in %s', (_, rules) => {
  it('finds and knows after each of them what single steps do', () => {
    const part = incidentsPart(rules)
    fc.assert(
      fc.property(incidentHistory(), samples => {
        const run = part.run(part.begin())
        let state = part.begin()
        for (const sample of samples) {
          const stepped = part.step(state, sample)
          // As it comes back from the database.
          state = part.unpack(JSON.parse(JSON.stringify(packState(rules, stepped.state))))
          expect(run.step(sample)).toEqual(stepped.done)
          expect(run.state()).toEqual(state)
          expect(run.goingOn()).toEqual(part.goingOn(state))
          expect(run.isGoingOn).toBe((state?.rules.length ?? 0) > 0)
        }
      }),
      { numRuns: deep(30) },
    )
  })

  it('leaves the state that it began with, and what was stored on the way, as they were', () => {
    const part = incidentsPart(rules)
    const parts = new Map([['incidents', part as FoldPart<Json, FoldItem>]])
    const foldTo = (samples: readonly Sample[], before: PartStates | undefined, atMs: readonly number[]) =>
      foldParts(samples, { parts, before, movedMs: new Set(), atMs }).states.map(statesOfText)
    fc.assert(
      fc.property(incidentHistory(), fc.nat(50), fc.nat(50), (samples, first, second) => {
        const [before] = foldTo(samples.slice(0, first), undefined, [Number.POSITIVE_INFINITY])
        const text = JSON.stringify(before)
        const later = samples.slice(first)
        const [onTheWay] = foldTo(later, before, [later[second]?.timeMs ?? Number.POSITIVE_INFINITY])
        expect(JSON.stringify(before)).toBe(text)
        expect(onTheWay).toEqual(foldTo(later.slice(0, second), before, [Number.POSITIVE_INFINITY])[0])
      }),
      { numRuns: deep(30) },
    )
  })
})
