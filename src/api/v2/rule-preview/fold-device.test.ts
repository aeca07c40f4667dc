import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANY_AREAS, longIncidentHistory, parametersOf } from '../../../../test/any-incident-history.ts'
import { deep } from '../../../../test/deep.ts'
import { incidentsIn, ruleOf, rulesOf } from '../../../../test/found-incidents.ts'
import { makeSampleStore, type SampleStore, storeSealed } from '../../../../test/sample-store.ts'
import { RULE_KINDS } from '../../../catalogue/rule-kinds/index.ts'
import type { IncidentItem } from '../../../derive/incidents/derive/finding.ts'
import type { RuleVersion } from '../../../derive/incidents/derive/rule-book.ts'
import type { DeviceId, Sample } from '../../../model/sample.ts'
import { historySourceOf } from '../../../store/history-source.ts'
import { DAY_MS } from '../../../store/sealed/days.ts'
import { DeviceFolds } from './fold-device.ts'

let store: SampleStore
let nextDevice = 356307042441013
beforeAll(async () => {
  store = await makeSampleStore()
})
afterAll(() => store[Symbol.asyncDispose]())

const byStart = (a: IncidentItem, b: IncidentItem) =>
  a.startMs - b.startMs || `${a.areaId} ${a.detail}`.localeCompare(`${b.areaId} ${b.detail}`)

describe('a rule tried on what is stored', () => {
  it.each([
    ['nothing', 'in rows'],
    ['some days', 'sealed'],
  ])('finds what the fold of all samples finds, with %s %s', async sealed => {
    await fc.assert(
      fc.asyncProperty(longIncidentHistory(), async history => {
        const deviceId = (nextDevice += 8) as DeviceId
        const samples = history.map((sample): Sample => ({ ...sample, deviceId }))
        await storeSealed(store, samples, {
          sealed: days => (sealed === 'some days' ? days.filter(dayMs => dayMs % (3 * DAY_MS) !== 0) : []),
        })
        const stay = { fromMs: samples[0]?.timeMs ?? 0, toMs: (samples.at(-1)?.timeMs ?? 0) + 1, vehicleId: 1 }
        for (const kind of RULE_KINDS) {
          const rule: RuleVersion = ruleOf(kind.name, parametersOf(kind))
          const book = { rule, rules: [rule], areas: ANY_AREAS }
          const folds = new DeviceFolds(historySourceOf(store.database.readsOf(store.accountId)), book)
          const items: IncidentItem[] = []
          let count = 0
          for await (const folded of folds.fold({ deviceId, stays: [stay] })) {
            items.push(...folded.items)
            count += folded.count
          }
          expect([kind.name, items.sort(byStart)]).toEqual([
            kind.name,
            incidentsIn(rulesOf([rule], ANY_AREAS), samples).sort(byStart),
          ])
          expect(count).toBe(samples.length)
        }
      }),
      { numRuns: deep(3) },
    )
  })
})
