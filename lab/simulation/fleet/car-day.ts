import { chance, type Dice, diceOf } from '../chance.ts'
import { backwards, type Drive, planDrive, type Schedule } from '../drive-plan.ts'
import { type AddressBook, addressBookOf, type Occupation, type Outing, type Range, roadOf } from './occupations.ts'
import { forgettable, recentDays } from './recent-days.ts'
import type { VirtualCar } from './virtual-fleet.ts'

export const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Before that, all cars of the fleet are parked at home. */
export const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS
/** Since the last drive of the day before, at least. */
const NIGHT_MS = 3 * 3_600_000

/** Everything that a car does from one day break to the next. At both it is at home, charged and cold. */
export interface CarDay extends Schedule {
  readonly fromMs: number
  readonly toMs: number
}

export function dayStartMs({ occupation, utcOffsetMin }: VirtualCar, day: number): number {
  const minute = (occupation.dayBreakMin - utcOffsetMin + 1440) % 1440
  return day * DAY_MS + minute * MINUTE_MS
}

export function dayAt(car: VirtualCar, timeMs: number): number {
  return Math.floor((timeMs - dayStartMs(car, 0)) / DAY_MS)
}

const planned = recentDays<CarDay>(3)

export function planCarDay(virtualCar: VirtualCar, day: number): CarDay {
  return planned(virtualCar, day, () => planAnew(virtualCar, day))
}

function planAnew(virtualCar: VirtualCar, day: number): CarDay {
  const { car, home, occupation, style, utcOffsetMin, seed } = virtualCar
  const book = bookOf(virtualCar)
  const [fromMs, toMs] = [dayStartMs(virtualCar, day), dayStartMs(virtualCar, day + 1)]
  const startOdometerM = odometerBefore(virtualCar, day)
  const drives: Drive[] = []
  let odometerM = startOdometerM
  let freeFromMs = fromMs
  const legs = day < FIRST_DAY ? [] : itineraryOf(occupation, day, seed)
  for (const [i, leg] of legs.entries()) {
    const way = book.get(leg.place)
    if (!way) throw new Error(`nobody knows the way to ${leg.place}`)
    const planOf = forgettable(() => {
      const route = leg.isBack ? backwards(roadOf(way)) : roadOf(way)
      return planDrive(route, Math.floor(chance(seed, day, i, 121) * 2 ** 31), style)
    })
    const notBeforeMs = day * DAY_MS + (leg.notBeforeMin - utcOffsetMin) * MINUTE_MS
    const startMs = Math.round(Math.max(notBeforeMs, freeFromMs + leg.standsMin * MINUTE_MS))
    const drivenM = lengthM(book, leg.place, leg.isBack)
    const endMs = startMs + planOf().lastsMs
    drives.push({
      startMs,
      endMs,
      get plan() {
        return planOf()
      },
      lengthM: drivenM,
      startOdometerM: odometerM,
      endsAtCharger: leg.endsAtHome,
    })
    odometerM += drivenM
    freeFromMs = endMs
  }
  return { car, fromMs, toMs, parkedAt: home, parkedSinceMs: fromMs - NIGHT_MS, startOdometerM, drives }
}

const books = new WeakMap<VirtualCar, AddressBook>()

function bookOf(car: VirtualCar): AddressBook {
  const book = books.get(car) ?? addressBookOf(car.occupation, car.home, car.seed)
  books.set(car, book)
  return book
}

function lengthM(book: AddressBook, place: string, isBack: boolean): number {
  const way = book.get(place)
  return (isBack ? way?.backM : way?.thereM) ?? 0
}

const rosters = new WeakMap<VirtualCar, readonly number[]>()

/** In whole metres, when a day begins: it follows from where the days before led. */
function odometerBefore(car: VirtualCar, day: number): number {
  const roster = rosters.get(car) ?? rosterM(car)
  rosters.set(car, roster)
  const upTo = (days: number) =>
    Math.floor(days / ROSTER_DAYS) * (roster[ROSTER_DAYS] ?? 0) + (roster[days % ROSTER_DAYS] ?? 0)
  return car.firstOdometerM + upTo(Math.max(day, FIRST_DAY)) - upTo(FIRST_DAY)
}

function rosterM(car: VirtualCar): number[] {
  const book = bookOf(car)
  const sumsM = [0]
  for (let day = 0; day < ROSTER_DAYS; day++) {
    const ways = outingsOn(car.occupation, day, car.seed).flatMap(({ outing }) => outing.places)
    const drivenM = ways.reduce((sum, place) => sum + lengthM(book, place, false) + lengthM(book, place, true), 0)
    sumsM.push((sumsM.at(-1) ?? 0) + drivenM)
  }
  return sumsM
}

interface Leg {
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
const ROSTER_DAYS = 28

function itineraryOf(occupation: Occupation, day: number, seed: number): readonly Leg[] {
  return outingsOn(occupation, day, seed).flatMap(({ leavesMin, outing }, i) =>
    legsOf(leavesMin, outing, diceOf(seed, day, i, 103)),
  )
}

function outingsOn(
  { habits }: Occupation,
  day: number,
  seed: number,
): readonly { readonly leavesMin: Range; readonly outing: Outing }[] {
  const rosterDay = day % ROSTER_DAYS
  return habits.flatMap(({ leavesMin, onWorkdays = 1, onWeekends = 1, onlyOn, outings }, i) => {
    const dice = diceOf(seed, rosterDay, i, 102)
    if (onlyOn?.includes(weekdayOf(day)) === false) return []
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

/** 0 is Sunday; the first day of 1970 was a Thursday. */
const weekdayOf = (day: number) => (day + 4) % 7

function isWeekend(day: number): boolean {
  return weekdayOf(day) === 0 || weekdayOf(day) === 6
}
