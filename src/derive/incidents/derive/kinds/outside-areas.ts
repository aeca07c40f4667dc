import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { type Origin } from '../../../trips/derive/codec.ts'
import { flagOf, isSet, type Packed } from '../../../trips/derive/packing/values.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { packSpell, unpackSpell } from '../packed-spell.ts'
import { packing } from '../packing.ts'
import { areaIdsOf, numberOf } from '../rule-book.ts'
import type { Situation } from '../situation.ts'
import { endedSpell, lastedMs, openSpell, type Spell, spellFrom } from '../spell.ts'
import { LONGEST_PARKED_GAP_MS } from './bounds.ts'

/**
 * The car is out of all areas. Cars are so for hours, and a new state with each fix would cost more than all else of such a rule: it stays the same
 * while the last fix that is believed, which the situation has, says so.
 */
type Outside = {
  /** Until when is told only where `isThere` is not. */
  readonly spell: Spell
  /** It has lasted long enough. */
  readonly isLong: boolean
  /** The last fix that is believed says so. */
  readonly isThere: boolean
}

const packOutside = ({ spell, isLong, isThere }: Outside, origin: Origin) =>
  [packSpell(spell, origin), flagOf(isLong), flagOf(isThere)] as const
const unpackOutside = ([spell, isLong, isThere]: Packed<typeof packOutside>, origin: Origin): Outside => ({
  spell: unpackSpell(spell, origin),
  isLong: isSet(isLong),
  isThere: isSet(isThere),
})

const POSITION = requiredEventType('POSITION').id

/** The car is in none of the areas. It begins when it is clearly out of all of them, and ends when it is in one. */
export const outsideAreas: KindOfRule = rule => {
  const ids = new Set(areaIdsOf(rule))
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const ofSpell = (spell: Spell): Outside => ({ spell, isLong: lastedMs(spell) >= forMs, isThere: false })
  return detector<Outside>({
    begins: [POSITION],
    isDeafToOthers: true,
    longestGapMs: LONGEST_PARKED_GAP_MS,
    packing: packing(
      packOutside,
      (packed: Packed<typeof packOutside> | Packed<typeof packSpell>, origin) =>
        isOutside(packed) ? unpackOutside(packed, origin) : ofSpell(unpackSpell(packed, origin)),
      ofSpell,
    ),
    step(outside, moment) {
      const { timeMs, isFixBelieved, before, now } = moment
      if (!isFixBelieved) return outside ? goesOn(outside) : NOTHING
      const near = ids.size === 0 ? moment.near : moment.near.filter(({ area }) => ids.has(area.areaId))
      if (near.length === 0) {
        const spell = outside ? outside.spell : spellFrom(moment, null)
        const isLong = timeMs - spell.startMs >= forMs
        const isSame = outside?.isThere && outside.isLong === isLong
        return goesOn(isSame ? outside : { spell: begun(spell), isLong, isThere: true })
      }
      if (!outside) return NOTHING
      const spell = spellUntil(outside, before ?? now)
      const isAtEdge = near.every(({ signedDistanceM }) => signedDistanceM > 0)
      if (isAtEdge) return goesOn(outside.isThere ? { ...outside, spell, isThere: false } : outside)
      return outside.isLong ? { state: null, done: [endedSpell(spell)] } : NOTHING
    },
    goingOn: ({ spell, isLong }) => (isLong ? [openSpell(spell)] : []),
    end: (outside, situation) => (outside.isLong ? [endedSpell(spellUntil(outside, situation))] : []),
  })
}

/** As it began: what it says of its last fix counts no more, and equal states are stored equally. */
function begun(spell: Spell): Spell {
  const { startMs, startLon, startLat } = spell
  return { ...spell, lastMs: startMs, lastLon: startLon, lastLat: startLat, count: 1 }
}

/** With the last fix that said so. @param situation after the last sample that did */
function spellUntil({ spell, isThere }: Outside, { place }: Situation): Spell {
  return isThere && place ? { ...spell, lastMs: place.timeMs, lastLon: place.lon, lastLat: place.lat } : spell
}

/** In version 1 of the states that are stored, it was a spell. */
function isOutside(
  packed: Packed<typeof packOutside> | Packed<typeof packSpell>,
): packed is Packed<typeof packOutside> {
  return typeof packed[0] !== 'number'
}
