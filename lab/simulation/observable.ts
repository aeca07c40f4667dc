import type { Position } from '../../src/model/sample.ts'
import { positionOf } from './disturbances/disturbance.ts'
import { type Dongle, tellsOdometerOnly } from './dongle.ts'
import { metresBetween } from './ground.ts'
import { type Reading } from './readings.ts'
import type { Recording, TrueTrip } from './recording.ts'
import { positionAt } from './situation.ts'

/** decisions.md, *Trips*: what is motion. */
export const DISPLACEMENT_M = 100

/** A fix farther from where the car was shows nothing. */
const GOOD_FIX_M = 150

/** decisions.md, *Trips*: silence cuts a trip after the longer of this and 2.5 times the usual interval, ... */
const SHORTEST_CUTTING_SILENCE_MS = 5 * 60_000
const CUTTING_INTERVALS = 2.5
/** ... and may be bridged up to this. */
export const LONGEST_BRIDGE_MS = 30 * 60_000

interface Silence {
  readonly fromMs: number
  readonly toMs: number
  readonly isBridgeable: boolean
}

export class Witness {
  /** Those with a wrong timestamp show nothing. */
  readonly #readings: readonly Reading[]
  readonly #recording: Recording
  readonly #words: readonly Word[]
  readonly #cuttingMs: number

  constructor(recording: Recording) {
    this.#recording = recording
    this.#readings = recording.readings.filter(({ timeMs, takenMs }) => timeMs === takenMs)
    this.#words = toldWords(this.#readings, reading => this.#hasGoodFix(reading))
    const usualMs = CUTTING_INTERVALS * recording.dongle.intervals.stepMs
    this.#cuttingMs = Math.max(SHORTEST_CUTTING_SILENCE_MS, Math.min(usualMs, LONGEST_BRIDGE_MS))
  }

  get lastMs(): number {
    return this.#readings.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY
  }

  within(fromMs: number, toMs: number): readonly Reading[] {
    return this.#readings.filter(({ timeMs }) => fromMs <= timeMs && timeMs <= toMs)
  }

