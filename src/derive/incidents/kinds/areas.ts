import { requiredEventType } from '../../../catalogue/event-types.ts'
import { type PresenceState, stepPresence, USUAL_PRESENCE, visitOf } from '../../../model/areas/presence.ts'
import type { Json } from '../../fold-part.ts'
import { areaIdsOf, numberOf, type RuleVersion } from '../../rules/rule-book.ts'
import { leftFor } from '../believed-place.ts'
import {
  ANY_GAP_MS,
  type Detector,
  detector,
  type Finding,
  goesOn,
  type KindOfRule,
  LONGEST_PARKED_GAP_MS,
  NOTHING,
  type Observation,
  UNKNOWN_FINDING,
} from '../detector.ts'
import { endedPeriod, lastedMs, openPeriod, type Period, periodFrom, withSample } from '../period.ts'

const POSITION = requiredEventType('POSITION').id

/** From the first fix inside to the last. */
export const areaEntered: KindOfRule = rule => visitDetector(rule, 'shortestStayMinutes')

/** The same of longer visits only. */
export const areaStayed: KindOfRule = rule => visitDetector(rule, 'longerThanMinutes')

/** The instant of the last fix inside. */
export const areaLeft: KindOfRule = rule => visitDetector(rule, 'shortestStayMinutes', true)

/** The car is in none of the areas. It begins when it is clearly out of all of them, and ends with the last fix before it is in one. */
export const outsideAreas: KindOfRule = rule => {
  const ids = new Set(areaIdsOf(rule))
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const isLong = (period: Period) => lastedMs(period) >= forMs
  return detector<Period>({
    types: [POSITION],
    longestGapMs: LONGEST_PARKED_GAP_MS,
    step(period, observation) {
      if (!observation.isFixBelieved) return period ? goesOn(period) : NOTHING
      const near = observation.near.filter(({ area }) => ids.size === 0 || ids.has(area.areaId))
      if (near.length === 0)
        return goesOn(period ? withSample(period, observation, null) : periodFrom(observation, null))
      if (!period) return NOTHING
      const isAtEdge = near.every(({ signedDistanceM }) => signedDistanceM > 0)
      if (isAtEdge) return goesOn(period)
      return isLong(period) ? { state: null, done: [endedPeriod(period)] } : NOTHING
    },
    goingOn: period => (isLong(period) ? [openPeriod(period)] : []),
    end: period => (isLong(period) ? [endedPeriod(period)] : []),
  })
}

/** A stay in one area so far, with the first and the last fix inside. */
type VisitStay = {
  readonly areaId: number
  readonly version: number
  readonly enteredMs: number
  readonly lastInsideMs: number
  readonly lon: number
  readonly lat: number
  readonly lastLon: number
  readonly lastLat: number
}

function openVisit({ areaId, enteredMs, lon, lat }: VisitStay): Finding {
  return { ...UNKNOWN_FINDING, startMs: enteredMs, startLongitude: lon, startLatitude: lat, areaId }
}

/** @param isEnd only the end is found, and only where the car was seen to leave: not when its dongle is in another car, or
 * another rule holds */
function visitDetector(rule: RuleVersion, shortest: string, isEnd = false): Detector<Json> {
  const ids = new Set(areaIdsOf(rule))
  const settings = { ...USUAL_PRESENCE, shortestStayMs: numberOf(rule, shortest) * 60_000 }
  const ended = (stay: VisitStay): Finding[] => {
    if (!visitOf(stay, settings)) return []
    const { lastInsideMs, lastLon, lastLat } = stay
    const begun = isEnd ? { ...stay, enteredMs: lastInsideMs, lon: lastLon, lat: lastLat } : stay
    return [{ ...openVisit(begun), endMs: lastInsideMs, endLongitude: lastLon, endLatitude: lastLat }]
  }
  return detector<readonly VisitStay[]>({
    types: [POSITION],
    // A car stays where it was last seen, as `/visits` says, however long nothing comes.
    longestGapMs: ANY_GAP_MS,
    outlastsSocket: true,
    step(stays, observation) {
      const { timeMs, near, isFixBelieved, before, now } = observation
      if (!isFixBelieved || !now.place) return stays ? goesOn(stays) : NOTHING
      const { lon, lat } = now.place
      if (!stays && near.length === 0) return NOTHING
      const after: VisitStay[] = []
      const done: Finding[] = []
      for (const stay of stays ?? []) {
        const found = near.find(({ area }) => area.areaId === stay.areaId && area.version === stay.version)
        const signedDistanceM = found?.signedDistanceM ?? Number.POSITIVE_INFINITY
        const state = stepPresence(stay, { timeMs, signedDistanceM }, settings)
        if (state) after.push(stayAfter(stay, state, observation))
        // Where it was drawn anew, nobody saw the car leave.
        else if (!isEnd || !near.some(({ area }) => area.areaId === stay.areaId))
          done.push(...ended(leftFor(stay, before?.place, now.place)))
      }
      for (const { area, signedDistanceM } of near) {
        const { areaId, version } = area
        const isNamed = ids.size === 0 || ids.has(areaId)
        if (signedDistanceM <= 0 && isNamed && !after.some(stay => stay.areaId === areaId))
          after.push({ areaId, version, enteredMs: timeMs, lastInsideMs: timeMs, lon, lat, lastLon: lon, lastLat: lat })
      }
      return { state: after.length > 0 ? after : null, done }
    },
    goingOn: stays => (isEnd ? [] : stays.filter(stay => visitOf(stay, settings)).map(openVisit)),
    end: stays => (isEnd ? [] : stays.flatMap(ended)),
  })
}

function stayAfter(stay: VisitStay, { lastInsideMs }: PresenceState, { now: { place } }: Observation): VisitStay {
  if (lastInsideMs === stay.lastInsideMs || !place) return stay
  return { ...stay, lastInsideMs, lastLon: place.lon, lastLat: place.lat }
}
