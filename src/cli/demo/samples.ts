import { chance } from '../../simulation/chance.ts'
import { readingsBetween } from '../../simulation/readings.ts'
import type { Source } from '../../simulation/reports.ts'
import type { IngestSample } from '../ingest-client.ts'
import { DAY_MS, dayOf, planDay } from './day.ts'
import type { DemoCar } from './fleet.ts'

/**
 * What the car's dongle reports after `fromMs` up to and including `toMs`, in the order of time. A function of the clock and
 * nothing else: asked again for the same time it answers the same, so a repeat stores nothing new.
 */
export function* samplesBetween(demoCar: DemoCar, fromMs: number, toMs: number): Generator<IngestSample> {
  const source = sourceOf(demoCar)
  for (let day = dayOf(fromMs); day <= dayOf(toMs); day++) {
    const [afterMs, untilMs] = [Math.max(fromMs, day * DAY_MS - 1), Math.min(toMs, (day + 1) * DAY_MS - 1)]
    for (const { timeMs, events } of readingsBetween(planDay(demoCar, day), source, afterMs, untilMs))
      yield { deviceId: source.dongle.deviceId, timeMs, events: [...events] }
  }
}

function sourceOf({ car, dongle, faults }: DemoCar): Source {
  return {
    car,
    dongle,
    codesAt: timeMs => ({
      permanent: faults ? [faults.permanent] : [],
      // It comes and goes from day to day.
      sporadic: faults && chance(dayOf(timeMs), 7) < 0.6 ? [faults.sporadic] : [],
    }),
  }
}
