import { type BelievedPlace, leftFor, placeAfter } from '../../derive/incidents/believed-place.ts'
import { type MeasuredShape, measuredShape } from '../../model/areas/measured-shape.ts'
import { type PresenceSettings, type PresenceState, stepPresence, visitOf } from '../../model/areas/presence.ts'
import type { AreaShape } from '../../model/areas/shape.ts'
import { distanceM } from '../../model/earth.ts'
import type { Position } from '../../model/sample.ts'
import { isIn, type TimeRange } from '../../model/time-range.ts'

/** A car was in an area, from the first fix inside to the last. */
export interface AreaVisit {
  readonly enteredMs: number
  readonly leftMs: number
  /** It was seen outside afterwards, or the area was drawn differently. */
  readonly isOver: boolean
  /** The way within the area, from fix to fix. */
  readonly insideM: number
}

/** Less is noise of a car that stands. */
const LEAST_STEP_M = 20

/** Finds the visits of a dongle in its fixes, each once and in the order of time. */
export class VisitTracker {
  readonly #drawing: Drawing
  readonly #settings: PresenceSettings
  readonly #trips: readonly TimeRange[]
  /** The first trip that has not ended. */
  #trip = 0
  readonly #visits: AreaVisit[] = []
  #place: BelievedPlace | null = null
  #shape: MeasuredShape | undefined
  #presence: PresenceState | null = null
  /** Where the way within the area was measured last, and how long it is. */
  #measuredAt: Position | undefined
  #insideM = 0
  #insideAtLastM = 0

  /** @param trips of the dongle, in the order of time: between them the car is parked */
  constructor(drawing: Drawing, settings: PresenceSettings, trips: readonly TimeRange[]) {
    this.#drawing = drawing
    this.#settings = settings
    this.#trips = trips
  }

  add(timeMs: number, fix: Position): void {
    for (; (this.#trips[this.#trip]?.toMs ?? Number.POSITIVE_INFINITY) <= timeMs; this.#trip++)
      if (this.#place) this.#place = { ...this.#place, isParked: true }
    const isDriven = timeMs >= (this.#trips[this.#trip]?.fromMs ?? Number.POSITIVE_INFINITY)
    const last = this.#place
    const place = placeAfter(last, fix, timeMs, isDriven ? 'unknown' : 'parked')
    this.#place = place
    if (place?.timeMs !== timeMs) return
    const shape = this.#drawing.find(version => isIn(version, timeMs))?.shape
    if (shape !== this.#shape) this.#end(true, last, place)
    this.#shape = shape
    if (!shape) return
    const signedDistanceM = shape.signedDistanceM(place.lon, place.lat)
    const before = this.#presence
    const presence = stepPresence(before, { timeMs, signedDistanceM }, this.#settings)
    if (before && !presence) return this.#end(true, last, place)
    this.#presence = presence
    if (presence) this.#measure(place, signedDistanceM <= 0)
  }

  /** The visits, when no more fixes follow. */
  ended(): readonly AreaVisit[] {
    this.#end(false)
    return this.#visits
  }

  /** After fixes of a time that is not looked at: where the car was then is not known. */
  pause(): void {
    this.#end(true)
    this.#place = null
  }

  #measure(fix: Position, isInside: boolean): void {
    const stepM = this.#measuredAt ? distanceM(this.#measuredAt, fix) : 0
    if (!this.#measuredAt || stepM >= LEAST_STEP_M) {
      this.#insideM += stepM
      this.#measuredAt = fix
    }
    if (isInside) this.#insideAtLastM = this.#insideM
  }

  #end(isOver: boolean, last: BelievedPlace | null = null, place: BelievedPlace | null = null): void {
    const visit = visitOf(this.#presence && leftFor(this.#presence, last, place), this.#settings)
    if (visit) this.#visits.push({ ...visit, isOver, insideM: this.#insideAtLastM })
    this.#presence = null
    this.#measuredAt = undefined
    this.#insideM = 0
    this.#insideAtLastM = 0
  }
}

/** How an area was drawn, and while that held. */
export interface DrawnVersion extends TimeRange {
  readonly shape: AreaShape
}

/** The same, prepared to be measured. Versions never overlap. */
export type Drawing = readonly (TimeRange & { readonly shape: MeasuredShape })[]

export function drawingOf(versions: readonly DrawnVersion[]): Drawing {
  return versions.map(({ shape, ...range }) => ({ ...range, shape: measuredShape(shape) }))
}
