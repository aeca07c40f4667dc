import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANY_AREAS, longIncidentHistory, parametersOf } from '../../../../test/any-incident-history.ts'
import { deep } from '../../../../test/deep.ts'
import { incidentsIn, ruleOf, rulesOf } from '../../../../test/found-incidents.ts'
import { sampleWith } from '../../../../test/sample-with.ts'
import { NOON_MS, place } from '../../../../test/trip-samples.ts'
import { isWanted } from '../../../../test/wanted-samples.ts'
import { RULE_KINDS } from '../../../catalogue/rule-kinds/index.ts'
import type { IncidentItem } from '../../../derive/incidents/derive/finding.ts'
import { incidentsPart } from '../../../derive/incidents/derive/incidents-part.ts'
import { detectorOf } from '../../../derive/incidents/derive/rules-in-force.ts'
import type { Sample } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { ListedRun, MergedRuns } from '../../../store/runs/sample-run.ts'
import { foldOccasions, type Reach } from './fold-occasions.ts'
import { wantedSamples } from './wanted-samples.ts'

/** Histories of tests last for hours. */
const SHORT: Reach = { leadsMs: [20 * 60_000, 3 * 3_600_000], followMs: 60_000, stretchSamples: 0, mostShare: 2 }

const cursorOf = (samples: readonly Sample[]) => new MergedRuns([new ListedRun(samples)])

const looked = RULE_KINDS.flatMap(kind => {
  const rule = ruleOf(kind.name, parametersOf(kind))
  const { occasion } = detectorOf(rule)
  return occasion ? [[kind.name, rule, occasion] as const] : []
})

describe('a fold that leaves out samples', () => {
  it('reads little about the only crash of a month', async () => {
    const hours = 30 * 24
    const samples = Array.from({ length: hours * 12 }, (_, step) =>
      sampleWith(356307042441013, NOON_MS + step * 300_000, {
        POSITION: place(step * 1000),
        VEHICLE_SPEED_AVERAGE: 12,
        MILEAGE: 100 + step,
        ...(step === hours * 6 ? { SEVERE_CRASH: 50 } : {}),
      }),
    )
    const rule = ruleOf('CRASH')
    let read = 0
    const folded = foldOccasions({
      part: incidentsPart(rulesOf([rule])),
      range: { fromMs: NOON_MS, toMs: NOON_MS + hours * 3_600_000 },
      needs: 'place',
      occasions: {
        samples: samples.length,
        spans: [{ fromMs: NOON_MS + hours * 1_800_000, toMs: NOON_MS + hours * 1_800_000 }],
        firstMs: () => NOON_MS,
      },
      async *read({ fromMs, toMs }: TimeRange) {
        const part = samples.filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs)
        read += part.length
        yield cursorOf(part)
      },
    })
    const items: IncidentItem[] = []
    for await (const some of folded) items.push(...some)
    expect(items).toEqual(incidentsIn(rulesOf([rule]), samples))
    expect(items).toHaveLength(1)
    expect(read).toBeLessThan(200)
  })
})

describe.each(looked)('%s', (_, rule, occasion) => {
  const rules = rulesOf([rule], ANY_AREAS)
  const wanted = wantedSamples(occasion, rule, { areas: ANY_AREAS })

  async function found(samples: readonly Sample[]) {
    const spans = samples.filter(isWanted(wanted)).map(({ timeMs }) => ({ fromMs: timeMs, toMs: timeMs }))
    const items: IncidentItem[] = []
    const folded = foldOccasions({
      part: incidentsPart(rules),
      range: { fromMs: samples[0]?.timeMs ?? 0, toMs: (samples.at(-1)?.timeMs ?? 0) + 1 },
      needs: occasion.needs,
      occasions: {
        samples: samples.length,
        spans,
        firstMs: type => samples.find(({ types }) => types.includes(type))?.timeMs ?? Number.POSITIVE_INFINITY,
      },
      readTogether: async parts =>
        samples.length % 2 === 0
          ? undefined
          : parts.map(({ fromMs, toMs }) =>
              cursorOf(samples.filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs)),
            ),
      async *read({ fromMs, toMs }: TimeRange) {
        const part = samples.filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs)
        for (let at = 0; at < part.length; at += 7) yield cursorOf(part.slice(at, at + 7))
      },
      reach: SHORT,
    })
    for await (const some of folded) items.push(...some)
    return items.sort((a, b) => a.startMs - b.startMs)
  }

  it('finds the same where samples that can not matter are left out', async () => {
    await fc.assert(
      fc.asyncProperty(longIncidentHistory(), async samples => {
        expect(await found(samples)).toEqual(incidentsIn(rules, samples))
      }),
      { numRuns: deep(16) },
    )
  })
})
