import { diceOf } from '../dice.ts'
import type { Habit, Occupation } from './occupations.ts'

/** One drive of a day, before it is known how long it takes. */
export interface Leg {
  /** The place at the far end of the way. */
  readonly place: string
  readonly isBack: boolean
  /** Not before this minute of the local day, */
  readonly notBeforeMin: number
  /** and not before the car has stood for so long. */
  readonly standsMin: number
  readonly endsAtHome: boolean
}

const MINUTES_BETWEEN_OUTINGS = 10

/** What a driver does on a day, counted from 1970 in local time: always the same for the same seed. */
export function itineraryOf({ habits }: Occupation, day: number, seed: number): readonly Leg[] {
  return habits.flatMap((habit, i) => {
    const dice = diceOf(seed, day, i, 102)
    if (!dice.happens(isWeekend(day) ? habit.onWeekends : habit.onWorkdays)) return []
    return legsOf(habit, dice)
  })
}

function legsOf({ leavesMin, outings }: Habit, dice: ReturnType<typeof diceOf>): Leg[] {
  const leaves = dice.between(...leavesMin)
  const { places, staysMin } = dice.oneOf(outings)
  const there = places.map(place => ({ place, isBack: false }))
  const back = places.toReversed().map(place => ({ place, isBack: true }))
  return [...there, ...back].map((leg, i, all) => ({
    ...leg,
    notBeforeMin: leaves,
    standsMin: i === 0 ? MINUTES_BETWEEN_OUTINGS : dice.between(...(staysMin[i - 1] ?? [10, 20])),
    endsAtHome: i === all.length - 1,
  }))
}

/** The first day of 1970 was a Thursday. */
function isWeekend(day: number): boolean {
  return (day + 4) % 7 === 0 || (day + 4) % 7 === 6
}
