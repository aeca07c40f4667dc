import type { EventTypeName } from '../../../src/catalogue/event-types.ts'
import type { EventValue, Position } from '../../../src/model/sample.ts'
import { diceOf } from '../chance.ts'
import type { Reading } from '../readings.ts'
import type { Recording, TrueTrip } from '../recording.ts'

/** Something that happens to a dongle: other readings, and another truth where it changes what could be witnessed. */
export type Disturbance = (recording: Recording, seed: number) => Recording

/** Each draws its own chances from the seed. Clocks come last, because all others go by the timestamps. */
export function disturb(recording: Recording, disturbances: readonly Disturbance[], seed: number): Recording {
  return disturbances.reduce((before, disturbance, i) => disturbance(before, seed * 31 + i), recording)
}

export const SATELLITE_TYPES = [
  'POSITION',
  'GPS_SPEED',
  'GPS_COURSE',
  'GPS_ALTITUDE',
  'GPS_SATELLITES_IN_USE',
  'GPS_HDOP',
]

export function without(reading: Reading, types: readonly string[]): Reading {
  const events = new Map(reading.events)
  for (const type of events.keys()) if (types.includes(type)) events.delete(type)
  return { ...reading, events }
}

export type Values = Readonly<Record<string, EventValue>>

export function replaced(reading: Reading, values: Values): Reading {
  const events = new Map(reading.events)
  for (const [type, value] of Object.entries(values) as [EventTypeName, EventValue][])
    if (events.has(type)) events.set(type, value)
  return { ...reading, events }
}

export function change(
  recording: Recording,
  isMeant: (reading: Reading) => boolean,
  changed: (reading: Reading) => Reading,
): Recording {
  const readings = recording.readings.map(reading => (isMeant(reading) ? changed(reading) : reading))
  return { ...recording, readings: readings.filter(({ events }) => events.size > 0) }
}

export interface Occurrence {
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

/** The first while of each drive that is hit. @param salt keeps the chances of different disturbances apart */
export function beginsOfDrives({ truth }: Recording, occurrence: Occurrence, seed: number, salt: number): Stretch[] {
  return truth.trips.flatMap((trip, i) => {
    const dice = diceOf(seed, i, salt)
    if (!dice.happens(occurrence.share)) return []
    const fromMs = trip.drive.startMs
    return [{ trip, fromMs, toMs: fromMs + dice.between(occurrence.leastMs, occurrence.mostMs) }]
  })
}

export function isWithin(spans: readonly Span[], timeMs: number): boolean {
  return spans.some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs <= toMs)
}

/** Changes the positions that a predicate selects. @param changed the new values; undefined: the reading stays as it is */
export function changePositions(
  recording: Recording,
  isMeant: (reading: Reading) => boolean,
  changed: (position: Position, reading: Reading) => Values | undefined,
): Recording {
  return change(
    recording,
    reading => positionOf(reading) !== undefined && isMeant(reading),
    reading => {
      const position = positionOf(reading)
      const values = position && changed(position, reading)
      return values ? replaced(reading, values) : reading
    },
  )
}

export function changePositionsWithin<Kind extends Span>(
  recording: Recording,
  stretches: readonly Kind[],
  changed: (position: Position, stretch: Kind) => Values | undefined,
): Recording {
  const stretchAt = ({ timeMs }: Reading) => stretches.find(stretch => isWithin([stretch], timeMs))
  return changePositions(
    recording,
    () => true,
    (position, reading) => {
      const stretch = stretchAt(reading)
      return stretch && changed(position, stretch)
    },
  )
}

export function positionOf({ events }: Reading): Position | undefined {
  const position = events.get('POSITION')
  return typeof position === 'object' ? position : undefined
}
