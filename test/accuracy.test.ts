import { describe, expect, it } from 'vitest'
import { measureCell } from '../src/cli/accuracy/cell.ts'
import { brokenLimits, limitsOf } from '../src/cli/accuracy/limits.ts'
import { CADENCES_S, KINDS_OF_DONGLES } from '../src/simulation/kinds-of-dongles.ts'

/** Fewer drives than `npm run accuracy` has, of the same dongles. */
const DEVICES = 5
const DISTURBED_DEVICES = 3
const SEED = 1

/** What the fold holds by now; with the new rules of decisions.md, *Trips*, it is KINDS_OF_DONGLES and CADENCES_S. */
const KINDS_HELD = KINDS_OF_DONGLES.filter(({ name }) => name === 'everything' || name === 'engine')
const CADENCES_HELD = CADENCES_S.filter(cadenceS => cadenceS <= 120)
const KINDS_HELD_DISTURBED: readonly (typeof KINDS_OF_DONGLES)[number][] = []

describe.each(KINDS_HELD)('drives of a dongle that tells: $about', kind => {
  it.each(CADENCES_HELD)('are found with their lengths and lines when it reports every %i s', cadenceS => {
    const score = measureCell({ kind, cadenceS, isDisturbed: false, devices: DEVICES, seed: SEED })
    expect(score.drives).toBeGreaterThan(0.6 * DEVICES * 10)
    const breaks = brokenLimits(score, limitsOf(kind, cadenceS, false))
    expect({ breaks, figures: figures(score) }).toMatchObject({ breaks: [] })
  })
})

describe.each(KINDS_HELD_DISTURBED)('drives of a dongle that tells: $about', kind => {
  it('are found through everything that can go wrong, whenever it reports', () => {
    const limits = limitsOf(kind, CADENCES_S[0], true)
    const scores = CADENCES_S.map(cadenceS =>
      measureCell({ kind, cadenceS, isDisturbed: true, devices: DISTURBED_DEVICES, seed: SEED }),
    )
    // Of so few drives, one more or less is a percent: all intervals together must hold it.
    const f1 = scores.reduce((sum, score) => sum + score.f1, 0) / scores.length
    const farthestM = Math.max(...scores.map(score => score.farthestM ?? 0))
    const isHeld = f1 >= limits.leastF1 && farthestM <= limits.farthestM
    expect({ isHeld, figures: scores.map(figures) }).toMatchObject({ isHeld: true })
  })
})

function figures({ drives, found, f1, kilometreError, farthestM }: ReturnType<typeof measureCell>): string {
  const off = `${(kilometreError * 100).toFixed(2)} %`
  return `${drives} drives, ${found} trips, F1 ${f1.toFixed(3)}, kilometres off by ${off}, farthest ${farthestM ?? '-'} m`
}
