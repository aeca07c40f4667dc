import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { SPELL_PACKING } from '../packed-spell.ts'
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
    packing: SPELL_PACKING,
    step(spell, moment) {
      if (!moment.isFixBelieved) return spell ? goesOn(spell) : NOTHING
      const near = ids.size === 0 ? moment.near : moment.near.filter(({ area }) => ids.has(area.areaId))
      if (near.length === 0) return goesOn(spell ? withSample(spell, moment, null) : spellFrom(moment, null))
      if (near.every(({ signedDistanceM }) => signedDistanceM > 0)) return spell ? goesOn(spell) : NOTHING
      return spell && isLong(spell) ? { state: null, done: [endedSpell(spell)] } : NOTHING
    },
    goingOn: spell => (isLong(spell) ? [openSpell(spell)] : []),
    end: spell => (isLong(spell) ? [endedSpell(spell)] : []),
  })
}
