import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { areaIdsOf, numberOf } from '../rule-book.ts'
import { endedSpell, lastedMs, openSpell, type Spell, spellFrom, withSample } from '../spell.ts'
import { LONGEST_PARKED_GAP_MS } from './bounds.ts'

const POSITION = requiredEventType('POSITION').id

/** The car is in none of the areas. It begins when it is clearly out of all of them, and ends when it is in one. */
export const outsideAreas: KindOfRule = rule => {
  const ids = new Set(areaIdsOf(rule))
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const isLong = (spell: Spell) => lastedMs(spell) >= forMs
  return detector<Spell>({
    begins: [POSITION],
    isDeafToOthers: true,
    longestGapMs: LONGEST_PARKED_GAP_MS,
    step(spell, moment) {
      const unchanged = spell ? goesOn(spell) : NOTHING
      if (!moment.isFixBelieved) return unchanged
      const near = moment.near.filter(({ area }) => ids.size === 0 || ids.has(area.areaId))
      if (near.length === 0)
        return { state: spell ? withSample(spell, moment, null) : spellFrom(moment, null), done: [] }
      if (near.every(({ signedDistanceM }) => signedDistanceM > 0)) return unchanged
      return spell && isLong(spell) ? { state: null, done: [endedSpell(spell)] } : NOTHING
    },
    goingOn: spell => (isLong(spell) ? [openSpell(spell)] : []),
    end: spell => (isLong(spell) ? [endedSpell(spell)] : []),
  })
}
