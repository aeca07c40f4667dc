import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longIncidentHistory } from '../../../../test/any-incident-history.ts'
import { deep } from '../../../../test/deep.ts'
import { ruleOf, rulesOf } from '../../../../test/found-incidents.ts'
import type { Sample } from '../../../model/sample.ts'
import { incidentsPart } from './incidents-part.ts'
import { Settling } from './settling.ts'
import type { Situation } from './situation.ts'

const rules = rulesOf([ruleOf('CRASH')])

/** What is known after each sample. */
function situationsOf(samples: readonly Sample[]): Situation[] {
  const part = incidentsPart(rules)
  let state = part.begin()
  return samples.flatMap(sample => {
    state = part.step(state, sample).state
    return state ? [state.situation] : []
  })
}

const ofPlace = ({ lastMs, isUnplugged, place, odometerKm, kmh, courseDeg }: Situation) => ({
  lastMs,
  isUnplugged,
  place,
  hasOdometer: odometerKm !== null,
  kmh,
  courseDeg,
})
const ofMotion = (known: Situation) => ({
  ...ofPlace(known),
  isMoving: known.isMoving,
  stay: [known.stayLon, known.stayLat, known.staySinceMs],
  odometer: [known.odometerKm, known.odometerMs, known.odometerSinceMs],
})

describe('a fold that begins in the midst of a history', () => {
  it('knows what one from its beginning knows, where it says so', () => {
    let [placed, moved] = [0, 0]
    fc.assert(
      fc.property(longIncidentHistory(), fc.integer({ min: 0, max: 99 }), (samples, percent) => {
        const cut = Math.floor((percent / 100) * samples.length)
        const whole = situationsOf(samples).slice(cut)
        const late = situationsOf(samples.slice(cut))
        const seenBefore = new Set(samples.slice(0, cut).flatMap(({ types }) => types))
        const settling = new Settling(type => !seenBefore.has(type))
        const wrong: object[] = []
        for (const [index, sample] of samples.slice(cut).entries()) {
          const now = late[index]
          const known = whole[index]
          if (!now || !known) throw new Error('a sample without a situation')
          settling.see(late[index - 1] ?? null, sample, now)
          const [isPlaced, isMotionKnown] = [settling.knows('place'), settling.knows('motion')]
          const isSame =
            (!isPlaced || isDeepStrictEqual(ofPlace(now), ofPlace(known))) &&
            (!isMotionKnown || isDeepStrictEqual(ofMotion(now), ofMotion(known)))
          if (!isSame) wrong.push({ index, isPlaced, isMotionKnown, now, known })
          if (cut > 0) placed += Number(isPlaced)
          if (cut > 0) moved += Number(isMotionKnown)
        }
        expect(wrong).toEqual([])
      }),
      { numRuns: deep(100) },
    )
    expect(placed).toBeGreaterThan(deep(333))
    expect(moved).toBeGreaterThan(deep(333))
  })
})
