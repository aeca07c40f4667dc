import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANY_AREAS, incidentHistory, parametersOf } from '../../../../test/any-incident-history.ts'
import { incidentsIn, ruleOf, rulesOf } from '../../../../test/found-incidents.ts'
import { RULE_KINDS } from '../../../catalogue/rule-kinds/index.ts'
import type { Sample } from '../../../model/sample.ts'
import type { Json } from '../../fold-part.ts'
import type { RulesOfDevice } from '../../rules/rule-book.ts'
import type { IncidentItem } from '../detector.ts'
import { type IncidentsState, incidentsPart } from '../incidents-fold.ts'

/** Afternoons are not permitted. */
const MORNINGS = {
  timeZone: 'UTC',
  days: Array.from({ length: 7 }, () => [{ fromMinute: 0, toMinute: 12 * 60 }]),
}

const anyRuleOf = (kind: (typeof RULE_KINDS)[number], ruleId = 1) =>
  ruleOf(kind.name, parametersOf(kind), { ruleId, hours: kind.hours === 'permitted' ? MORNINGS : null })

const keyOf = ({ ruleId, startMs, areaId, detail }: IncidentItem) => `${ruleId} ${startMs} ${areaId} ${detail}`

/** Folds in pieces, each from the state that the one before left in the database: what is done stays, what goes on is found anew. */
function inPieces(rules: RulesOfDevice, pieces: readonly (readonly Sample[])[]) {
  let text = 'null'
  const done: IncidentItem[] = []
  let goingOn: readonly IncidentItem[] = []
  for (const samples of pieces) {
    const part = incidentsPart(rules)
    let state = JSON.parse(text) as IncidentsState | null
    for (const sample of samples) {
      const stepped = part.step(state, sample)
      state = stepped.state
      done.push(...stepped.done)
    }
    goingOn = part.goingOn(state)
    text = JSON.stringify(state)
  }
  return { items: [...done, ...goingOn], text }
}

const histories = fc.sample(incidentHistory(), { numRuns: 120, seed: 1 })

const byKey = (items: readonly IncidentItem[]) => [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

const withCuts = (history: fc.Arbitrary<readonly Sample[]>) =>
  history.chain(samples =>
    fc.tuple(fc.constant(samples), fc.uniqueArray(fc.nat(samples.length), { maxLength: 4 })).map(([all, cuts]) => {
      const at = [0, ...cuts.sort((a, b) => a - b), all.length]
      return { samples: all, pieces: at.slice(1).map((to, index) => all.slice(at[index], to)) }
    }),
  )

describe.each(RULE_KINDS.map(kind => [kind.name, kind] as const))('%s', (_, kind) => {
  const rules = rulesOf([anyRuleOf(kind)], ANY_AREAS)

  it('finds the same at once and in pieces, and leaves the same state', () => {
    fc.assert(
      fc.property(withCuts(incidentHistory()), ({ samples, pieces }) => {
        const atOnce = inPieces(rules, [samples])
        const { items, text } = inPieces(rules, pieces)
        expect(text).toBe(atOnce.text)
        expect(byKey(items)).toEqual(byKey(atOnce.items))
      }),
      { numRuns: 20 },
    )
  })

  it('finds nothing that ends before it begins, nothing twice, and plain JSON', () => {
    fc.assert(
      fc.property(incidentHistory(), samples => {
        const items = incidentsIn(rules, samples)
        expect(new Set(items.map(keyOf)).size).toBe(items.length)
        for (const { startMs, endMs, peakMs } of items) {
          expect(endMs ?? Infinity).toBeGreaterThanOrEqual(startMs)
          expect(peakMs ?? Infinity).toBeGreaterThanOrEqual(startMs)
          expect(peakMs ?? -Infinity).toBeLessThanOrEqual(endMs ?? Infinity)
        }
        expect(JSON.parse(JSON.stringify(items)) as Json).toEqual(items)
      }),
      { numRuns: 20 },
    )
  })

  it('is found at all in such histories', () => {
    expect(histories.some(samples => incidentsIn(rules, samples).length > 0)).toBe(true)
  })
})

it('each says the same beside other rules that hold as long', () => {
  const all = RULE_KINDS.map((kind, index) => anyRuleOf(kind, index + 1))
  fc.assert(
    fc.property(incidentHistory(), samples => {
      const items = incidentsIn(rulesOf(all, ANY_AREAS), samples)
      for (const { ruleId } of all) {
        const kind = RULE_KINDS[ruleId - 1]!
        const alone = incidentsIn(rulesOf([anyRuleOf(kind, ruleId)], ANY_AREAS), samples)
        expect([kind.name, items.filter(item => item.ruleId === ruleId)]).toEqual([kind.name, alone])
      }
    }),
    { numRuns: 5 },
  )
})
