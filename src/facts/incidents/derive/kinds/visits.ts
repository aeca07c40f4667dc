import { requiredEventType } from '../../../../catalogue/event-types.ts'
import {
  endedPresence,
  goingOnSince,
  type PresenceState,
  stepPresence,
  USUAL_PRESENCE,
} from '../../../../model/areas/presence.ts'
import type { Json } from '../../../fold-part.ts'
import { type Detector, detector, type KindOfRule, NOTHING } from '../detector.ts'
import type { Finding } from '../finding.ts'
import type { Moment } from '../moment.ts'
import { areaIdsOf, numberOf, type RuleVersion } from '../rule-book.ts'
import { LONGEST_PARKED_GAP_MS } from './bounds.ts'

/** A stay in one area so far, with the first and the last fix inside. */
type Stay = {
  readonly version: number
  readonly enteredMs: number
  readonly lastInsideMs: number
  readonly lon: number
  readonly lat: number
  readonly lastLon: number
  readonly lastLat: number
}

/** By the ids of areas. */
type Stays = { readonly [areaId: string]: Stay }

const POSITION = requiredEventType('POSITION').id
const FAR = Number.POSITIVE_INFINITY

/** What a kind makes of stays. */
interface VisitKind {
  readonly shortestStayMs: number
  /** A stay that has ended, and was long enough. */
  ended(stay: Stay, areaId: number): Finding | undefined
  /** A stay that goes on, and is long enough. */
  goingOn(stay: Stay, areaId: number): Finding | undefined
}

function visitDetector(rule: RuleVersion, kind: VisitKind): Detector<Json> {
  const ids = new Set(areaIdsOf(rule))
  const isNamed = (areaId: number) => ids.size === 0 || ids.has(areaId)
  const settings = { ...USUAL_PRESENCE, shortestStayMs: kind.shortestStayMs }
  const endedStay = (stay: Stay, areaId: number) =>
    endedPresence(stay, settings) ? (kind.ended(stay, areaId) ?? []) : []
  return detector<Stays>({
    begins: [POSITION],
    longestGapMs: LONGEST_PARKED_GAP_MS,
    step(stays, moment) {
      const { timeMs, near, isFixBelieved } = moment
      if (!isFixBelieved) return stays ? { state: stays, done: [] } : NOTHING
      const after: Record<string, Stay> = {}
      const done: Finding[] = []
      for (const [areaId, stay] of Object.entries(stays ?? {})) {
        const found = near.find(({ area }) => area.areaId === Number(areaId) && area.version === stay.version)
        const stepped = stepPresence(stay, { timeMs, signedDistanceM: found?.signedDistanceM ?? FAR }, settings)
        if (stepped.state) after[areaId] = stayAfter(stay, stepped.state, moment)
        else done.push(...[endedStay(stay, Number(areaId))].flat())
      }
      for (const { area, signedDistanceM } of near)
        if (signedDistanceM <= 0 && !after[area.areaId] && isNamed(area.areaId))
          after[area.areaId] = stayFrom(area.version, moment)
      return { state: Object.keys(after).length > 0 ? after : null, done }
    },
    goingOn: stays =>
      Object.entries(stays).flatMap(([areaId, stay]) =>
        goingOnSince(stay, settings) === null ? [] : (kind.goingOn(stay, Number(areaId)) ?? []),
      ),
    end: stays => Object.entries(stays).flatMap(([areaId, stay]) => endedStay(stay, Number(areaId))),
  })
}

function stayFrom(version: number, { timeMs, now: { place } }: Moment): Stay {
  const { lon, lat } = place ?? { lon: 0, lat: 0 }
  return { version, enteredMs: timeMs, lastInsideMs: timeMs, lon, lat, lastLon: lon, lastLat: lat }
}

function stayAfter(stay: Stay, { lastInsideMs }: PresenceState, { now: { place } }: Moment): Stay {
  if (lastInsideMs === stay.lastInsideMs || !place) return stay
  return { ...stay, lastInsideMs, lastLon: place.lon, lastLat: place.lat }
}

const NO_PEAK = { peak: null, peakMs: null, detail: null } as const

function openVisit({ enteredMs, lon, lat }: Stay, areaId: number): Finding {
  const start = { startMs: enteredMs, startLongitude: lon, startLatitude: lat }
  return { ...start, endMs: null, endLongitude: null, endLatitude: null, ...NO_PEAK, areaId }
}

function endedVisit(stay: Stay, areaId: number): Finding {
  const { lastInsideMs, lastLon, lastLat } = stay
  return { ...openVisit(stay, areaId), endMs: lastInsideMs, endLongitude: lastLon, endLatitude: lastLat }
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
    ended: ({ lastInsideMs, lastLon, lastLat }, areaId) => ({
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
