import { diceOf } from '../dice.ts'
import type { Recording } from '../recording.ts'
import { change, type Disturbance, isWithin, SATELLITE_TYPES, type Span, without } from './disturbance.ts'

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

/** A garage below the ground: no position for up to `mostMs` before the end of a drive, while parked, and after the start of the next. */
export function undergroundGarages(wishes: HiddenEnds): Disturbance {
  return (recording, seed) => withoutFixes(recording, garageStays(recording, wishes, seed))
}

/** When the car is in such a garage; after the last drive it stays there for good. */
export function garageStays({ truth: { trips } }: Recording, { share, mostMs }: HiddenEnds, seed: number): Span[] {
  return trips.flatMap(({ endMs }, i) => {
    const dice = diceOf(seed, i, 42)
    if (!dice.happens(share)) return []
    const outMs = trips[i + 1]?.startMs ?? Number.POSITIVE_INFINITY
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
