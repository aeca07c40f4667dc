import type { EventTypeName } from '../../../src/catalogue/event-types.ts'
import type { EventValue } from '../../../src/model/sample.ts'
import { diceOf } from '../chance.ts'
import type { Reading } from '../readings.ts'
import type { Recording, TrueTrip } from '../recording.ts'

/** Something that happens to a dongle: other readings, and another truth where it changes what could be witnessed. */
export type Disturbance = (recording: Recording, seed: number) => Recording

/**
 * One after the other; each draws its own chances from the seed. Those of clocks come last, because all others go by
 * the timestamps of the readings.
 */
export function disturb(recording: Recording, disturbances: readonly Disturbance[], seed: number): Recording {
  return disturbances.reduce((before, disturbance, i) => disturbance(before, seed * 31 + i), recording)
}

/** What a satellite receiver measures. */
export const SATELLITE_TYPES = [
  'POSITION',
  'GPS_SPEED',
  'GPS_COURSE',
  'GPS_ALTITUDE',
  'GPS_SATELLITES_IN_USE',
  'GPS_HDOP',
]

/** The reading without what it has of these event types. */
export function without(reading: Reading, types: readonly string[]): Reading {
  const events = new Map(reading.events)
  for (const type of events.keys()) if (types.includes(type)) events.delete(type)
  return { ...reading, events }
}

/** Other values of event types that the reading has. */
export function replaced(reading: Reading, values: Readonly<Record<string, EventValue>>): Reading {
  const events = new Map(reading.events)
  for (const [type, value] of Object.entries(values) as [EventTypeName, EventValue][])
    if (events.has(type)) events.set(type, value)
  return { ...reading, events }
}

/** Changes the readings that a predicate selects, one by one; readings without values are dropped. */
export function change(
  recording: Recording,
  isMeant: (reading: Reading) => boolean,
  changed: (reading: Reading) => Reading,
): Recording {
  const readings = recording.readings.map(reading => (isMeant(reading) ? changed(reading) : reading))
  return { ...recording, readings: readings.filter(({ events }) => events.size > 0) }
}

/** How many drives something happens to, and how long it lasts. */
export interface Occurrence {
  /** Of the drives that are long enough. */
  readonly share: number
  readonly leastMs: number
  readonly mostMs: number
}

export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

export interface Stretch extends Span {
  readonly trip: TrueTrip
}

/** The first and the last of a drive are left alone: what happens there has disturbances of its own. */
const MARGIN_MS = 45_000

/** A stretch in the middle of each drive that is hit. */
export function stretchesOfDrives(
  { truth }: Recording,
  { share, leastMs, mostMs }: Occurrence,
  seed: number,
): Stretch[] {
  return truth.trips.flatMap((trip, i) => {
    const dice = diceOf(seed, i, 31)
    const roomMs = trip.endMs - trip.startMs - 2 * MARGIN_MS
    if (!dice.happens(share) || roomMs < leastMs) return []
    const lastsMs = dice.between(leastMs, Math.min(mostMs, roomMs))
    const fromMs = Math.round(trip.startMs + MARGIN_MS + dice.between(0, roomMs - lastsMs))
    return [{ trip, fromMs, toMs: Math.round(fromMs + lastsMs) }]
  })
}

/** Whether an instant lies in one of them; both ends belong to it. */
export function isWithin(spans: readonly Span[], timeMs: number): boolean {
  return spans.some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs <= toMs)
}

/** Changes the readings with a position that fall into a stretch of time, each by the first stretch that it is in. */
export function changePositionsWithin<Kind extends Span>(
  recording: Recording,
  stretches: readonly Kind[],
  changed: (reading: Reading, stretch: Kind) => Reading,
): Recording {
  const stretchAt = (timeMs: number) => stretches.find(stretch => isWithin([stretch], timeMs))
  return change(
    recording,
    ({ events }) => events.has('POSITION'),
    reading => {
      const stretch = stretchAt(reading.timeMs)
      return stretch ? changed(reading, stretch) : reading
    },
  )
}
