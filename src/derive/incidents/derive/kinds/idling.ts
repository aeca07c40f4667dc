import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { distanceM } from '../../../../model/earth.ts'
import { UNSEEN_WAY_M } from '../../../trips/derive/rules.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { SPELL_PACKING } from '../packed-spell.ts'
import { numberOf } from '../rule-book.ts'
import { isEngineRunning, type Situation } from '../situation.ts'
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

/** Faster, only a fix jumps. */
const SHORTEST_DRIVE_MS = 60_000

/** The car stands, and its engine runs. It ends with the last sample that said so, or with the one that says that the engine is off. */
export const idling: KindOfRule = rule => {
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const isLong = (spell: Spell) => lastedMs(spell) >= forMs
  return detector<Spell>({
    begins: TYPES.map(name => requiredEventType(name).id),
    beginsOnly: { motion: 'standing' },
    longestGapMs: LONGEST_STANDING_GAP_MS,
    packing: SPELL_PACKING,
    step(spell, moment) {
      const { timeMs, motion, now } = moment
      const isRunning = isEngineRunning(now)
      if (spell && timeMs - spell.lastMs >= SHORTEST_DRIVE_MS && isElsewhere(spell, now)) {
        const state = isRunning && motion === 'standing' ? spellFrom(moment, null) : null
        return { state, done: isLong(spell) ? [endedSpell(spell)] : [] }
      }
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

/** It was driven since the last sample, although no sample was of that: until then it stood. */
function isElsewhere({ lastLon, lastLat }: Spell, { place }: Situation): boolean {
  return (
    place !== null &&
    lastLon !== null &&
    lastLat !== null &&
    distanceM({ lon: lastLon, lat: lastLat }, place) > UNSEEN_WAY_M
  )
}
