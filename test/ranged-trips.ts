import { derive } from '../src/derive/trips/derive.ts'
import { readingOf } from '../src/derive/trips/reading.ts'
import { lengthAccountOf } from '../src/derive/trips/retrace.ts'
import { nothingKnown } from '../src/derive/trips/state.ts'
import { endedTripOf } from '../src/derive/trips/trip.ts'
import type { Sample } from '../src/model/sample.ts'

/** Trips that are over, each with the range of its length and the measures of it. */
export function rangedTripsOf(samples: readonly Sample[]) {
  const progress = nothingKnown()
  return samples.flatMap(sample =>
    derive(progress, readingOf(sample)).ended.map(ended => {
      const { opened, closed, measured } = ended
      const ends = { opened: opened.rule, closed: closed.rule, cadenceMs: progress.cadenceMs }
      return { ...endedTripOf(ended), ...lengthAccountOf(measured, ends) }
    }),
  )
}
