import { type Dice, diceOf } from '../dice.ts'
import type { Occupation, Outing, Range } from './occupations.ts'

/** One drive of a day, before it is known how long it takes. */
interface Leg {
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

/** After so many days, drivers go to the same places again, at other times: how far they come in years is known at once. */
export const ROSTER_DAYS = 28

/** What a driver does on a day, counted from 1970 in local time: always the same for the same seed. */
export function itineraryOf(occupation: Occupation, day: number, seed: number): readonly Leg[] {
  return outingsOn(occupation, day, seed).flatMap(({ leavesMin, outing }, i) =>
    legsOf(leavesMin, outing, diceOf(seed, day, i, 103)),
  )
}

/** Where the driver goes on that day of the roster. */
export function outingsOn(
  { habits }: Occupation,
  day: number,
  seed: number,
): readonly { readonly leavesMin: Range; readonly outing: Outing }[] {
  const rosterDay = day % ROSTER_DAYS
  return habits.flatMap(({ leavesMin, onWorkdays, onWeekends, outings }, i) => {
    const dice = diceOf(seed, rosterDay, i, 102)
    return dice.happens(isWeekend(day) ? onWeekends : onWorkdays) ? [{ leavesMin, outing: dice.oneOf(outings) }] : []
  })
}

function legsOf(leavesMin: Range, { places, staysMin }: Outing, dice: Dice): Leg[] {
  const leaves = dice.between(...leavesMin)
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