  silences(fromMs: number, toMs: number): Silence[] {
    const first = this.#readings.findIndex(({ timeMs }) => timeMs >= fromMs)
    if (first < 0) return []
    const silences: Silence[] = []
    for (let i = first; (this.#readings[i]?.timeMs ?? Number.POSITIVE_INFINITY) <= toMs; i++) {
      const lastWordMs = this.#readings[i]?.timeMs ?? 0
      const nextWordMs = this.#readings[i + 1]?.timeMs ?? Number.POSITIVE_INFINITY
      const lastsMs = nextWordMs - lastWordMs
      if (lastsMs > this.#cuttingMs)
        silences.push({ fromMs: lastWordMs, toMs: nextWordMs, isBridgeable: lastsMs <= LONGEST_BRIDGE_MS })
    }
    return silences
  }

  words(fromMs: number, toMs: number): readonly Word[] {
    return this.#words.filter(({ timeMs }) => fromMs <= timeMs && timeMs <= toMs)
  }

  /** The timestamp of the earliest record of some time that a wrong clock put before it, by less than what cuts a trip. */
  misdatedBefore(fromMs: number, toMs: number): number | undefined {
    return this.#recording.readings.find(
      ({ timeMs, takenMs }) =>
        timeMs !== takenMs &&
        fromMs <= takenMs &&
        takenMs <= toMs &&
        fromMs - this.#cuttingMs <= timeMs &&
        timeMs < fromMs,
    )?.timeMs
  }

  seesMotion(startMs: number, endMs: number, isHeardAfterwards: boolean): boolean {
    // The motion of other drives shows nothing of this one.
    const { trips } = this.#recording.truth
    const parkedFromMs = trips.findLast(({ movesUntilMs }) => movesUntilMs < startMs)?.movesUntilMs ?? FOR_EVER_AGO
    const parkedUntilMs = trips.find(({ movesFromMs }) => movesFromMs > endMs)?.movesFromMs ?? FOR_EVER
    const during = this.within(startMs, endMs)
    const around = [
      ...this.within(parkedFromMs, startMs - 1).slice(-AROUND_RECORDS),
      ...during,
      ...(isHeardAfterwards ? this.within(endMs + 1, parkedUntilMs).slice(0, AROUND_RECORDS) : []),
    ]
    return (
      during.some(reading => showsSpeed(reading, this.#isBelieved(reading))) ||
      odometerMoved(around) ||
      this.#fixesMoved(around)
    )
  }

  /** Only fixes show the drive of an engine that is off: a car that is towed sends the same (decisions.md). */
  mayBeTow(startMs: number, endMs: number): boolean {
    if (this.#recording.dongle.awareness !== 'engine') return false
    const isOff = ({ events }: Reading) => events.get('ENGINE_STATE') === false
    const during = this.within(startMs, endMs)
    const isDrivenByCar = (reading: Reading) => showsSpeed(reading, false)
    const isKnown = this.within(FOR_EVER_AGO, startMs - 1).some(reading => isOff(reading) && isDrivenByCar(reading))
    if (isKnown || during.some(reading => !isOff(reading) || isDrivenByCar(reading))) return false
    const [before] = this.within(FOR_EVER_AGO, startMs - 1).slice(-1)
    const [after] = this.within(endMs + 1, FOR_EVER)
    return !odometerMoved([before, ...during, after].filter(reading => reading !== undefined))
  }

  #fixesMoved(readings: readonly Reading[]): boolean {
    const fixes: { timeMs: number; position: Position }[] = []
    for (const reading of readings) {
      const position = positionOf(reading)
      const sinceMs = reading.timeMs - (fixes.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY)
      if (position && sinceMs >= APART_MS && this.#hasGoodFix(reading)) fixes.push({ timeMs: reading.timeMs, position })
    }
    return fixes.some(({ timeMs, position }, i) =>
      fixes.slice(Math.max(0, i - COMPARED_FIXES), i).some(from => {
        const metres = metresBetween(from.position, position)
        return metres >= DISPLACEMENT_M && (metres / (timeMs - from.timeMs)) * 3600 > MOTION_KMH
      }),
    )
  }

  #isBelieved(reading: Reading): boolean {
    return positionOf(reading) === undefined || this.#hasGoodFix(reading)
  }

  #hasGoodFix(reading: Reading): boolean {
    const { timeMs } = reading
    const position = positionOf(reading)
    const stint = this.#recording.truth.stints.findLast(({ fromMs }) => fromMs <= timeMs)
    if (!position || !stint) return false
    return metresBetween(positionAt(stint.schedule, timeMs), position) < GOOD_FIX_M
  }
}

const FOR_EVER_AGO = Number.NEGATIVE_INFINITY
const FOR_EVER = Number.POSITIVE_INFINITY

const AROUND_RECORDS = 3
/** Records nearer to each other in time are no better at telling motion; and coarse odometers seem to leap. */
const APART_MS = 30_000
/** A fix is compared with so many before it. */
const COMPARED_FIXES = 4

function odometerMoved(readings: readonly Reading[]): boolean {
  const counts: { timeMs: number; km: number }[] = []
  for (const { timeMs, events } of readings)
    if (events.has('MILEAGE') && timeMs - (counts.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY) >= APART_MS)
      counts.push({ timeMs, km: Number(events.get('MILEAGE')) })
  // Steps of an odometer that no car makes are jumps of another kind.
  const drivenKm = counts.map(({ timeMs, km }, i) => {
    const from = counts[i - 1]
    const stepKm = from ? Math.max(0, km - from.km) : 0
    return from && (stepKm / (timeMs - from.timeMs)) * 3_600_000 <= FASTEST_KMH ? stepKm : 0
  })
  return drivenKm.reduce((sum, stepKm) => sum + stepKm, 0) * 1000 >= DISPLACEMENT_M
}

interface Word {
  readonly timeMs: number
  /** By its speed, its odometer or a sensor: that the car moves, or has moved since the record before. */
  readonly showsMotion: boolean
  /** A true fix, and not the one that the receiver told before. */
  readonly newFix: Position | undefined
}

/** decisions.md, *Trips*: what is motion. Longer steps of an odometer are jumps of another kind. */
export const MOTION_KMH = 5
const FASTEST_KMH = 250

/** Nobody believes the speed of a receiver whose fix is false. */
function showsSpeed({ events }: Reading, isBelieved: boolean): boolean {
  const speeds = isBelieved ? SPEEDS : SPEEDS.slice(0, 1)
  return speeds.some(type => Number(events.get(type) ?? 0) > MOTION_KMH)
}

const SPEEDS = ['VEHICLE_SPEED_AVERAGE', 'GPS_SPEED'] as const

/** A false fix, a repeated one and an odometer that jumps show nothing, nor a sensor against a receiver that says 0. */
function toldWords(readings: readonly Reading[], isTrueFix: (reading: Reading) => boolean): Word[] {
  let fixBefore: ReturnType<typeof positionOf>
  let speedBefore = 0
  let countBefore: { readonly timeMs: number; readonly km: number } | undefined
  return readings.flatMap(reading => {
    const { timeMs, events } = reading
    const fix = positionOf(reading)
    const isNewFix = fix !== undefined && (fix.lon !== fixBefore?.lon || fix.lat !== fixBefore?.lat)
    fixBefore = fix ?? fixBefore
    const count = events.has('MILEAGE') ? { timeMs, km: Number(events.get('MILEAGE')) } : undefined
    const isCounted = count !== undefined && countBefore !== undefined && isPossible(countBefore, count)
    const hasCountedOn = isCounted && count.km > (countBefore?.km ?? 0)
    countBefore = count ?? countBefore
    speedBefore = Number(events.get('GPS_SPEED') ?? speedBefore)
    const isFelt = events.get('IS_MOVING') === true && speedBefore > 0
    const isTrue = fix !== undefined && isTrueFix(reading)
    const isFast = showsSpeed(reading, fix === undefined || isTrue)
    const showsMotion = isFast || isFelt || hasCountedOn
    const showsStanding =
      isTrue || isCounted || events.has('VEHICLE_SPEED_AVERAGE') || events.get('IS_MOVING') === false
    return showsMotion || showsStanding ? [{ timeMs, showsMotion, newFix: isTrue && isNewFix ? fix : undefined }] : []
  })
}

/** Many cars tell whole kilometres, so within a second one may pass. */
const COARSEST_STEP_KM = 1

interface Count {
  readonly timeMs: number
  readonly km: number
}

function isPossible(from: Count, to: Count): boolean {
  const stepKm = to.km - from.km
  if (stepKm < 0) return false
  return stepKm <= COARSEST_STEP_KM || (stepKm / (to.timeMs - from.timeMs)) * 3_600_000 <= FASTEST_KMH
}

interface Edges {
  readonly earliestStartMs: number
  readonly startMs: number
  readonly endMs: number
  readonly latestEndMs: number
  /** Some record shows the car under way, or two that are not far apart in time show that it was. */
  readonly isShown: boolean
}

interface Around {
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
}

/**
 * With a true record in each of its intervals a dongle tells near enough when the motion began and ended. Where records
 * between the last word of where the car stood and the first one that shows it under way are false or missing, it may
 * have begun anywhere between the two, and ended accordingly. An odometer alone tells both ends within one of its steps.
 * Records of the drive that a wrong clock puts right before it look like its start.
 */
export function edgesOf(trip: TrueTrip, around: Around, dongle: Dongle, witness: Witness): Edges {
  const { movesFromMs, movesUntilMs } = trip
  const { stepMs } = dongle.intervals
  const isCoarse = tellsOdometerOnly(dongle)
  const words = witness.words(around.fromMs ?? Number.NEGATIVE_INFINITY, around.toMs ?? Number.POSITIVE_INFINITY)
  const underWay = words.filter(({ timeMs }) => movesFromMs <= timeMs && timeMs <= movesUntilMs)
  const placeBefore = witness.words(Number.NEGATIVE_INFINITY, movesFromMs - 1).findLast(({ newFix }) => newFix)?.newFix
  const isAway = isAwayFrom(placeBefore ?? underWay.find(({ newFix }) => newFix)?.newFix)
  const away = underWay.filter(isAway)
  const firstMs = away[0]?.timeMs ?? movesUntilMs
  const lastMs =
    underWay.findLast((word, i) => word.showsMotion || hasMoved(word, underWay.slice(0, i)))?.timeMs ?? firstMs
  // That it stands, without a fix, does not tell that it has not left: it may wait at a light.
  const tellsPlace = ({ timeMs, newFix }: Word) => timeMs < movesFromMs || newFix !== undefined
  const stoodMs =
    words.findLast(word => word.timeMs < firstMs && tellsPlace(word))?.timeMs ?? around.fromMs ?? movesFromMs
  const standsMs = words.find(({ timeMs }) => timeMs > movesUntilMs)?.timeMs ?? movesUntilMs
  // A hundred metres in a queue, or up to a light around the corner, are no more than what the fixes of a parked car scatter.
  const isSlowStart = firstMs - movesFromMs > Math.max(stepMs, SLOW_START_MS)
  const isStartHidden = isSlowStart || firstMs - Math.max(stoodMs, movesFromMs) > stepMs
  const isEndHidden = movesUntilMs - lastMs > stepMs
  // The records before and after a drive that no record was made of do not tell when in the time between them it was over.
  const isUnheard = isStartHidden && underWay.length === 0 && standsMs - stoodMs <= LONGEST_BRIDGE_MS
  const hasOdometer = !dongle.silentAbout.has('MILEAGE')
  const isUnreported = away.length === 0 && standsMs - stoodMs > UNSEEN_INTERVALS * stepMs + SAME_MOMENT_MS
  // The last metres may complete a step of the odometer that only the parked car tells, and no fix says when.
  const after = words.filter(({ timeMs }) => timeMs > movesUntilMs)
  const stepped = (isCoarse ? after : after.slice(0, 1)).find(({ showsMotion, newFix }) => showsMotion && !newFix)
  const latestEndMs = Math.max(
    movesUntilMs,
    isEndHidden || isUnheard ? standsMs : movesUntilMs,
    stepped?.timeMs ?? movesUntilMs,
  )
  const knownEndMs = isEndHidden || isCoarse ? lastMs : movesUntilMs
  const knownStartMs = isStartHidden || isCoarse ? firstMs : movesFromMs
  const misdatedMs = witness.misdatedBefore(movesFromMs, movesUntilMs) ?? movesFromMs
  return {
    earliestStartMs: Math.min(movesFromMs, isStartHidden ? stoodMs : movesFromMs, misdatedMs),
    startMs: isUnheard && !hasOdometer ? standsMs : knownStartMs,
    endMs: isUnheard ? stoodMs : knownEndMs,
    // A longer silence is no part of a drive.
    latestEndMs: latestEndMs - movesUntilMs <= LONGEST_BRIDGE_MS ? latestEndMs : movesUntilMs,
    isShown: hasOdometer || !(isUnreported || isUnconfirmed(away, words)),
  }
}

/** A single fix shows that the car left, and no record of the next half hour agrees: it may be false. */
function isUnconfirmed([first, second]: readonly Word[], words: readonly Word[]): boolean {
  if (!first || second || first.showsMotion) return false
  return !words.some(({ timeMs }) => timeMs > first.timeMs && timeMs - first.timeMs <= LONGEST_BRIDGE_MS)
}

/** Of an unknown place no fix shows that the car has left it. */
function isAwayFrom(place: Position | undefined): (word: Word) => boolean {
  return ({ showsMotion, newFix }) =>
    showsMotion || (place !== undefined && newFix !== undefined && metresBetween(newFix, place) >= DISPLACEMENT_M)
}

/** ADR 0019: a dongle reports more often while the car drives; without that, the car may have been towed. */
const UNSEEN_INTERVALS = 2.5
const SAME_MOMENT_MS = 15_000

/** A car that is less than a hundred metres from where it stood by then cannot be told from a parked one. */
const SLOW_START_MS = 60_000

/** Fixes nearer to each other in time are no better at telling motion; and who is slower than a hundred metres in this time walks. */
const WALKING_MS = 72_000

/** A fix is far from one shortly before it, or from the last one that there is. */
function hasMoved({ timeMs, newFix }: Word, before: readonly Word[]): boolean {
  if (!newFix) return false
  const earlier = before.filter(word => word.newFix && timeMs - word.timeMs >= APART_MS)
  const compared = earlier.filter((word, i) => i === earlier.length - 1 || timeMs - word.timeMs < WALKING_MS)
  return compared.some(from => {
    const metres = from.newFix ? metresBetween(newFix, from.newFix) : 0
    return metres >= DISPLACEMENT_M && (metres / (timeMs - from.timeMs)) * 3600 > MOTION_KMH
  })
}
