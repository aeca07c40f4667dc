import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANY_AREAS, incidentHistory, parametersOf } from '../../../../test/any-incident-history.ts'
import { deep } from '../../../../test/deep.ts'
import { ALWAYS, ruleOf } from '../../../../test/found-incidents.ts'
import { NOON_MS } from '../../../../test/trip-samples.ts'
import { RULE_KINDS } from '../../../catalogue/rule-kinds/index.ts'
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
          state = part.unpack(JSON.parse(JSON.stringify(packState(stepped.state))))
          expect(run.step(sample)).toEqual(stepped.done)
          expect(run.state()).toEqual(state)
          expect(run.isGoingOn).toBe((state?.rules.length ?? 0) > 0)
        }
      }),
      { numRuns: deep(30) },
    )
  })

  it('leaves a state that it gave as it was', () => {
    const part = incidentsPart(rules)
    fc.assert(
      fc.property(incidentHistory(), fc.nat(50), (samples, at) => {
        const run = part.run(part.begin())
        for (const sample of samples.slice(0, at)) run.step(sample)
        const state = run.state()
        const text = JSON.stringify(state)
        for (const sample of samples.slice(at)) run.step(sample)
        expect(JSON.stringify(state)).toBe(text)
      }),
      { numRuns: deep(30) },
    )
  })
})
