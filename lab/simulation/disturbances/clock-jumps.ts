import { diceOf } from '../chance.ts'
import type { Reading } from '../dongle.ts'
import { type Disturbance, isWithin, type Occurrence, stretchesOfDrives } from './disturbance.ts'

interface ClockJumps extends Occurrence {
  /** How far the clock goes back while it is wrong. */
  readonly leastBackMs: number
  readonly mostBackMs: number
}

/** For a stretch of a drive the clock of the dongle is behind; then it is right again. */
export function clockJumps(jumps: ClockJumps): Disturbance {
  return (recording, seed) => {
    const stretches = stretchesOfDrives(recording, jumps, seed)
    const dice = diceOf(seed, 61)
    const wrong = stretches.map(stretch => ({
      stretch,
      backMs: Math.round(dice.between(jumps.leastBackMs, jumps.mostBackMs)),
    }))
    const backAt = (timeMs: number) => wrong.find(({ stretch }) => isWithin([stretch], timeMs))?.backMs ?? 0
    return { ...recording, readings: stampedAnew(recording.readings, backAt) }
  }
}

/** About 46 years: today becomes some day soon after 6 January 1980, with which satellite time begins. */
const SINCE_SATELLITE_TIME_MS = 2400 * 7 * 86_400_000

/** For a stretch of a drive the clock of the dongle is where it begins when it was never set, or decades ahead. */
export function clocksAstray(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const dice = diceOf(seed, 63)
    const wrong = stretchesOfDrives(recording, occurrence, seed).map(stretch => ({
      stretch,
      backMs: dice.oneOf([SINCE_SATELLITE_TIME_MS, -ROUND_MS]),
    }))
    const backAt = (timeMs: number) => wrong.find(({ stretch }) => isWithin([stretch], timeMs))?.backMs ?? 0
    return { ...recording, readings: stampedAnew(recording.readings, backAt) }
  }
}

/** Satellite time counts 1024 weeks and begins again; a receiver without a fix may be in the wrong round. */
const ROUND_MS = 1024 * 7 * 86_400_000

/** Until its first fix, up to `mostMs` after the start of a drive, the clock of the dongle is 1024 weeks behind. */
export function clockBeforeFix({ share, mostMs }: { readonly share: number; readonly mostMs: number }): Disturbance {
  return (recording, seed) => {
    const wrong = recording.truth.trips.flatMap(({ startMs }, i) => {
      const dice = diceOf(seed, i, 62)
      return dice.happens(share) ? [{ fromMs: startMs, toMs: startMs + dice.between(0, mostMs) }] : []
    })
    return {
      ...recording,
      readings: stampedAnew(recording.readings, timeMs => (isWithin(wrong, timeMs) ? ROUND_MS : 0)),
    }
  }
}

function stampedAnew(readings: readonly Reading[], backMs: (timeMs: number) => number): Reading[] {
  const taken = new Set(readings.filter(({ timeMs }) => backMs(timeMs) === 0).map(({ timeMs }) => timeMs))
  const stamped = readings.map(reading => {
    const back = backMs(reading.timeMs)
    if (back === 0) return reading
    let timeMs = reading.timeMs - back
    // The timestamp identifies the reading, so it must be unique.
    while (taken.has(timeMs)) timeMs++
    taken.add(timeMs)
    return { ...reading, timeMs }
  })
  return stamped.sort((a, b) => a.timeMs - b.timeMs)
}
