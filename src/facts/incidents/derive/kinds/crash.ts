import { type EventType, requiredEventType } from '../../../../catalogue/event-types.ts'
import { detector, type KindOfRule, type Stepped } from '../detector.ts'
import type { Moment } from '../moment.ts'
import { numberIn } from '../number-in.ts'
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
  return detector<Spell>({
    begins: types.map(({ id }) => id),
    longestGapMs: ANY_GAP_MS,
    step: (spell, moment) => stepJolts(spell, moment, greatestIn(types, moment.sample), CRASH_MS),
    goingOn: spell => [endedSpell(spell)],
    end: spell => [endedSpell(spell)],
  })
}

/** The greatest value of any of these types, whatever its sign. */
export function greatestIn(types: readonly EventType[], sample: Moment['sample']): number | undefined {
  const told = types.flatMap(type => numberIn(sample, type) ?? [])
  return told.length > 0 ? Math.max(...told.map(Math.abs)) : undefined
}
