import { type Reading, readingsBetween } from '../readings.ts'
import { pluggedIn, type Recording, sourceOf } from '../recording.ts'
import type { Source } from '../reports.ts'
import { type Stint, trueTripOf } from '../truth.ts'
import { type CarDay, DAY_MS, dayStartMs, FIRST_DAY, planCarDay } from './car-day.ts'
import { faultsBetween } from './fault-codes.ts'
import { recentDays } from './recent-days.ts'
import type { VirtualCar, VirtualDongle } from './virtual-fleet.ts'

/** How long a dongle that changes cars stays in each; on the first of these days it is in none. */
const STAYS_DAYS = 5

/** For how long a dongle stays before the one with which it takes turns replaces it. */
const TURN_DAYS = 4

function turnOn({ seed }: VirtualCar, day: number): number {
  return Math.floor((day - FIRST_DAY + (seed % TURN_DAYS)) / TURN_DAYS) % 2
}

/** Why the dongle is not in the same car on the next day. */
export function changeAfter({ cars, turn }: VirtualDongle, day: number): 'moved' | 'replaced' {
  return turn !== undefined && turnOn(cars[0], day) !== turnOn(cars[0], day + 1) ? 'replaced' : 'moved'
}

/** In which car the dongle is on that day of this car; undefined before the fleet begins and while it is in none. */
function carOn({ cars, turn }: VirtualDongle, day: number): VirtualCar | undefined {
  if (day < FIRST_DAY) return undefined
  if (turn !== undefined && turnOn(cars[0], day) !== turn) return undefined
  if (cars.length === 1) return cars[0]
  // The same for both dongles that change cars, and not for all on the same day.
  const shifted = day - FIRST_DAY + (cars.reduce((sum, { seed }) => sum + seed, 0) % STAYS_DAYS)
  if (shifted % STAYS_DAYS === STAYS_DAYS - 1) return undefined
  return cars[Math.floor(shifted / STAYS_DAYS) % cars.length]
}

/** A dongle in a car, from one day break of that car to the next. */
export interface DongleDay {
  readonly day: number
  readonly virtualCar: VirtualCar
  readonly plan: CarDay
  readonly source: Source
  readonly stint: Stint
  /** It is plugged in when the day begins, pulled out before it ends. */
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Days of the dongle that overlap the time after `fromMs` up to `toMs`, one after the other; in one car only, if it is given. */
export function* dongleDays(
  dongle: VirtualDongle,
  fromMs: number,
  toMs: number,
  inCar?: VirtualCar,
): Generator<DongleDay> {
  for (let day = Math.floor(fromMs / DAY_MS) - 1; day <= Math.floor(toMs / DAY_MS); day++) {
    const car = carOn(dongle, day)
    if (!car || (inCar && car !== inCar)) continue
    if (dayStartMs(car, day) > toMs || dayStartMs(car, day + 1) <= fromMs) continue
    yield worked(dongle, day, () => dongleDayOf(dongle, car, day))
  }
}

const worked = recentDays<DongleDay>(3)

function dongleDayOf(virtualDongle: VirtualDongle, virtualCar: VirtualCar, day: number): DongleDay {
  const plan = planCarDay(virtualCar, day)
  const { fromMs, toMs } = plan
  const stint = { schedule: plan, faults: faultsBetween(virtualCar, fromMs, toMs), fromMs, toMs }
  return {
    day,
    virtualCar,
    plan,
    stint,
    source: sourceOf(virtualDongle.dongle, stint),
    isFirst: carOn(virtualDongle, day - 1) !== virtualCar,
    isLast: carOn(virtualDongle, day + 1) !== virtualCar,
  }
}

/** What the dongle reads after `fromMs` up to `toMs` on that day if nothing disturbs it. The day's first instant belongs to it. */
export function* plainReadings(
  { plan, source, isFirst, isLast }: DongleDay,
  fromMs: number,
  toMs: number,
): Generator<Reading> {
  const pulledOutMs = plan.toMs - 1
  const isWithin = (timeMs: number) => fromMs < timeMs && timeMs <= toMs
  if (isFirst && isWithin(plan.fromMs)) yield* pluggedIn(source.dongle, plan.fromMs, true)
  const afterMs = Math.max(fromMs, isFirst ? plan.fromMs : plan.fromMs - 1)
  yield* readingsBetween(plan, source, afterMs, Math.min(toMs, isLast ? pulledOutMs - 1 : pulledOutMs))
  if (isLast && isWithin(pulledOutMs)) yield* pluggedIn(source.dongle, pulledOutMs, false)
}

/** All of the day, and what happened. */
export function plainRecording(dongleDay: DongleDay): Recording {
  const { plan, source, stint } = dongleDay
  return {
    dongle: source.dongle,
    readings: [...plainReadings(dongleDay, plan.fromMs - 1, plan.toMs - 1)],
    truth: { trips: plan.drives.map(drive => trueTripOf(drive)), stints: [stint] },
  }
}
