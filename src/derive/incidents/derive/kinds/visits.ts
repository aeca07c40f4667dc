import { requiredEventType } from '../../../../catalogue/event-types.ts'
import {
  endedPresence,
  goingOnSince,
  type PresenceState,
  stepPresence,
  USUAL_PRESENCE,
} from '../../../../model/areas/presence.ts'
import type { Json } from '../../../fold-part.ts'
import { type Origin, packNear, unpackNear } from '../../../trips/derive/codec.ts'
import { type Packed } from '../../../trips/derive/packing/values.ts'
import { type Detector, detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import type { Finding } from '../finding.ts'
import type { Moment } from '../moment.ts'
import { packing } from '../packing.ts'
import { areaIdsOf, numberOf, type RuleVersion } from '../rule-book.ts'
import { LONGEST_PARKED_GAP_MS } from './bounds.ts'

/** A stay in one area so far, with the first and the last fix inside. */
type Stay = {
  readonly areaId: number
  readonly version: number
  readonly enteredMs: number
  readonly lastInsideMs: number
  readonly lon: number
  readonly lat: number
  readonly lastLon: number
  readonly lastLat: number
}

type Stays = readonly Stay[]

const packStay = ({ areaId, version, enteredMs, lastInsideMs, lon, lat, lastLon, lastLat }: Stay, origin: Origin) =>
  [
    areaId,
    version,
    enteredMs - origin.timeMs,
    lastInsideMs - origin.timeMs,
    packNear({ lon, lat }, origin),
    packNear({ lon: lastLon, lat: lastLat }, origin),
  ] as const
function unpackStay(packed: Packed<typeof packStay>, origin: Origin): Stay {
  const { lon, lat } = unpackNear(packed[4], origin)
  const { lon: lastLon, lat: lastLat } = unpackNear(packed[5], origin)
  return {
    areaId: packed[0],
    version: packed[1],
    enteredMs: packed[2] + origin.timeMs,
    lastInsideMs: packed[3] + origin.timeMs,
    lon,
    lat,
    lastLon,
    lastLat,
  }
}
const STAYS_PACKING = packing(
  (stays: Stays, origin) => stays.map(stay => packStay(stay, origin)),
  (packed, origin) => packed.map(stay => unpackStay(stay, origin)),
)

const POSITION = requiredEventType('POSITION').id
const FAR = Number.POSITIVE_INFINITY

/** What a kind makes of stays. */
interface VisitKind {
  readonly shortestStayMs: number
  /** A stay that has ended, and was long enough. */
  ended(stay: Stay): Finding | undefined
  /** A stay that goes on, and is long enough. */
  goingOn(stay: Stay): Finding | undefined
}

function visitDetector(rule: RuleVersion, kind: VisitKind): Detector<Json> {
  const ids = new Set(areaIdsOf(rule))
  const isNamed = (areaId: number) => ids.size === 0 || ids.has(areaId)
  const settings = { ...USUAL_PRESENCE, shortestStayMs: kind.shortestStayMs }
  const endedStay = (stay: Stay) => (endedPresence(stay, settings) ? (kind.ended(stay) ?? []) : [])
  return detector<Stays>({
    begins: [POSITION],
    occasion: { types: [POSITION], isInArea: true, needs: 'place' },
    isDeafToOthers: true,
    longestGapMs: LONGEST_PARKED_GAP_MS,
    packing: STAYS_PACKING,
    step(stays, moment) {
      const { timeMs, near, isFixBelieved } = moment
      if (!isFixBelieved) return stays ? goesOn(stays) : NOTHING
      if (!stays && near.length === 0) return NOTHING
      const after: Stay[] = []
      const done: Finding[] = []
      for (const stay of stays ?? []) {
        const found = near.find(({ area }) => area.areaId === stay.areaId && area.version === stay.version)
        const stepped = stepPresence(stay, { timeMs, signedDistanceM: found?.signedDistanceM ?? FAR }, settings)
        if (stepped.state) after.push(stayAfter(stay, stepped.state, moment))
        else done.push(...[endedStay(stay)].flat())
      }
      for (const { area, signedDistanceM } of near) {
        const { areaId, version } = area
        if (signedDistanceM <= 0 && isNamed(areaId) && !after.some(stay => stay.areaId === areaId))
          after.push(stayFrom(areaId, version, moment))
      }
      return { state: after.length > 0 ? after : null, done }
    },
    goingOn: stays => stays.flatMap(stay => (goingOnSince(stay, settings) === null ? [] : (kind.goingOn(stay) ?? []))),
    end: stays => stays.flatMap(endedStay),
  })
}

function stayFrom(areaId: number, version: number, { timeMs, now: { place } }: Moment): Stay {
  const { lon, lat } = place ?? { lon: 0, lat: 0 }
  return { areaId, version, enteredMs: timeMs, lastInsideMs: timeMs, lon, lat, lastLon: lon, lastLat: lat }
}

function stayAfter(stay: Stay, { lastInsideMs }: PresenceState, { now: { place } }: Moment): Stay {
  if (lastInsideMs === stay.lastInsideMs || !place) return stay
  const { areaId, version, enteredMs, lon, lat } = stay
  return { areaId, version, enteredMs, lastInsideMs, lon, lat, lastLon: place.lon, lastLat: place.lat }
}

const NO_PEAK = { peak: null, peakMs: null, detail: null } as const

function openVisit({ areaId, enteredMs, lon, lat }: Stay): Finding {
  const start = { startMs: enteredMs, startLongitude: lon, startLatitude: lat }
  return { ...start, endMs: null, endLongitude: null, endLatitude: null, ...NO_PEAK, areaId }
}

function endedVisit(stay: Stay): Finding {
  const { lastInsideMs, lastLon, lastLat } = stay
  return { ...openVisit(stay), endMs: lastInsideMs, endLongitude: lastLon, endLatitude: lastLat }
}

const visitFor = (shortestStayMs: number): VisitKind => ({
  shortestStayMs,
  ended: endedVisit,
  goingOn: openVisit,
})

/** From the first fix inside to the last. */
export const areaEntered: KindOfRule = rule =>
  visitDetector(rule, visitFor(numberOf(rule, 'shortestStayMinutes') * 60_000))

/** The same of longer visits only. */
export const areaStayed: KindOfRule = rule =>
  visitDetector(rule, visitFor(numberOf(rule, 'longerThanMinutes') * 60_000))

/** The moment of the last fix inside. */
export const areaLeft: KindOfRule = rule =>
  visitDetector(rule, {
    shortestStayMs: numberOf(rule, 'shortestStayMinutes') * 60_000,
    ended: ({ areaId, lastInsideMs, lastLon, lastLat }) => ({
      startMs: lastInsideMs,
      endMs: lastInsideMs,
      startLongitude: lastLon,
      startLatitude: lastLat,
      endLongitude: lastLon,
      endLatitude: lastLat,
      ...NO_PEAK,
      areaId,
    }),
    goingOn: () => undefined,
  })
