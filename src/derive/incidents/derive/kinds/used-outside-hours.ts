import { type EventTypeId, requiredEventType } from '../../../../catalogue/event-types.ts'
import { MOTION_PAUSE_MS } from '../../../trips/derive/rules.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { SPELL_PACKING } from '../packed-spell.ts'
import { numberOf } from '../rule-book.ts'
import { endedSpell, lastedMs, openSpell, type Spell, spellFrom, withSample } from '../spell.ts'
import { isWithinHours } from '../weekly-hours.ts'
import { isAsleep } from './asleep.ts'
import { LONGEST_DRIVING_GAP_MS } from './bounds.ts'

const TYPES = [
  'VEHICLE_SPEED_AVERAGE',
  'VEHICLE_SPEED_MAX',
  'GPS_SPEED',
  'POSITION',
  'MILEAGE',
  'IS_MOVING',
  'IS_IGNITION_ON',
] as const

/** Without hours, its use is always permitted. */
const NEVER: readonly EventTypeId[] = []

/** The car is driven when its use is not permitted. It ends with the last motion before it was parked, or with the next permitted hour. */
export const usedOutsideHours: KindOfRule = rule => {
  const { hours } = rule
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const isLong = (spell: Spell) => lastedMs(spell) >= forMs
  return detector<Spell>({
    begins: hours ? TYPES.map(name => requiredEventType(name).id) : NEVER,
    longestGapMs: LONGEST_DRIVING_GAP_MS,
    packing: SPELL_PACKING,
    step(spell, moment) {
      const { timeMs } = moment
      const motion = isAsleep(moment) ? 'standing' : moment.motion
      const isPermitted = !hours || isWithinHours(hours, timeMs)
      const isOver = spell && (isPermitted || (motion !== 'moving' && timeMs - spell.lastMs > MOTION_PAUSE_MS))
      if (isOver) return isLong(spell) ? { state: null, done: [endedSpell(spell)] } : NOTHING
      if (isPermitted || motion !== 'moving') return spell ? goesOn(spell) : NOTHING
      return { state: spell ? withSample(spell, moment, null) : spellFrom(moment, null), done: [] }
    },
    goingOn: spell => (isLong(spell) ? [openSpell(spell)] : []),
    end: spell => (isLong(spell) ? [endedSpell(spell)] : []),
  })
}
