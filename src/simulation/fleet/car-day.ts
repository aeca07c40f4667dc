import { chance } from '../chance.ts'
import { planDrive } from '../drive-plan.ts'
import { backwards } from '../route.ts'
import type { Drive, Schedule } from '../schedule.ts'
import { type AddressBook, addressBookOf, roadOf } from './address-book.ts'
import { itineraryOf, type Leg } from './itinerary.ts'
import type { VirtualCar } from './virtual-fleet.ts'

export const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Before it, all cars of the fleet stand at home. */
export const FIRST_DAY = Date.UTC(2025, 0, 1) / DAY_MS
/** Since the last drive of the day before, at least. */
const NIGHT_MS = 3 * 3_600_000

/** Everything that a car does from one day break to the next. At both it is at home, charged and cold. */
export interface CarDay extends Schedule {
  readonly fromMs: number
  readonly toMs: number
}

/** When the `day`th day since 1970 begins for that car. */
export function dayStartMs({ occupation, utcOffsetMin }: VirtualCar, day: number): number {
  const minute = (occupation.dayBreakMin - utcOffsetMin + 1440) % 1440
  return day * DAY_MS + minute * MINUTE_MS
}

/** The day of the car to which an instant belongs. */
export function dayAt(car: VirtualCar, timeMs: number): number {
  return Math.floor((timeMs - dayStartMs(car, 0)) / DAY_MS)
}

/** The last two days of each car that were worked out: what follows is mostly of one of them. */
const planned = new WeakMap<VirtualCar, readonly (readonly [day: number, plan: CarDay])[]>()

/** Works out a day of a car: its drives and how each of them goes. */
export function planCarDay(virtualCar: VirtualCar, day: number): CarDay {
  const known = planned.get(virtualCar) ?? []
  const plan = known.find(([knownDay]) => knownDay === day)?.[1] ?? planAnew(virtualCar, day)
  planned.set(virtualCar, [[day, plan], ...known.filter(([knownDay]) => knownDay !== day).slice(0, 1)])
  return plan
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
    const route = leg.isBack ? backwards(roadOf(way)) : roadOf(way)
    const plan = planDrive(route, Math.floor(chance(seed, day, i, 121) * 2 ** 31), style)
    const notBeforeMs = day * DAY_MS + (leg.notBeforeMin - utcOffsetMin) * MINUTE_MS
    const startMs = Math.round(Math.max(notBeforeMs, freeFromMs + leg.standsMin * MINUTE_MS))
    const lengthM = lengthOf(leg, book)
    const endMs = startMs + plan.lastsMs
    drives.push({ startMs, endMs, plan, lengthM, startOdometerM: odometerM, endsAtCharger: leg.endsAtHome })
    odometerM += lengthM
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

function lengthOf({ place, isBack }: Leg, book: AddressBook): number {
  const way = book.get(place)
  return (isBack ? way?.backM : way?.thereM) ?? 0
}

const MILESTONE_DAYS = 32
/** Odometers at the start of every 32nd day. */
const milestones = new WeakMap<VirtualCar, number[]>()

/** What the odometer shows when a day begins, in whole metres: how far it is follows from where the days before led. */
function odometerBefore(car: VirtualCar, day: number): number {
  const known = milestones.get(car) ?? [car.firstOdometerM]
  milestones.set(car, known)
  const wanted = Math.max(0, Math.floor((day - FIRST_DAY) / MILESTONE_DAYS))
  while (known.length <= wanted) {
    const from = FIRST_DAY + (known.length - 1) * MILESTONE_DAYS
    known.push((known.at(-1) ?? 0) + drivenM(car, from, from + MILESTONE_DAYS))
  }
  return (known[wanted] ?? car.firstOdometerM) + drivenM(car, FIRST_DAY + wanted * MILESTONE_DAYS, day)
}

function drivenM(car: VirtualCar, fromDay: number, toDay: number): number {
  const book = bookOf(car)
  let sumM = 0
  for (let day = fromDay; day < toDay; day++)
    for (const leg of itineraryOf(car.occupation, day, car.seed)) sumM += lengthOf(leg, book)
  return sumM
}
