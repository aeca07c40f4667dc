import type { EventTypeName } from '../../../src/catalogue/event-types.ts'
import type { EventValue } from '../../../src/model/sample.ts'
import { chance, diceOf } from '../chance.ts'
import { moved, wayTowards } from '../ground.ts'
import type { Reading } from '../readings.ts'
import { type Recording, sourceOf } from '../recording.ts'
import { eventsIn, parked, type Report, slow } from '../reports.ts'
import { situationAt } from '../situation.ts'
import {
  changePositions,
  type Disturbance,
  isWithin,
  type Occurrence,
  positionOf,
  type Span,
  type Values,
} from './disturbance.ts'

/** Between the end of a drive and what happens while the car is parked, and between that and the next drive. */
const MARGIN_MS = 4 * 60_000

/** The share is of the stays that are long enough. Only one thing happens in a stay. */
export function stretchesOfStays(recording: Recording, { share, leastMs, mostMs }: Occurrence, seed: number): Span[] {
  const { truth, dongle } = recording
  return truth.trips.flatMap(({ drive }, i) => {
    const next = truth.trips[i + 1]?.drive
    const dice = diceOf(seed, i, 32)
    if (!next || !dice.happens(share)) return []
    const firstMs = drive.endMs + dongle.intervals.lingersMs + MARGIN_MS
    const lastMs = next.startMs - MARGIN_MS
    if (lastMs - firstMs < leastMs || !isAsleep(recording, { fromMs: firstMs, toMs: lastMs })) return []
    const lastsMs = dice.between(leastMs, Math.min(mostMs, lastMs - firstMs))
    const fromMs = Math.round(firstMs + dice.between(0, lastMs - firstMs - lastsMs))
    return [{ fromMs, toMs: Math.round(fromMs + lastsMs) }]
  })
}

export function isAsleep({ dongle, readings }: Recording, span: Span): boolean {
  const { parkedMs } = dongle.intervals
  const signs = parkedMs === undefined ? 0 : Math.floor((span.toMs - span.fromMs) / parkedMs) + 1
  return readings.filter(({ timeMs }) => isWithin([span], timeMs)).length <= signs
}

/** The false values of one instant, in place of those of a parked car. */
type Claims = (timeMs: number) => Values

/** While the car is parked, something keeps the dongle awake: it reports as often as on a drive, and claims things. */
export function awakeWhileParked(
  occurrence: Occurrence,
  tells: (silentAbout: ReadonlySet<string>) => boolean,
  claimsFor: (recording: Recording, span: Span, seed: number) => Claims,
): Disturbance {
  return (recording, seed) => {
    if (!tells(recording.dongle.silentAbout)) return recording
    const spans = stretchesOfStays(recording, occurrence, seed)
    const claims = spans.map(span => claimsFor(recording, span, seed))
    const awake = spans.flatMap((span, i) => readingsAwake(recording, span, claims[i] ?? (() => ({}))))
    return withReadings(recording, spans, awake)
  }
}

function withReadings(recording: Recording, spans: readonly Span[], added: readonly Reading[]): Recording {
  const others = recording.readings.filter(({ timeMs }) => !isWithin(spans, timeMs))
  return { ...recording, readings: [...others, ...added].sort((a, b) => a.timeMs - b.timeMs) }
}

function readingsAwake(recording: Recording, span: Span, claims: Claims): Reading[] {
  const { stepMs, slowMs } = recording.dongle.intervals
  const readings: Reading[] = []
  for (let timeMs = span.fromMs; timeMs < span.toMs; timeMs += stepMs) {
    const isSlow = (timeMs - span.fromMs) % slowMs === 0
    readings.push(parkedReading(recording, timeMs, isSlow, claims(timeMs)))
  }
  // With the last one all is as it should be for a parked car.
  return [...readings, parkedReading(recording, span.toMs, true, {})].filter(({ events }) => events.size > 0)
}

function parkedReading({ dongle, truth }: Recording, timeMs: number, isWhole: boolean, claims: Values): Reading {
  const stint = truth.stints.findLast(({ fromMs }) => fromMs <= timeMs) ?? truth.stints[0]
  if (!stint) throw new Error('a recording needs a car')
  const source = sourceOf(dongle, stint)
  const claimed: Report = (_, __, tell) => {
    for (const [type, value] of Object.entries(claims) as [EventTypeName, EventValue][]) tell(type, value)
  }
  const reports = isWhole ? [parked, slow, claimed] : [parked, claimed]
  const events = eventsIn(reports, source, situationAt(stint.schedule, timeMs))
  return { timeMs, takenMs: timeMs, drive: undefined, events }
}

/** The last place that the receiver told before an instant, as a value that it repeats. */
function lastFix({ readings }: Recording, timeMs: number): Values {
  const position = readings.findLast(reading => reading.timeMs < timeMs && positionOf(reading))?.events.get('POSITION')
  return position === undefined ? {} : { POSITION: position, GPS_SPEED: 0 }
}

const LOWEST_KMH = 8
const HIGHEST_KMH = 90

