import type { EventTypeName } from '../../../src/catalogue/event-types.ts'
import type { EventValue } from '../../../src/model/sample.ts'
import { diceOf } from '../chance.ts'
import type { Reading } from '../readings.ts'
import { pluggedIn, type Recording, type TrueTrip, trueTripOf } from '../recording.ts'
import {
  beginsOfDrives,
  change,
  type Disturbance,
  isWithin,
  type Occurrence,
  replaced,
  SATELLITE_TYPES,
  type Span,
  type Stretch,
  stretchesOfDrives,
  without,
} from './disturbance.ts'
import { isAsleep } from './parked-cars.ts'

/** @param jumps how long the clock is wrong, and how far it goes back meanwhile; then it is right again */
export function clockJumps(
  jumps: Occurrence & { readonly leastBackMs: number; readonly mostBackMs: number },
): Disturbance {
  return (recording, seed) => {
    const dice = diceOf(seed, 61)
    return clockSetBack(recording, stretchesOfDrives(recording, jumps, seed), () =>
      Math.round(dice.between(jumps.leastBackMs, jumps.mostBackMs)),
    )
  }
}

/** About 46 years: today becomes some day soon after 6 January 1980, with which satellite time begins. */
const SINCE_SATELLITE_TIME_MS = 2400 * 7 * 86_400_000
/** Satellite time counts 1024 weeks and begins again; a receiver without a fix may be in the wrong round. */
const ROUND_MS = 1024 * 7 * 86_400_000

/** For a stretch of a drive the clock of the dongle is where it begins when it was never set, or decades ahead. */
export function clocksAstray(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const dice = diceOf(seed, 63)
    return clockSetBack(recording, stretchesOfDrives(recording, occurrence, seed), () =>
      dice.oneOf([SINCE_SATELLITE_TIME_MS, -ROUND_MS]),
    )
  }
}

/** Until its first fix of a drive the clock of the dongle is 1024 weeks behind. */
export function clockBeforeFix(occurrence: Occurrence): Disturbance {
  return (recording, seed) => clockSetBack(recording, beginsOfDrives(recording, occurrence, seed, 62), () => ROUND_MS)
}

function clockSetBack(recording: Recording, spans: readonly Span[], backMsOf: () => number): Recording {
  const wrong = spans.map(span => ({ span, backMs: backMsOf() }))
  const backAt = (timeMs: number) => wrong.find(({ span }) => isWithin([span], timeMs))?.backMs ?? 0
  return { ...recording, readings: stampedAnew(recording.readings, backAt) }
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

/** A dongle reports these after it has started, changed or not. */
const REPEATED_AT_START = ['IS_IGNITION_ON', 'ENGINE_STATE', 'IS_DONGLE_PLUGGED_IN', 'VIN', 'FIRMWARE_VERSION']

/** The dongle starts again in the middle of a drive: it records nothing for a while, and then repeats its states. */
export function reboots({ fixAfterMs = 0, ...occurrence }: Occurrence & { readonly fixAfterMs?: number }): Disturbance {
  return (recording, seed) => {
    const gaps = stretchesOfDrives(recording, occurrence, seed)
    const blind = gaps.map(({ toMs }) => ({ fromMs: toMs, toMs: toMs + fixAfterMs }))
    const states = new Map<EventTypeName, EventValue>()
    const readings: Reading[] = []
    let wasInGap = false
    for (const reading of recording.readings) {
      const isInGap = isWithin(gaps, reading.timeMs)
      for (const [type, value] of reading.events) if (REPEATED_AT_START.includes(type)) states.set(type, value)
      if (!isInGap) readings.push(wasInGap ? { ...reading, events: new Map([...states, ...reading.events]) } : reading)
      wasInGap = isInGap
    }
    return withoutFixes({ ...recording, readings }, blind)
  }
}

/** In the middle of a drive the dongle dies; it is there again when the car has been parked for a while. */
export function deaths({ share }: Pick<Occurrence, 'share'>): Disturbance {
  return (recording, seed) => silenced(recording, silencesFrom(recording, share, seed), () => [])
}

/** For a while in the middle of a drive the dongle records nothing, as in a tunnel in which it has no power; then it goes on. */
export function silentWhileDriving(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const stretches = stretchesOfDrives(recording, occurrence, seed)
    return change(
      recording,
      ({ timeMs }) => isWithin(stretches, timeMs),
      reading => ({ ...reading, events: new Map() }),
    )
  }
}

/** In the middle of a drive the dongle is pulled out, and plugged in again when the car has been parked for a while. */
export function unpluggedWhileDriving({ share }: Pick<Occurrence, 'share'>): Disturbance {
  return (recording, seed) =>
    silenced(recording, silencesFrom(recording, share, seed), ({ fromMs, toMs }) => [
      ...pluggedIn(recording.dongle, fromMs, false),
      ...pluggedIn(recording.dongle, toMs, true),
    ])
}

function silencesFrom(recording: Recording, share: number, seed: number): Stretch[] {
  return stretchesOfDrives(recording, { share, leastMs: 60_000, mostMs: 600_000 }, seed).map(({ trip, fromMs }, i) => {
    const next = recording.truth.trips[recording.truth.trips.indexOf(trip) + 1]
    const parkedUntilMs = next?.startMs ?? trip.drive.endMs + 600_000
    const parkedShare = diceOf(seed, i, 71).between(0.3, 0.7)
    return { trip, fromMs, toMs: Math.round(trip.drive.endMs + (parkedUntilMs - trip.drive.endMs) * parkedShare) }
  })
}

