import { chance } from '../chance.ts'
import { disturb, type Span, stretchesOfDrives } from '../disturbances/disturbance.ts'
import type { Drive } from '../drive-plan.ts'
import { type Reading, readingsBetween } from '../readings.ts'
import { pluggedIn, type Recording, type Stint, sourceOf, trueTripOf } from '../recording.ts'
import type { Source } from '../reports.ts'
import { drainedIn, happenings, withDrained } from '../scenarios.ts'
import { type CarDay, DAY_MS, dayStartMs, FIRST_DAY, planCarDay } from './car-day.ts'
import { faultsBetween } from './fault-codes.ts'
import { FLEET_FAULTS, type FleetFault, garageStaysByDay, RECORDED_FAULTS, TUNNELS } from './fleet-faults.ts'
import { recentDays } from './recent-days.ts'
import type { VirtualCar, VirtualDongle } from './virtual-fleet.ts'

/** A dongle that changes cars stays so long in each; on the first of these days it is in none. */
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

export function plainRecording(dongleDay: DongleDay): Recording {
  const { plan, source, stint } = dongleDay
  return {
    dongle: source.dongle,
    readings: [...plainReadings(dongleDay, plan.fromMs - 1, plan.toMs - 1)],
    truth: { trips: plan.drives.map(drive => trueTripOf(drive)), stints: [stint] },
  }
}

interface DisturbedDay {
  readonly recording: Recording
  readonly undisturbed: Recording
  readonly offline: readonly Span[]
  /** The faults that changed what was recorded from the start of a drive to that of the next one. */
  readonly faultsOf: (drive: Drive) => readonly FleetFault[]
}

/** Anything can happen to the dongle or its car but that it comes into another one, or is replaced. */
export function isDisturbed({ faults, hasHappenings }: VirtualDongle): boolean {
  return hasHappenings || [...faults].some(fault => fault !== 'moved' && fault !== 'replaced')
}

const disturbedBefore = recentDays<DisturbedDay>(2)

/** The day of a dongle with what happens to it, `moved` and `replaced` apart. When a fault occurs does not depend on the others. */
export function disturbedDay(virtualDongle: VirtualDongle, dongleDay: DongleDay): DisturbedDay {
  return disturbedBefore(virtualDongle, dongleDay.day, () => disturbedAnew(virtualDongle, dongleDay))
}

function disturbedAnew(virtualDongle: VirtualDongle, dongleDay: DongleDay): DisturbedDay {
  const { plain, drained } = dayOfCar(virtualDongle, dongleDay)
  const { faults } = virtualDongle
  const seedOf = (fault: FleetFault) => faultSeed(virtualDongle, dongleDay, fault)
  const hit = new Map<FleetFault, ReadonlySet<Drive>>()
  let recording = plain
  for (const [fault, disturbance] of RECORDED_FAULTS) {
    if (!faults.has(fault)) continue
    const before = recording
    recording = disturbance(before, seedOf(fault), dongleDay)
    hit.set(fault, drivesHit(before, recording))
  }
  return {
    recording: withDrained(recording, drained),
    undisturbed: withDrained(plain, drained),
    faultsOf: drive => [...hit].filter(([, drives]) => drives.has(drive)).map(([fault]) => fault),
    offline: [
      ...(faults.has('tunnel') ? stretchesOfDrives(plain, TUNNELS, seedOf('tunnel')) : []),
      ...(faults.has('garage') ? garageStaysByDay(plain, seedOf('garage')) : []),
    ],
  }
}

/** Of 1, which is the rate at which rules are measured. */
const HAPPENS_AT_RATE = 0.2

/** Each day is worked out alone: stolen fuel is back by the next one. */
function dayOfCar({ hasHappenings }: VirtualDongle, dongleDay: DongleDay) {
  const plain = plainRecording(dongleDay)
  if (!hasHappenings) return { plain, drained: { thefts: [], lights: [] } }
  const daySeed = Math.floor(chance(dongleDay.virtualCar.seed, dongleDay.day, 142) * 2 ** 24)
  const happened = disturb(plain, happenings(HAPPENS_AT_RATE), daySeed)
  return { plain: happened, drained: drainedIn(happened, daySeed, HAPPENS_AT_RATE) }
}

export function faultSeed({ seed }: VirtualDongle, { day }: DongleDay, fault: FleetFault): number {
  const place = FLEET_FAULTS.findIndex(({ name }) => name === fault)
  return Math.floor(chance(seed, day, place, 141) * 2 ** 31)
}

function drivesHit(before: Recording, after: Recording): ReadonlySet<Drive> {
  const drives = before.truth.stints.flatMap(({ schedule }) => schedule.drives)
  const differentMs = differing(before.readings, after.readings).map(({ takenMs }) => takenMs)
  return new Set(
    drives.filter(({ startMs }, i) => {
      const nextMs = drives[i + 1]?.startMs ?? Number.POSITIVE_INFINITY
      return differentMs.some(takenMs => startMs <= takenMs && takenMs < nextMs)
    }),
  )
}

/** Those of either that the other one does not have. Most faults leave most of a day as it was. */
function differing(before: readonly Reading[], after: readonly Reading[]): Reading[] {
  let first = 0
  while (first < before.length && before[first] === after[first]) first++
  let same = 0
  const most = Math.min(before.length, after.length) - first
  while (same < most && before[before.length - 1 - same] === after[after.length - 1 - same]) same++
  const [were, are] = [before.slice(first, before.length - same), after.slice(first, after.length - same)]
  const [known, now] = [new Set(were), new Set(are)]
  return [...were.filter(reading => !now.has(reading)), ...are.filter(reading => !known.has(reading))]
}