/** A control unit repeats its last speed while the car is parked, ignition on; the receiver repeats its fix. */
export function stuckSpeed(occurrence: Occurrence): Disturbance {
  return awakeWhileParked(
    occurrence,
    // Without fix and odometer, it cannot be told from a drive.
    silent => !silent.has('VEHICLE_SPEED_AVERAGE') && !(silent.has('POSITION') && silent.has('MILEAGE')),
    (recording, { fromMs }, seed) => {
      const speedKmh = diceOf(seed, fromMs / 1000).whole(LOWEST_KMH, HIGHEST_KMH)
      const claims = {
        ...lastFix(recording, fromMs),
        IS_IGNITION_ON: true,
        VEHICLE_SPEED_AVERAGE: speedKmh,
        VEHICLE_SPEED_MAX: speedKmh,
        VEHICLE_SPEED_MIN: speedKmh,
      }
      return () => claims
    },
  )
}

/** The ignition is on for hours: the car is charged, or somebody waits in it. */
export function ignitionWhileCharging(occurrence: Occurrence): Disturbance {
  return awakeWhileParked(
    occurrence,
    silent => !silent.has('IS_IGNITION_ON'),
    () => () => ({ IS_IGNITION_ON: true, VEHICLE_SPEED_AVERAGE: 0, VEHICLE_SPEED_MAX: 0, VEHICLE_SPEED_MIN: 0 }),
  )
}

/** Traffic shakes the parked car: the dongle detects motion for hours, although neither speed nor fix change. */
export function vibration(occurrence: Occurrence): Disturbance {
  return awakeWhileParked(
    occurrence,
    silent => !silent.has('IS_MOVING'),
    (recording, { fromMs }) => {
      const claims = { ...lastFix(recording, fromMs), IS_MOVING: true }
      return () => claims
    },
  )
}

/** A receiver with a bad antenna: fixes anywhere within `metres` of the car, with matching speeds. */
export function jitterWhileParked(
  occurrence: Occurrence & { readonly metres: number; readonly fastestKmh: number },
): Disturbance {
  return awakeWhileParked(
    occurrence,
    silent => !silent.has('POSITION'),
    (recording, { fromMs }, seed) => {
      const place = positionOf(parkedReading(recording, fromMs, false, {}))
      return timeMs => {
        const away = chance(seed, timeMs / 1000, 1) * occurrence.metres
        return {
          ...(place && { POSITION: moved(place, wayTowards(chance(seed, timeMs / 1000, 2) * 360, away)) }),
          GPS_SPEED: Math.round(chance(seed, timeMs / 1000, 3) * occurrence.fastestKmh * 10) / 10,
        }
      }
    },
  )
}

/** The ignition, or the engine, is on for less than a minute, and nobody drives. */
export function ignitionTries(occurrence: Occurrence): Disturbance {
  return (recording, seed) => {
    const { silentAbout } = recording.dongle
    if (silentAbout.has('IS_IGNITION_ON') && silentAbout.has('ENGINE_STATE')) return recording
    const tries = stretchesOfStays(recording, occurrence, seed)
    return withReadings(
      recording,
      tries,
      tries.flatMap(({ fromMs, toMs }) => [
        parkedReading(recording, fromMs, true, { IS_IGNITION_ON: true, ENGINE_STATE: true }),
        parkedReading(recording, toMs, true, {}),
      ]),
    )
  }
}

const NEAREST_M = 1000
const FARTHEST_M = 8000
const SHORTEST_PARKED_MS = 30 * 60_000

/** While it is parked, a car is carried away and brought back with its engine off: it moves, and nobody drives. */
export function towing({ share }: { readonly share: number }): Disturbance {
  return (recording, seed) => {
    const { trips } = recording.truth
    const tows = trips.flatMap((trip, i) => {
      const { drive } = trip
      const dice = diceOf(seed, i, 81)
      const backMs = trips[i + 1]?.startMs
      if (!dice.happens(share) || backMs === undefined || backMs - drive.endMs < SHORTEST_PARKED_MS) return []
      // Anybody in the car, or what shakes it, would be towed as well.
      if (!isAsleep(recording, { fromMs: drive.endMs + recording.dongle.intervals.lingersMs + 1, toMs: backMs - 1 }))
        return []
      const way = wayTowards(dice.between(0, 360), dice.between(NEAREST_M, FARTHEST_M))
      return [{ trip, fromMs: drive.endMs, toMs: backMs, way }]
    })
    const towAt = (timeMs: number) => tows.find(({ fromMs, toMs }) => fromMs < timeMs && timeMs < toMs)
    if (tows.length === 0) return recording
    const towed = tows.flatMap(({ trip: { endPosition: home }, way, fromMs, toMs }) => {
      const [workshop, at] = [moved(home, way), (elapsed: number) => fromMs + elapsed * (toMs - fromMs)]
      return [
        { from: home, to: workshop, fromMs: at(0.25), toMs: at(0.375) },
        { from: workshop, to: home, fromMs: at(0.625), toMs: at(0.75) },
      ]
    })
    return changePositions(
      { ...recording, truth: { ...recording.truth, tows: [...(recording.truth.tows ?? []), ...towed] } },
      ({ drive }) => drive === undefined,
      (position, { timeMs }) => {
        const tow = towAt(timeMs)
        if (!tow) return undefined
        // There and back again in the middle half of the time.
        const elapsed = (timeMs - tow.fromMs) / (tow.toMs - tow.fromMs)
        const away = Math.max(0, Math.min(1, 2 - Math.abs(elapsed - 0.5) * 8))
        const isMoving = away > 0 && away < 1
        const way = { eastM: tow.way.eastM * away, northM: tow.way.northM * away }
        return { POSITION: moved(position, way), GPS_SPEED: isMoving ? 35 : 0, IS_MOVING: isMoving }
      },
    )
  }
}
