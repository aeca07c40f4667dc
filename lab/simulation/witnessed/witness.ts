import type { Position } from '../../../src/model/sample.ts'
import { positionOf } from '../disturbances/gps-noise.ts'
import { metresBetween } from '../ground.ts'
import type { Reading } from '../readings.ts'
import type { Recording } from '../recording.ts'
import { positionAt } from '../situation.ts'
import { FASTEST_KMH, MOTION_KMH, showsSpeed, toldWords, type Word } from './told-words.ts'

/** decisions.md, *Trips*: what is motion. */
export const DISPLACEMENT_M = 100

/** A fix farther from where the car was shows nothing. */
const GOOD_FIX_M = 150

/** decisions.md, *Trips*: silence cuts a trip after the longer of this and 2.5 times the usual interval, ... */
const SHORTEST_CUTTING_SILENCE_MS = 5 * 60_000
const CUTTING_INTERVALS = 2.5
/** ... and may be bridged up to this. */
export const LONGEST_BRIDGE_MS = 30 * 60_000

/** A time without any record. */
interface Silence {
  readonly fromMs: number
  readonly toMs: number
  readonly isBridgeable: boolean
}

/** What the records of a dongle show to whoever knows nothing else. */
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

  /** When the dongle was heard for the last time. */
  get lastMs(): number {
    return this.#readings.at(-1)?.timeMs ?? Number.NEGATIVE_INFINITY
  }

  /** Records of that time, both ends included. */
  within(fromMs: number, toMs: number): readonly Reading[] {
    return this.#readings.filter(({ timeMs }) => fromMs <= timeMs && timeMs <= toMs)
  }

  /** Silences that cut a trip and begin in that time. */
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

  /** The words of that time, both ends included. */
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

  /** Whether any record, or two of them together, show that the car was driven from the one instant to the other. */
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

  /**
   * Whether fixes alone tell of a drive, of a car whose engine is off in each record, and which was not seen yet to drive with its
   * engine off. A car that is towed sends the same records, and until a hybrid has shown itself to be one, decisions.md believes
   * its engine.
   */
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

/** Where a car stood is seen a few records before and after. */
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
