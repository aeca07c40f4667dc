import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { numberIn } from '../number-in.ts'
import { packSpellIfAny, unpackSpellIfAny } from '../packed-spell.ts'
import { packing } from '../packing.ts'
import { numberOf } from '../rule-book.ts'
import { isEngineRunning } from '../situation.ts'
import { endedSpell, openSpell, type Spell, spellFrom, withSample } from '../spell.ts'
import { LONGEST_PARKED_GAP_MS } from './bounds.ts'

/** Since when the car has been at rest, and whether its voltage is low. */
type Rest = { readonly sinceMs: number; readonly spell: Spell | null }

const VOLTAGE = requiredEventType('BATTERY_VOLTAGE')
const TYPES = [VOLTAGE, requiredEventType('IS_IGNITION_ON'), requiredEventType('ENGINE_STATE')]

/** By so much the voltage must have risen, for the battery to have been charged: less is the temperature. */
const RECOVERED_V = 0.2
/** The generator, or a charger. */
const CHARGING_V = 13
/** A starter takes a moment, and so does a single wrong reading. */
const LEAST_READINGS = 2

const REST_PACKING = packing(
  ({ sinceMs, spell }: Rest, origin) => [sinceMs - origin.timeMs, packSpellIfAny(spell, origin)] as const,
  ([since, spell], origin) => ({ sinceMs: since + origin.timeMs, spell: unpackSpellIfAny(spell, origin) }),
)

/** The voltage of the starter battery is low while the car has been at rest for a while: driving and starting say nothing. */
export const lowBattery: KindOfRule = rule => {
  const belowV = numberOf(rule, 'belowV')
  const restMs = numberOf(rule, 'restMinutes') * 60_000
  const isSure = (spell: Spell) => spell.count >= LEAST_READINGS
  return detector<Rest>({
    begins: TYPES.map(({ id }) => id),
    beginsOnly: { isIgnitionOff: true },
    occasion: { types: [VOLTAGE.id], below: belowV, needs: 'all' },
    longestGapMs: LONGEST_PARKED_GAP_MS,
    packing: REST_PACKING,
    step(rest, moment) {
      const { timeMs, now, motion } = moment
      const voltageV = numberIn(moment, VOLTAGE)
      const ended = rest?.spell && isSure(rest.spell) ? [endedSpell(rest.spell)] : []
      // A hybrid drives with its engine off; a car whose ignition is off is towed.
      const isDriven = motion === 'moving' && now.isIgnitionOn !== false
      const isAtRest = isEngineRunning(now) === false && now.isIgnitionOn !== true && !isDriven
      if (!isAtRest) return ended.length > 0 ? { state: null, done: ended } : NOTHING
      const sinceMs = rest?.sinceMs ?? timeMs
      const spell = rest?.spell ?? null
      if (voltageV === undefined || voltageV <= 0) return goesOn(rest ?? { sinceMs, spell })
      // The charge on its surface is gone only some time after it was charged.
      if (voltageV >= CHARGING_V) return { state: { sinceMs: timeMs, spell: null }, done: ended }
      if (timeMs - sinceMs < restMs) return goesOn(rest ?? { sinceMs, spell })
      if (voltageV < (spell ? belowV + RECOVERED_V : belowV)) {
        const low = spell ? withSample(spell, moment, voltageV, true) : spellFrom(moment, voltageV)
        return goesOn({ sinceMs, spell: low })
      }
      return { state: { sinceMs, spell: null }, done: ended }
    },
    goingOn: ({ spell }) => (spell && isSure(spell) ? [openSpell(spell)] : []),
    end: ({ spell }) => (spell && isSure(spell) ? [endedSpell(spell)] : []),
  })
}
