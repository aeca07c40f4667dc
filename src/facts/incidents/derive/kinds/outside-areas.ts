import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { flagOf, isSet, type Origin, type Packed } from '../../../trips/derive/packing/values.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import type { Finding } from '../finding.ts'
import { packSpell, unpackSpell } from '../packed-spell.ts'
import { packing, packPlace, unpackPlace } from '../packing.ts'
import { areaIdsOf, numberOf } from '../rule-book.ts'
import type { Situation } from '../situation.ts'
import type { Spell } from '../spell.ts'
import { LONGEST_PARKED_GAP_MS } from './bounds.ts'

/** Where the car was, and when. */
type Fix = { readonly timeMs: number; readonly lon: number | null; readonly lat: number | null }

/**
 * The car is out of all areas. Cars are so for hours, and a new state with each fix would cost more than all else of such a rule: it stays the same
 * while the last fix that is believed, which the situation has, says so.
 */
type Outside = {
  readonly start: Fix
  /** It has lasted long enough. */
  readonly isLong: boolean
  /** The last fix that said so, where a later one is believed that did not. */
  readonly last: Fix | null
}

const packFix = ({ timeMs, lon, lat }: Fix, origin: Origin) =>
  [timeMs - origin.timeMs, packPlace(lon, lat, origin)] as const
const unpackFix = ([sinceMs, place]: Packed<typeof packFix>, origin: Origin): Fix => ({
  timeMs: sinceMs + origin.timeMs,
  ...unpackPlace(place, origin),
})
const packOutside = ({ start, isLong, last }: Outside, origin: Origin) =>
  [packFix(start, origin), flagOf(isLong), last && packFix(last, origin)] as const
const unpackOutside = ([start, isLong, last]: Packed<typeof packOutside>, origin: Origin): Outside => ({
  start: unpackFix(start, origin),
  isLong: isSet(isLong),
  last: last && unpackFix(last, origin),
})

const POSITION = requiredEventType('POSITION').id

/** The car is in none of the areas. It begins when it is clearly out of all of them, and ends when it is in one. */
export const outsideAreas: KindOfRule = rule => {
  const ids = new Set(areaIdsOf(rule))
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const isLongAt = ({ timeMs: startMs }: Fix, timeMs: number) => timeMs - startMs >= forMs
  const ofSpell = (spell: Spell): Outside => {
    const { startMs, startLon, startLat, lastMs, lastLon, lastLat } = spell
    const start = { timeMs: startMs, lon: startLon, lat: startLat }
    return { start, isLong: isLongAt(start, lastMs), last: { timeMs: lastMs, lon: lastLon, lat: lastLat } }
  }
  return detector<Outside>({
    begins: [POSITION],
    isDeafToOthers: true,
    longestGapMs: LONGEST_PARKED_GAP_MS,
    packing: packing(
      packOutside,
      (packed: Packed<typeof packOutside> | Packed<typeof packSpell>, origin) =>
        isOutside(packed) ? unpackOutside(packed, origin) : ofSpell(unpackSpell(packed, origin)),
      (former: Spell) => ofSpell(former),
    ),
    step(outside, { timeMs, isFixBelieved, near: allNear, now, before }) {
      if (!isFixBelieved) return outside ? goesOn(outside) : NOTHING
      const near = ids.size === 0 ? allNear : allNear.filter(({ area }) => ids.has(area.areaId))
      if (near.length === 0) {
        const start = outside?.start ?? fixOf(now)
        const isLong = isLongAt(start, timeMs)
        const isSame = outside !== null && outside.isLong === isLong && outside.last === null
        return goesOn(isSame ? outside : { start, isLong, last: null })
      }
      if (!outside) return NOTHING
      const last = outside.last ?? fixOf(before ?? now)
      const isAtEdge = near.every(({ signedDistanceM }) => signedDistanceM > 0)
      if (isAtEdge) return goesOn(outside.last ? outside : { ...outside, last })
      return outside.isLong ? { state: null, done: [ended(outside, last)] } : NOTHING
    },
    goingOn: outside => (outside.isLong ? [open(outside)] : []),
    end: (outside, situation) => (outside.isLong ? [ended(outside, outside.last ?? fixOf(situation))] : []),
  })
}

function fixOf({ place, lastMs }: Situation): Fix {
  return place ? { timeMs: place.timeMs, lon: place.lon, lat: place.lat } : { timeMs: lastMs, lon: null, lat: null }
}

function open({ start }: Outside): Finding {
  return {
    startMs: start.timeMs,
    endMs: null,
    peak: null,
    peakMs: null,
    startLongitude: start.lon,
    startLatitude: start.lat,
    endLongitude: null,
    endLatitude: null,
    areaId: null,
    detail: null,
  }
}

function ended(outside: Outside, last: Fix): Finding {
  return { ...open(outside), endMs: last.timeMs, endLongitude: last.lon, endLatitude: last.lat }
}

/** In version 1 of the states that are stored, it was a spell. */
function isOutside(
  packed: Packed<typeof packOutside> | Packed<typeof packSpell>,
): packed is Packed<typeof packOutside> {
  return typeof packed[0] !== 'number'
}
