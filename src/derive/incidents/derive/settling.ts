import { type EventTypeId, type EventTypeName, requiredEventType } from '../../../catalogue/event-types.ts'
import { distanceM } from '../../../model/earth.ts'
import type { Position, Sample } from '../../../model/sample.ts'
import { type Reading, readingOf } from '../../trips/derive/reading.ts'
import {
  AGREEING_FIXES,
  DATA_GAP_MS,
  EXCURSION_MS,
  FIX_ERROR_M,
  LIKELY_M_PER_MS,
  NULL_ISLAND_DEG,
  STAY_RADIUS_M,
  UNSEEN_WAY_M,
} from '../../trips/derive/rules.ts'
import type { Situation } from './situation.ts'

/** Fixes each of which a car can have reached from the one before, whatever was believed before the first. */
interface Chain {
  readonly firstMs: number
  readonly lastMs: number
  readonly lon: number
  readonly lat: number
  /** At least so many fixes in a row agree; undefined as long as the first of them may not be believed. */
  readonly count: number | undefined
}

/** So far from the fix before, a car has left its stay: that is around there at most `STAY_RADIUS_M` away, with a little for rounding. */
const SURELY_AWAY_M = 2.2 * STAY_RADIUS_M

const [PLUGGED_IN, POSITION, MILEAGE, IS_MOVING] = (
  ['IS_DONGLE_PLUGGED_IN', 'POSITION', 'MILEAGE', 'IS_MOVING'] as const satisfies readonly EventTypeName[]
).map(name => requiredEventType(name).id) as [EventTypeId, EventTypeId, EventTypeId, EventTypeId]

/**
 * Whether a fold that began in the midst of a history knows the same of the situation as one from its beginning on. It does not guess:
 * what it says to be known follows from the samples seen, whatever came before them.
 */
export class Settling {
  #isBegun = false
  #isSocketKnown: boolean
  #isPlaceKnown: boolean
  #isStayKnown: boolean
  #isOdometerKnown: boolean
  #isOdometerTimeKnown: boolean
  #isMovingKnown: boolean
  #chain: Chain | undefined

  /** @param isNew whether no sample before the first one seen has an event type */
  constructor(isNew: (type: EventTypeId) => boolean) {
    this.#isSocketKnown = isNew(PLUGGED_IN)
    this.#isPlaceKnown = isNew(POSITION)
    this.#isStayKnown = this.#isPlaceKnown
    this.#isOdometerKnown = isNew(MILEAGE)
    this.#isOdometerTimeKnown = this.#isOdometerKnown
    this.#isMovingKnown = isNew(IS_MOVING)
  }

  /** Whether all is known of it that a detector looks at. */
  knows(needs: 'place' | 'motion'): boolean {
    const isPlaced = this.#isBegun && this.#isSocketKnown && this.#isPlaceKnown && this.#isOdometerKnown
    return isPlaced && (needs === 'place' || (this.#isStayKnown && this.#isOdometerTimeKnown && this.#isMovingKnown))
  }

  /** @param before what the fold knew before the sample, and `now` after it */
  see(before: Situation | null, sample: Sample, now: Situation): void {
    this.#isBegun = true
    const reading = readingOf(sample)
    if (reading.isPluggedIn === false) return this.#knowAll()
    // Out of its socket nothing that it reports counts.
    this.#isSocketKnown ||= reading.isPluggedIn !== undefined || isFromCar(reading)
    if (!this.#isSocketKnown || now.isUnplugged) return
    if (reading.odometerKm !== undefined) {
      this.#isOdometerTimeKnown ||= this.#isOdometerKnown && before?.odometerKm !== reading.odometerKm
      this.#isOdometerKnown = true
    }
    this.#isMovingKnown ||= reading.isMoving !== undefined
    if (reading.position) this.#seeFix(reading.position, before, now)
  }

  #knowAll(): void {
    this.#isSocketKnown = true
    this.#isPlaceKnown = true
    this.#isStayKnown = true
    this.#isOdometerKnown = true
    this.#isOdometerTimeKnown = true
    this.#isMovingKnown = true
  }

  #seeFix(fix: Position, before: Situation | null, now: Situation): void {
    if (this.#isPlaceKnown) {
      const [from, to] = [before?.place, now.place]
      const isBelieved = to?.timeMs === now.lastMs
      this.#isStayKnown ||= isBelieved && from != null && distanceM(from, to) > SURELY_AWAY_M
      return
    }
    if (isNeverUsable(fix)) return
    this.#chain = chainAfter(this.#chain, fix, now.lastMs)
    this.#isPlaceKnown = this.#chain?.count === AGREEING_FIXES
  }
}

function isFromCar({ isIgnitionOn, isEngineOn, vehicleSpeedKmh }: Reading): boolean {
  return isIgnitionOn !== undefined || isEngineOn !== undefined || vehicleSpeedKmh !== undefined
}

function isNeverUsable({ lon, lat }: Position): boolean {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return true
  return Math.abs(lat) <= NULL_ISLAND_DEG && Math.abs(lon) <= NULL_ISLAND_DEG
}

/**
 * After `EXCURSION_MS` of fixes that agree with each other, the last is believed, whatever was believed before (`placeAfter`): as soon as
 * one of them agrees with that place, all after it do, and those that agree with each other elsewhere are believed by then.
 */
function chainAfter(chain: Chain | undefined, { lon, lat }: Position, timeMs: number): Chain | undefined {
  // Whether it can be meant depends on the place before.
  if (lon === 0 || lat === 0) return undefined
  const begun: Chain = { firstMs: timeMs, lastMs: timeMs, lon, lat, count: undefined }
  if (!chain) return begun
  const sinceMs = timeMs - chain.lastMs
  const movedM = distanceM(chain, { lon, lat })
  if (movedM > LIKELY_M_PER_MS * sinceMs + FIX_ERROR_M) return begun
  return { ...begun, firstMs: chain.firstMs, count: countAfter(chain, { lon, lat }, timeMs, movedM) }
}

function countAfter(chain: Chain, { lon, lat }: Position, timeMs: number, movedM: number): number | undefined {
  if (chain.count === undefined) return timeMs - chain.firstMs >= EXCURSION_MS ? 1 : undefined
  const isUnsure = timeMs - chain.lastMs > DATA_GAP_MS && movedM > UNSEEN_WAY_M
  if (isUnsure) return 1
  return Math.min(AGREEING_FIXES, chain.count + (chain.lon === lon && chain.lat === lat ? 0 : 1))
}
