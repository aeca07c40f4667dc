import { chance } from '../chance.ts'
import {
  type Disturbance,
  disturb,
  type Occurrence,
  type Span,
  stretchesOfDrives,
} from '../disturbances/disturbance.ts'
import {
  clockJumps,
  clocksAstray,
  garageStays,
  type HiddenEnds,
  reboots,
  silentWhileDriving,
  unpluggedWhileDriving,
  withoutFixes,
  zeroOdometers,
} from '../disturbances/dongle-faults.ts'
import {
  ignitionTries,
  ignitionWhileCharging,
  jitterWhileParked,
  stuckSpeed,
  vibration,
} from '../disturbances/parked-cars.ts'
import {
  driftWhileParked,
  factoryFixes,
  halfZeroFixes,
  heldFixes,
  oldFirstFixes,
  spoofing,
  teleports,
  tunnels,
  zeroFixes,
} from '../disturbances/positions.ts'
import { type Reading, readingsBetween } from '../readings.ts'
import { pluggedIn, type Recording, type Stint, sourceOf, trueTripOf } from '../recording.ts'
import type { Source } from '../reports.ts'
import { drainedIn, happenings, withDrained } from '../scenarios.ts'
import type { Drive } from '../schedule.ts'
import { type CarDay, DAY_MS, dayStartMs, FIRST_DAY, planCarDay } from './car-day.ts'
import { countsMiles, countsTooMuch, swapsClusters } from './car-odometers.ts'
import { faultsBetween } from './fault-codes.ts'
import { FLEET_FAULTS, type FleetFault } from './fleet-faults.ts'
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

/** What a dongle recorded on a day on which something happened to it or its car. */
interface DisturbedDay {
  readonly recording: Recording
  /** What it would have recorded without faults. */
  readonly undisturbed: Recording
  /** When it had no network. */
  readonly offline: readonly Span[]
  /** The faults that changed what was recorded from the start of a drive to that of the next one. */
  readonly faultsOf: (drive: Drive) => readonly FleetFault[]
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const TUNNELS: Occurrence = { share: 0.12, leastMs: 20 * SECOND_MS, mostMs: 150 * SECOND_MS }
const GARAGES: HiddenEnds = { share: 0.15, mostMs: 30 * SECOND_MS }

/** A jump of seconds is so small that nothing seems to have been before its drive. */
const SECONDS_BACK = clockJumps({
  share: 0.05,
  leastMs: 10 * SECOND_MS,
  mostMs: 60 * SECOND_MS,
  leastBackMs: 10 * SECOND_MS,
  mostBackMs: 40 * SECOND_MS,
})
const DECADES_OFF = clocksAstray({ share: 0.05, leastMs: 10 * SECOND_MS, mostMs: 60 * SECOND_MS })

type DayDisturbance = (...of: [...Parameters<Disturbance>, day: DongleDay]) => Recording

/**
 * Faults that change what is recorded, in the order in which they happen; that of clocks comes last, because all others go by
 * the timestamps. Shares are of the drives, that of `zero` of the positions.
 */
const RECORDED_FAULTS = [
  ['drift', driftWhileParked({ metres: 40 })],
  ['charging', ignitionWhileCharging({ share: 0.04, leastMs: 30 * MINUTE_MS, mostMs: 4 * HOUR_MS })],
  ['stuck-speed', stuckSpeed({ share: 0.02, leastMs: 20 * MINUTE_MS, mostMs: 3 * HOUR_MS })],
  ['vibration', vibration({ share: 0.03, leastMs: 30 * MINUTE_MS, mostMs: 3 * HOUR_MS })],
  ['jitter', jitterWhileParked({ share: 0.02, leastMs: 10 * MINUTE_MS, mostMs: HOUR_MS, metres: 75, fastestKmh: 15 })],
  ['ignition-tries', ignitionTries({ share: 0.04, leastMs: 40 * SECOND_MS, mostMs: 40 * SECOND_MS })],
  ['long-tunnel', tunnels({ share: 0.03, leastMs: 13 * MINUTE_MS, mostMs: 13 * MINUTE_MS, shows: 'nothing' })],
  ['spoofing', spoofing({ share: 0.02, leastMs: MINUTE_MS, mostMs: 5 * MINUTE_MS })],
  ['held-fix', heldFixes({ share: 0.05, leastMs: MINUTE_MS, mostMs: MINUTE_MS })],
  ['half-zero', halfZeroFixes({ share: 0.03, leastMs: 20 * SECOND_MS, mostMs: 2 * MINUTE_MS })],
  ['old-fix', oldFirstFixes({ share: 0.03, leastMs: 20 * SECOND_MS, mostMs: 2 * MINUTE_MS })],
  ['factory-fix', factoryFixes({ share: 0.03, leastMs: 10 * SECOND_MS, mostMs: MINUTE_MS })],
  ['fast-odometer', countsTooMuch],
  ['cluster-swap', swapsClusters],
  ['miles', countsMiles],
  ['zero-odometer', zeroOdometers({ share: 0.05, leastMs: 5 * SECOND_MS, mostMs: MINUTE_MS })],
  ['zero', zeroFixes({ share: 0.01 })],
  ['far-fix', teleports({ share: 0.002 })],
  ['tunnel', tunnels({ ...TUNNELS, shows: 'nothing' })],
  ['garage', (recording, seed) => withoutFixes(recording, staysBetweenDrives(recording, seed))],
  ['reboot', reboots({ share: 0.08, leastMs: 20 * SECOND_MS, mostMs: 60 * SECOND_MS, fixAfterMs: 20 * SECOND_MS })],
  ['silence', silentWhileDriving({ share: 0.03, leastMs: 6 * MINUTE_MS, mostMs: 6 * MINUTE_MS })],
  ['unplugged', unpluggedWhileDriving({ share: 0.04 })],
  ['clock-jump', (recording, seed) => DECADES_OFF(SECONDS_BACK(recording, seed), seed + 1)],
] as const satisfies readonly (readonly [FleetFault, DayDisturbance])[]

/** Whether anything can happen to the dongle or its car but that it comes into another one, or is replaced. */
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
      ...(faults.has('garage') ? staysBetweenDrives(plain, seedOf('garage')) : []),
    ],
  }
}

/** Of 1, which is the rate at which rules are measured. */
const HAPPENS_AT_RATE = 0.2

/** What happens to the car. What is stolen from it is back by the next day: each day is worked out alone. */
function dayOfCar({ hasHappenings }: VirtualDongle, dongleDay: DongleDay) {
  const plain = plainRecording(dongleDay)
  if (!hasHappenings) return { plain, drained: { thefts: [], lights: [] } }
  const daySeed = Math.floor(chance(dongleDay.virtualCar.seed, dongleDay.day, 142) * 2 ** 24)
  const happened = disturb(plain, happenings(HAPPENS_AT_RATE), daySeed)
  return { plain: happened, drained: drainedIn(happened, daySeed, HAPPENS_AT_RATE) }
}

/** The chances of a fault on that day. */
export function faultSeed({ seed }: VirtualDongle, { day }: DongleDay, fault: FleetFault): number {
  const place = FLEET_FAULTS.findIndex(({ name }) => name === fault)
  return Math.floor(chance(seed, day, place, 141) * 2 ** 31)
}

/** At night cars are parked where there is a network, so that everything is reported by the end of a day. */
function staysBetweenDrives(recording: Recording, seed: number): Span[] {
  return garageStays(recording, GARAGES, seed).filter(({ toMs }) => Number.isFinite(toMs))
}

/** Drives whose readings a fault changed, from the start of the drive to the start of the next one. */
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
