import { type EventType, requiredEventType } from '../../../../catalogue/event-types.ts'
import { perLayout } from '../../../../model/sample.ts'
import { detector, type KindOfRule, type Stepped } from '../detector.ts'
import type { Moment } from '../moment.ts'
import { SPELL_PACKING } from '../packed-spell.ts'
import { textOf } from '../rule-book.ts'
import { endedSpell, type Spell, spellFrom, withSample } from '../spell.ts'
import { ANY_GAP_MS } from './bounds.ts'

/**
 * One more sample of jolts: those near to each other are one.
 * @param mps2 null where there was one of unknown strength, undefined where there was none
 */
export function stepJolts(
  spell: Spell | null,
  moment: Moment,
  mps2: number | null | undefined,
  togetherMs: number,
): Stepped<Spell> {
  const isOver = spell !== null && moment.timeMs - spell.lastMs > togetherMs
  const done = isOver ? [endedSpell(spell)] : []
  if (mps2 === undefined) return { state: isOver ? null : spell, done }
  return { state: spell && !isOver ? withSample(spell, moment, mps2) : spellFrom(moment, mps2), done }
}

const SEVERE = requiredEventType('SEVERE_CRASH')
const WEAK = requiredEventType('WEAK_CRASH')
/** A car that skids and rolls over is hit more than once. */
const CRASH_MS = 60_000

export const crash: KindOfRule = rule => {
  const types = textOf(rule, 'strength') === 'SEVERE' ? [SEVERE] : [SEVERE, WEAK]
  const greatestIn = greatestOf(types)
  return detector<Spell>({
    begins: types.map(({ id }) => id),
    occasion: { types: types.map(({ id }) => id), needs: 'place' },
    longestGapMs: ANY_GAP_MS,
    packing: SPELL_PACKING,
    step: (spell, moment) => stepJolts(spell, moment, greatestIn(moment), CRASH_MS),
    goingOn: spell => [endedSpell(spell)],
    end: spell => [endedSpell(spell)],
  })
}

/** Reads the greatest value of any of these types, whatever its sign. */
export function greatestOf(types: readonly EventType[]): (moment: Moment) => number | undefined {
  const indexesOf = perLayout(layout => types.map(type => layout.indexOf(type)).filter(index => index >= 0))
  return ({ sample, layout }) => {
    let greatest: number | undefined
    for (const index of indexesOf(layout)) greatest = Math.max(greatest ?? 0, Math.abs(sample.numbers[index] ?? 0))
    return greatest
  }
}
