import { chance } from '../chance.ts'
import {
  ignitionTries,
  ignitionWhileCharging,
  jitterWhileParked,
  stuckSpeed,
  vibration,
} from '../disturbances/claims-of-parked-cars.ts'
import { clockJumps, clocksAstray } from '../disturbances/clock-jumps.ts'
import {
  type Disturbance,
  disturb,
  type Occurrence,
  type Span,
  stretchesOfDrives,
} from '../disturbances/disturbance.ts'
import { driftWhileParked } from '../disturbances/drift.ts'
import { halfZeroFixes, teleports, zeroFixes } from '../disturbances/false-positions.ts'
import { factoryFixes, oldFirstFixes } from '../disturbances/first-fixes.ts'
import { heldFixes } from '../disturbances/held-fixes.ts'
import { garageStays, type HiddenEnds, withoutFixes } from '../disturbances/hidden-ends.ts'
import { zeroOdometers } from '../disturbances/odometers.ts'
import { reboots } from '../disturbances/reboots.ts'
import { silentWhileDriving, unpluggedWhileDriving } from '../disturbances/silence.ts'
import { spoofing } from '../disturbances/spoofing.ts'
import { tunnels } from '../disturbances/tunnels.ts'
import { happenings } from '../happenings/all-happenings.ts'
import { drainedIn, withDrained } from '../happenings/drained.ts'
import type { Reading } from '../readings.ts'
import type { Recording } from '../recording.ts'
import type { Drive } from '../schedule.ts'
import { countsMiles, countsTooMuch, swapsClusters } from './car-odometers.ts'
import { type DongleDay, plainRecording } from './dongle-day.ts'
import { FLEET_FAULTS, type FleetFault } from './fleet-faults.ts'
import { recentDays } from './recent-days.ts'
import type { VirtualDongle } from './virtual-fleet.ts'

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

const worked = recentDays<DisturbedDay>(2)

/** The day of a dongle with what happens to it, `moved` and `replaced` apart. When a fault occurs does not depend on the others. */
export function disturbedDay(virtualDongle: VirtualDongle, dongleDay: DongleDay): DisturbedDay {
  return worked(virtualDongle, dongleDay.day, () => disturbedAnew(virtualDongle, dongleDay))
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
