import { type EventType, requiredEventType } from '../../../../catalogue/event-types.ts'
import type { Json } from '../../../fold-part.ts'
import { type Detector, detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { numberIn } from '../number-in.ts'
import { SPELL_PACKING } from '../packed-spell.ts'
import { endedAt, endedSpell, openSpell, type Spell, spellFrom } from '../spell.ts'
import { ANY_GAP_MS } from './bounds.ts'

/** From when the dongle says so until it says otherwise. */
function saidDetector(type: EventType, value: 0 | 1, isOfDongle: boolean): Detector<Json> {
  return detector<Spell>({
    begins: [type.id],
    occasion: { types: [type.id], ...(value === 1 ? { above: 0 } : { below: 1 }), needs: 'place' },
    isDeafToOthers: true,
    longestGapMs: ANY_GAP_MS,
    isOfDongle,
    packing: SPELL_PACKING,
    step(spell, moment) {
      const said = numberIn(moment, type)
      if (said === undefined) return spell ? goesOn(spell) : NOTHING
      if (said === value) return { state: spell ?? spellFrom(moment, null), done: [] }
      return spell ? { state: null, done: [endedAt(spell, moment.now)] } : NOTHING
    },
    goingOn: spell => [openSpell(spell)],
    end: (spell, last) => [last.lastMs > spell.startMs ? endedAt(spell, last) : endedSpell(spell)],
  })
}

export const malfunctionIndicatorOn: KindOfRule = () => saidDetector(requiredEventType('IS_MIL_ON'), 1, false)

export const unplugged: KindOfRule = () => saidDetector(requiredEventType('IS_DONGLE_PLUGGED_IN'), 0, true)
