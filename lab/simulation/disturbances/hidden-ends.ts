import { diceOf } from '../chance.ts'
import type { Recording } from '../recording.ts'
import { change, type Disturbance, isWithin, SATELLITE_TYPES, type Span, without } from './disturbance.ts'
import { isAsleep } from './parked-cars.ts'

export interface HiddenEnds {
  /** Of the drives. */
  readonly share: number
  readonly mostMs: number
}

/** The receiver needs up to `mostMs` for its first fix of a drive. */
export function missingFirstFix({ share, mostMs }: HiddenEnds): Disturbance {
  return (recording, seed) => {
    const hidden = recording.truth.trips.flatMap(({ startMs }, i) => {
      const dice = diceOf(seed, i, 41)
      return dice.happens(share) ? [{ fromMs: startMs, toMs: startMs + dice.between(0, mostMs) }] : []
    })
    return withoutFixes(recording, hidden)
  }
}

/**
 * A garage below the ground: no position for up to `mostMs` before the end of a drive, while parked, and after the start
 * of the next. Not where something woke the dongle that only a fix can tell from a drive.
 */
export function undergroundGarages(wishes: HiddenEnds): Disturbance {
  return (recording, seed) => withoutFixes(recording, garageStays(recording, wishes, seed))
}

/** When the car is in such a garage; after the last drive it stays there for good. */
export function garageStays(recording: Recording, { share, mostMs }: HiddenEnds, seed: number): Span[] {
  const { dongle, truth } = recording
  const { trips } = truth
  return trips.flatMap(({ endMs, drive }, i) => {
    const dice = diceOf(seed, i, 42)
    if (!dice.happens(share)) return []
    const outMs = trips[i + 1]?.startMs ?? Number.POSITIVE_INFINITY
    const stay = { fromMs: drive.endMs + dongle.intervals.lingersMs + 1, toMs: outMs - 1 }
    if (dongle.silentAbout.has('MILEAGE') && !isAsleep(recording, stay)) return []
    return [{ fromMs: endMs - dice.between(0, mostMs), toMs: outMs + dice.between(0, mostMs) }]
  })
}

/** The receiver gets no signal in that time. */
export function withoutFixes(recording: Recording, hidden: readonly Span[]): Recording {
  return change(
    recording,
    ({ timeMs }) => isWithin(hidden, timeMs),
    reading => without(reading, SATELLITE_TYPES),
  )
}
