import { type EventTypeId, type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import { type EventValue, type Sample, sampleOf } from '../../src/model/sample.ts'
import type { Fault } from './car.ts'
import type { Dongle } from './dongle.ts'
import { type Reading, readingsBetween } from './readings.ts'
import type { Source } from './reports.ts'
import { type Stint, type Truth, trueTripOf } from './truth.ts'

/** What a dongle recorded, by the time it stamped on it, and what really happened. */
export interface Recording {
  readonly dongle: Dongle
  readonly readings: readonly Reading[]
  readonly truth: Truth
}

/** What the dongle records in one car after the other. Nothing disturbs it. */
export function record(dongle: Dongle, stints: readonly Stint[]): Recording {
  const readings = stints.flatMap((stint, i) => [
    ...pluggedIn(dongle, stint.fromMs, true),
    ...readingsBetween(stint.schedule, sourceOf(dongle, stint), stint.fromMs, stint.toMs - 1),
    ...(i < stints.length - 1 ? pluggedIn(dongle, stint.toMs, false) : []),
  ])
  const trips = stints.flatMap(({ schedule, fromMs, toMs }) =>
    schedule.drives.filter(({ startMs, endMs }) => startMs > fromMs && endMs < toMs).map(drive => trueTripOf(drive)),
  )
  return { dongle, readings, truth: { trips, stints } }
}

/** The readings as samples, in the order of their stamps. No two of them have the same. */
export function samplesOf({ dongle, readings }: Recording): Sample[] {
  const byTime = new Map(readings.map(reading => [reading.timeMs, reading]))
  return [...byTime.values()].sort((a, b) => a.timeMs - b.timeMs).map(reading => sampleOfReading(dongle, reading))
}

/** A reading in the form in which it is sent. */
export function sampleOfReading({ deviceId }: Dongle, { timeMs, events }: Reading): Sample {
  return sampleOf(deviceId, timeMs, byId(events))
}

function byId(events: ReadonlyMap<EventTypeName, EventValue>): Map<EventTypeId, EventValue> {
  const values = new Map<EventTypeId, EventValue>()
  for (const [name, value] of events) values.set(requiredEventType(name).id, value)
  return values
}

/** What a dongle with a battery reports when it is pulled out and plugged in: nothing, if it can not notice. */
export function pluggedIn({ silentAbout }: Dongle, timeMs: number, isPluggedIn: boolean): Reading[] {
  if (silentAbout.has('IS_DONGLE_PLUGGED_IN')) return []
  return [{ timeMs, takenMs: timeMs, drive: undefined, events: new Map([['IS_DONGLE_PLUGGED_IN', isPluggedIn]]) }]
}

/** The dongle in that car. */
export function sourceOf(dongle: Dongle, { schedule, faults }: Stint): Source {
  const codes = (kind: Fault['kind'], timeMs: number) =>
    faults
      .filter(
        fault => fault.kind === kind && fault.fromMs <= timeMs && timeMs < (fault.toMs ?? Number.POSITIVE_INFINITY),
      )
      .map(({ code }) => code)
  return {
    car: schedule.car,
    dongle,
    codesAt: timeMs => ({ permanent: codes('permanent', timeMs), sporadic: codes('sporadic', timeMs) }),
  }
}
