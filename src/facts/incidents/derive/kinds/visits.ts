import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { endedPresence, goingOnSince, presenceAt, USUAL_PRESENCE } from '../../../../model/areas/presence.ts'
import type { Json } from '../../../fold-part.ts'
import { type Detector, detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import type { Finding } from '../finding.ts'
import type { Moment } from '../moment.ts'
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
type Near = Moment['near'][number]

/** A stay that is written over with each fix inside, by the run that made it. */
class LiveStay implements Stay {
  readonly areaId: number
  readonly version: number
  readonly enteredMs: number
  readonly lon: number
  readonly lat: number
  lastInsideMs: number
  lastLon: number
  lastLat: number

  constructor(of: Stay) {
    this.areaId = of.areaId
    this.version = of.version
    this.enteredMs = of.enteredMs
    this.lon = of.lon
    this.lat = of.lat
    this.lastInsideMs = of.lastInsideMs
    this.lastLon = of.lastLon
    this.lastLat = of.lastLat
  }
}

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
  const isInside = ({ area, signedDistanceM }: Near) =>
    presenceAt(signedDistanceM, settings) === 'inside' && isNamed(area.areaId)
  return detector<Stays>({
    begins: [POSITION],
    occasion: { types: [POSITION], isInArea: true, needs: 'place' },
    isDeafToOthers: true,
    longestGapMs: LONGEST_PARKED_GAP_MS,
    step(stays, moment) {
      const { near, isFixBelieved } = moment
      if (!isFixBelieved) return stays ? goesOn(stays) : NOTHING
      if (!stays && !near.some(isInside)) return NOTHING
      const only = stays ? onlyNear(stays, near) : undefined
      const at = only && presenceAt(only.signedDistanceM, settings)
      if (stays && at === 'near') return goesOn(stays)
      if (stays && at === 'inside') return goesOn(staysAfter(stays, moment))
      const after: Stay[] = []
      const done: Finding[] = []
      for (const stay of stays ?? []) {
        const found = near.find(each => isOf(each, stay))
        const now = presenceAt(found?.signedDistanceM ?? FAR, settings)
        if (now === 'outside') done.push(...[endedStay(stay)].flat())
        else after.push(now === 'inside' ? stayAfter(stay, moment) : stay)
      }
      for (const each of near) {
        const { areaId, version } = each.area
        if (isInside(each) && !after.some(stay => stay.areaId === areaId)) after.push(stayFrom(areaId, version, moment))
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

/** The stay after one more fix inside: it may be the same, written over. */
function stayAfter(stay: Stay, { timeMs, now: { place } }: Moment): Stay {
  const live = stay instanceof LiveStay ? stay : new LiveStay(stay)
  live.lastInsideMs = timeMs
  live.lastLon = place?.lon ?? live.lastLon
  live.lastLat = place?.lat ?? live.lastLat
  return live
}

/** The area of the only stay, if no other one is near; mostly it is so, and then none can begin. */
function onlyNear(stays: Stays, near: Moment['near']): Near | undefined {
  const [stay, only] = [stays[0], near[0]]
  return stays.length === 1 && near.length === 1 && stay && only && isOf(only, stay) ? only : undefined
}

function staysAfter(stays: Stays, moment: Moment): Stays {
  const stay = stays[0]
  if (!stay) return stays
  const after = stayAfter(stay, moment)
  return after === stay ? stays : [after]
}

function isOf({ area }: Near, { areaId, version }: Stay): boolean {
  return area.areaId === areaId && area.version === version
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
