import type { EventTypeName } from '../../../src/catalogue/event-types.ts'
import type { EventValue } from '../../../src/model/sample.ts'
import { diceOf } from '../dice.ts'
import type { Reading } from '../readings.ts'
import { type Recording, sourceOf } from '../recording.ts'
import { eventsIn, parked, type Report, slow } from '../reports.ts'
import { situationAt } from '../situation.ts'
import { type Disturbance, isWithin, type Occurrence, type Span } from './disturbance.ts'

/** Between the end of a drive and what happens while the car is parked, and between that and the next drive. */
const MARGIN_MS = 4 * 60_000

/**
 * A time within stays between two drives; the share is of the stays that are long enough. Only one thing happens in a
 * stay: not where something woke the dongle before.
 */
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

/** Whether the dongle sends no more than signs of life in that time. */
export function isAsleep({ dongle, readings }: Recording, span: Span): boolean {
  const { parkedMs } = dongle.intervals
  const signs = parkedMs === undefined ? 0 : Math.floor((span.toMs - span.fromMs) / parkedMs) + 1
  return readings.filter(({ timeMs }) => isWithin([span], timeMs)).length <= signs
}

/** What the dongle says of one instant, in place of what it would say of a parked car; undefined: as it would. */
type Claims = (timeMs: number, span: Span) => Readonly<Partial<Record<EventTypeName, EventValue>>>

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

/** Other readings in the place of those in some times. */
export function withReadings(recording: Recording, spans: readonly Span[], added: readonly Reading[]): Recording {
  const others = recording.readings.filter(({ timeMs }) => !isWithin(spans, timeMs))
  return { ...recording, readings: [...others, ...added].sort((a, b) => a.timeMs - b.timeMs) }
}

function readingsAwake(recording: Recording, span: Span, claims: Claims): Reading[] {
  const { stepMs, slowMs } = recording.dongle.intervals
  const readings: Reading[] = []
  for (let timeMs = span.fromMs; timeMs < span.toMs; timeMs += stepMs) {
    const isSlow = (timeMs - span.fromMs) % slowMs === 0
    readings.push(parkedReading(recording, timeMs, isSlow, claims(timeMs, span)))
  }
  // With the last one all is as it should be for a parked car.
  return [...readings, parkedReading(recording, span.toMs, true, {})].filter(({ events }) => events.size > 0)
}

/** A record of a parked car with other values than it should have. */
export function parkedReading(
  { dongle, truth }: Recording,
  timeMs: number,
  isWhole: boolean,
  claims: Readonly<Partial<Record<EventTypeName, EventValue>>>,
): Reading {
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
