import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AreaFix, type PresenceState, stepPresence, USUAL_PRESENCE, type Visit, visitOf } from './presence.ts'

const SETTINGS = { hysteresisM: 30, shortestStayMs: 120_000 }

/** One fix a minute, each so far outside. */
function fixes(...signedDistancesM: number[]): AreaFix[] {
  return signedDistancesM.map((signedDistanceM, minute) => ({ timeMs: minute * 60_000, signedDistanceM }))
}

function follow(all: readonly AreaFix[], settings = SETTINGS): { visits: Visit[]; state: PresenceState | null } {
  let state: PresenceState | null = null
  const visits: Visit[] = []
  for (const fix of all) {
    const after = stepPresence(state, fix, settings)
    const visit = after ? null : visitOf(state, settings)
    state = after
    if (visit) visits.push(visit)
  }
  return { visits, state }
}

it('a visit lasts from the first fix inside to the last', () => {
  expect(follow(fixes(500, -50, -80, -50, 500)).visits).toEqual([{ enteredMs: 60_000, leftMs: 180_000 }])
})

it('noise at the border neither ends a visit nor begins one', () => {
  expect(follow(fixes(500, -50, 12, -5, 25, -3, 500)).visits).toEqual([{ enteredMs: 60_000, leftMs: 300_000 }])
  expect(follow(fixes(500, 12, 25, 3, 500)).visits).toEqual([])
})

it('who only passes was not there, unless every fix counts', () => {
  expect(follow(fixes(500, -50, -50, 500)).visits).toEqual([])
  expect(follow(fixes(500, -50, 500), { ...SETTINGS, shortestStayMs: 0 }).visits).toHaveLength(1)
})

it('while a car is in, it is known since when, as soon as it is long enough', () => {
  expect(visitOf(follow(fixes(500, -50, -50)).state, SETTINGS)).toBeNull()
  const { state } = follow(fixes(500, -50, -50, -50, 10))
  expect(visitOf(state, SETTINGS)).toEqual({ enteredMs: 60_000, leftMs: 180_000 })
})

it('visits do not overlap, are long enough, and survive that the state is stored between any two fixes', () => {
  const anyFix = fc.record({
    gapMs: fc.integer({ min: 1, max: 300_000 }),
    signedDistanceM: fc.oneof(fc.double({ min: -100, max: 100, noNaN: true }), fc.constant(Infinity)),
  })
  fc.assert(
    fc.property(fc.array(anyFix, { maxLength: 40 }), steps => {
      let timeMs = 0
      const all = steps.map(({ gapMs, signedDistanceM }) => {
        timeMs += gapMs
        return { timeMs, signedDistanceM }
      })
      const { visits } = follow(all, USUAL_PRESENCE)
      let before = Number.NEGATIVE_INFINITY
      for (const { enteredMs, leftMs } of visits) {
        expect(enteredMs).toBeGreaterThan(before)
        expect(leftMs - enteredMs).toBeGreaterThanOrEqual(USUAL_PRESENCE.shortestStayMs)
        before = leftMs
      }
      let stored = 'null'
      const again: Visit[] = []
      for (const fix of all) {
        const known = JSON.parse(stored) as PresenceState | null
        const after = stepPresence(known, fix, USUAL_PRESENCE)
        const visit = after ? null : visitOf(known, USUAL_PRESENCE)
        stored = JSON.stringify(after)
        if (visit) again.push(visit)
      }
      expect(again).toEqual(visits)
    }),
  )
})
