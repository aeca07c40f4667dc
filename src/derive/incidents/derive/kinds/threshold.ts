import { type EventTypeName, requiredEventType } from '../../../../catalogue/event-types.ts'
import type { Json } from '../../../fold-part.ts'
import { type Detector, detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { numberIn } from '../number-in.ts'
import { SPELL_PACKING } from '../packed-spell.ts'
import { numberOf, textOf } from '../rule-book.ts'
import { endedSpell, lastedMs, openSpell, type Spell, spellFrom, withSample } from '../spell.ts'
import { LONGEST_STANDING_GAP_MS } from './bounds.ts'

interface Threshold {
  readonly type: EventTypeName
  /** It begins beyond it. */
  readonly limit: number
  /** It ends when the value is back by more than this. */
  readonly hysteresis: number
  readonly forMs: number
  readonly isBelow: boolean
  /** Values beyond it are what the car sends for none. */
  readonly most?: number
}

/** A value is beyond a limit for a time; a single reading is enough where that time is 0. */
function thresholdDetector({ type, limit, hysteresis, forMs, isBelow, most = Infinity }: Threshold): Detector<Json> {
  const eventType = requiredEventType(type)
  const isBeyond = (value: number, by: number) => (isBelow ? value < by : value > by)
  const back = isBelow ? limit + hysteresis : limit - hysteresis
  const isLong = (spell: Spell) => lastedMs(spell) >= forMs
  return detector<Spell>({
    begins: [eventType.id],
    occasion: { types: [eventType.id], ...(isBelow ? { below: limit } : { above: limit }), needs: 'place' },
    isDeafToOthers: true,
    longestGapMs: LONGEST_STANDING_GAP_MS,
    packing: SPELL_PACKING,
    step(spell, moment) {
      const value = numberIn(moment, eventType)
      if (value === undefined || value > most) return spell ? goesOn(spell) : NOTHING
      if (isBeyond(value, spell ? back : limit))
        return { state: spell ? withSample(spell, moment, value, isBelow) : spellFrom(moment, value), done: [] }
      return spell && isLong(spell) ? { state: null, done: [endedSpell(spell)] } : NOTHING
    },
    goingOn: spell => (isLong(spell) ? [openSpell(spell)] : []),
    end: spell => (isLong(spell) ? [endedSpell(spell)] : []),
  })
}

const valueBeyond =
  (isBelow: boolean): KindOfRule =>
  rule =>
    thresholdDetector({
      type: textOf(rule, 'eventType') as EventTypeName,
      limit: numberOf(rule, 'limit'),
      hysteresis: numberOf(rule, 'hysteresis'),
      forMs: numberOf(rule, 'forS') * 1000,
      isBelow,
    })

export const valueAbove = valueBeyond(false)
export const valueBelow = valueBeyond(true)

/** OBD's greatest temperature is 215 °C, which cars send for none. */
const MOST_COOLANT_C = 200

export const engineHot: KindOfRule = rule =>
  thresholdDetector({
    type: 'ENGINE_COOLANT_TEMPERATURE',
    limit: numberOf(rule, 'aboveC'),
    hysteresis: COOLED_BY_C,
    forMs: numberOf(rule, 'forS') * 1000,
    isBelow: false,
    most: MOST_COOLANT_C,
  })

/** A thermostat that works keeps the temperature within less. */
const COOLED_BY_C = 5
