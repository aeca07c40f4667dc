import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { numberOf } from '../rule-book.ts'
import { isEngineRunning } from '../situation.ts'
import { endedAt, endedSpell, lastedMs, openSpell, type Spell, spellFrom, withSample } from '../spell.ts'
import { LONGEST_STANDING_GAP_MS } from './bounds.ts'

const TYPES = [
  'IS_IGNITION_ON',
  'ENGINE_STATE',
  'VEHICLE_SPEED_AVERAGE',
  'VEHICLE_SPEED_MAX',
  'GPS_SPEED',
  'POSITION',
] as const

/** The car stands, and its engine runs. It ends with the last sample that said so, or with the one that says that the engine is off. */
export const idling: KindOfRule = rule => {
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const isLong = (spell: Spell) => lastedMs(spell) >= forMs
  return detector<Spell>({
    begins: TYPES.map(name => requiredEventType(name).id),
    longestGapMs: LONGEST_STANDING_GAP_MS,
    step(spell, moment) {
      const { motion, now } = moment
      const isRunning = isEngineRunning(now)
      if (motion !== 'moving' && isRunning) {
        if (spell) return goesOn(withSample(spell, moment, null))
        return motion === 'standing' ? goesOn(spellFrom(moment, null)) : NOTHING
      }
      if (!spell) return NOTHING
      if (motion === 'moving') return isLong(spell) ? { state: null, done: [endedSpell(spell)] } : NOTHING
      const ended = withSample(spell, moment, null)
      return isLong(ended) ? { state: null, done: [endedAt(ended, now)] } : NOTHING
    },
    goingOn: spell => (isLong(spell) ? [openSpell(spell)] : []),
    end: spell => (isLong(spell) ? [endedSpell(spell)] : []),
  })
}