/** The truth of a drive ends with the last thing that the dongle said of it. */
function silenced(
  { dongle, readings, truth }: Recording,
  silences: readonly Stretch[],
  lastWords: (silence: Stretch) => readonly Reading[],
): Recording {
  const heard = readings.filter(({ timeMs }) => !isWithin(silences, timeMs))
  const all = [...heard, ...silences.flatMap(lastWords)].sort((a, b) => a.timeMs - b.timeMs)
  const cut = (trip: TrueTrip): TrueTrip => {
    const silence = silences.find(item => item.trip === trip)
    if (!silence) return trip
    const last = all.findLast(({ timeMs }) => timeMs <= silence.fromMs)
    // A dongle that reports rarely may have sent nothing of the drive at all.
    return trueTripOf(trip.drive, trip.startMs, Math.max(trip.startMs, last?.timeMs ?? silence.fromMs))
  }
  return { dongle, readings: all, truth: { ...truth, trips: truth.trips.map(cut) } }
}

/** The ignition seems to go off and on again in the middle of a drive: a bad contact, or the engine was stalled. */
export function ignitionFlicker(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const types = (['IS_IGNITION_ON', 'ENGINE_STATE'] as const).filter(type => !recording.dongle.silentAbout.has(type))
    if (types.length === 0) return recording
    const flickers = stretchesOfDrives(recording, occurrence, seed).flatMap(({ trip, fromMs, toMs }): Reading[] => {
      const at = (timeMs: number, isOn: boolean) => ({
        timeMs,
        takenMs: timeMs,
        drive: trip.drive,
        events: new Map(types.map(type => [type, isOn])),
      })
      return [at(fromMs, false), at(toMs, true)]
    })
    return { ...recording, readings: [...recording.readings, ...flickers].sort((a, b) => a.timeMs - b.timeMs) }
  }
}

export function missingFirstFix(occurrence: Occurrence): Disturbance {
  return (recording, seed) => withoutFixes(recording, beginsOfDrives(recording, occurrence, seed, 41))
}

/** No position before the end of a drive, while parked, and after the next start; not where the dongle was awake. */
export function undergroundGarages(garages: Garages): Disturbance {
  return (recording, seed) => withoutFixes(recording, garageStays(recording, garages, seed))
}

export type Garages = Pick<Occurrence, 'share' | 'mostMs'>

export function garageStays(recording: Recording, { share, mostMs }: Garages, seed: number): Span[] {
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

export function withoutFixes(recording: Recording, hidden: readonly Span[]): Recording {
  return change(
    recording,
    ({ timeMs }) => isWithin(hidden, timeMs),
    reading => without(reading, SATELLITE_TYPES),
  )
}

const hasOdometer = ({ events }: Reading) => events.has('MILEAGE')
const kmOf = ({ events }: Reading) => Number(events.get('MILEAGE'))
const withKm = (reading: Reading, km: number) => replaced(reading, { MILEAGE: Math.round(km * 1000) / 1000 })

export function showing(
  recording: Recording,
  shownKm: (km: number, timeMs: number) => number,
  fromMs = Number.NEGATIVE_INFINITY,
): Recording {
  return change(
    recording,
    reading => hasOdometer(reading) && reading.timeMs >= fromMs,
    reading => withKm(reading, shownKm(kmOf(reading), reading.timeMs)),
  )
}

const YOUNGEST_KM = 10
const OLDEST_KM = 250_000

export function clusterSwaps({ share }: Pick<Occurrence, 'share'>): Disturbance {
  return (recording, seed) => {
    const swapMs = middleOfSomeDrive(recording, share, seed)
    const before = recording.readings.find(reading => hasOdometer(reading) && reading.timeMs >= swapMs)
    if (!before) return recording
    const byKm = diceOf(seed, 57).whole(YOUNGEST_KM, OLDEST_KM) - kmOf(before)
    return showing(recording, km => km + byKm, swapMs)
  }
}

export const KM_PER_MILE = 1.609344

export function milesFromNowOn({ share }: Pick<Occurrence, 'share'>): Disturbance {
  return (recording, seed) => {
    const switchMs = middleOfSomeDrive(recording, share, seed)
    return showing(recording, km => km / KM_PER_MILE, switchMs)
  }
}

/** The odometers of a share of the recordings count too much, as with tyres that are too small. */
export function fastOdometers({ share, by }: Pick<Occurrence, 'share'> & { readonly by: number }): Disturbance {
  return (recording, seed) => {
    const first = recording.readings.find(hasOdometer)
    if (!first || !diceOf(seed, 59).happens(share)) return recording
    return showing(recording, km => kmOf(first) + (km - kmOf(first)) * (1 + by))
  }
}

export function zeroOdometers(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const begins = beginsOfDrives(recording, occurrence, seed, 60)
    return change(
      recording,
      reading => hasOdometer(reading) && isWithin(begins, reading.timeMs),
      reading => withKm(reading, 0),
    )
  }
}

/** Infinity where it does not happen. */
function middleOfSomeDrive({ truth }: Recording, share: number, seed: number): number {
  const dice = diceOf(seed, 58)
  const trip = truth.trips[dice.whole(0, Math.max(0, truth.trips.length - 1))]
  if (!trip || !dice.happens(share)) return Number.POSITIVE_INFINITY
  return Math.round(trip.startMs + (trip.endMs - trip.startMs) * dice.between(0.3, 0.7))
}
