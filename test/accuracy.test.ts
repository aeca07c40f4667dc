import { afterAll, describe, expect, it } from 'vitest'
import { brokenLimits, type CellWishes, limitsOf, measureCell, undisturbedRecording } from '../lab/accuracy/cell.ts'
import { CADENCES_S, KINDS_OF_DONGLES, type KindName } from '../lab/simulation/kinds-of-dongles.ts'
import type { Recording } from '../lab/simulation/recording.ts'
import { IS_DEEP } from './deep.ts'

/** Fewer drives than `npm run accuracy` has, of the same dongles; what is recorded every second takes longest. */
const devicesAt = (cadenceS: number) => (IS_DEEP ? 3 : cadenceS === 1 ? 1 : 2)
const drivesAt = (cadenceS: number) => (IS_DEEP || cadenceS > 1 ? 10 : 5)
const SEED = 1

/**
 * What is known not to hold its limits, cell by cell; whatever holds them must not be in the list. Of so few drives, a single
 * one breaks them.
 */
const NOT_HELD: readonly `${KindName} ${(typeof CADENCES_S)[number]} s`[] = [
  'positions-odometer 60 s',
  ...(IS_DEEP ? (['positions 1 s', 'phone 1 s', 'positions-odometer 1 s'] as const) : []),
]

describe.each(KINDS_OF_DONGLES)('drives of a dongle that tells: $about', kind => {
  const kept = new Map<string, Recording>()
  afterAll(() => kept.clear())

  /** Each is measured as it is, and disturbed. */
  function recordedOnce(wishes: CellWishes, device: number): Recording {
    const key = `${wishes.cadenceS} ${device}`
    const recording = kept.get(key) ?? undisturbedRecording(wishes, device, drivesAt(wishes.cadenceS))
    kept.set(key, recording)
    return recording
  }

  it.each(CADENCES_S)('are found with their lengths and lines when it reports every %i s', cadenceS => {
    const devices = devicesAt(cadenceS)
    const score = measureCell({ kind, cadenceS, isDisturbed: false, devices, seed: SEED }, recordedOnce)
    expect(score.drives).toBeGreaterThan(0.5 * devices * drivesAt(cadenceS))
    const breaks = brokenLimits(score, limitsOf(kind, cadenceS, false))
    const isHeld = !NOT_HELD.includes(`${kind.name} ${cadenceS} s`)
    expect({ isHeld: breaks.length === 0, breaks, figures: figures(score) }).toMatchObject({ isHeld })
  })

  it('are found through everything that can go wrong, whenever it reports', () => {
    const limits = limitsOf(kind, CADENCES_S[0], true)
    const scores = CADENCES_S.map(cadenceS =>
      measureCell({ kind, cadenceS, isDisturbed: true, devices: devicesAt(cadenceS), seed: SEED }, recordedOnce),
    )
    // Of so few drives, one more or less is a percent: all intervals together must hold it.
    const f1 = scores.reduce((sum, score) => sum + score.f1, 0) / scores.length
    const farthestM = Math.max(...scores.map(score => score.farthestM ?? 0))
    const isHeld = f1 >= limits.leastF1 && farthestM <= limits.farthestM
    expect({ isHeld, f1, figures: scores.map(figures) }).toMatchObject({ isHeld: true })
  })
})

function figures({ drives, found, f1, kilometreError, farthestM }: ReturnType<typeof measureCell>): string {
  const off = `${(kilometreError * 100).toFixed(2)} %`
  return `${drives} drives, ${found} trips, F1 ${f1.toFixed(3)}, kilometres off by ${off}, farthest ${farthestM ?? '-'} m`
}
