import { chance, diceOf } from '../chance.ts'
import type { Occurrence, Span } from '../disturbances/disturbance.ts'
import {
  clockJumps,
  clocksAstray,
  type Garages,
  garageStays,
  KM_PER_MILE,
  reboots,
  showing,
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
import type { Schedule } from '../drive-plan.ts'
import type { Recording } from '../recording.ts'
import { FIRST_DAY } from './car-day.ts'
import type { VirtualCar } from './virtual-fleet.ts'

const DESCRIPTIONS = {
  tunnel: 'no position and no network for a minute or two; what was recorded is sent afterwards',
  garage: 'parked below the ground for hours: no position, no network; first live samples, then the rest',
  duplicates: 'packets come again, as if their acknowledgement was lost',
  reboot: 'restarts while driving: nothing is recorded for 20 to 60 s, and then no position for a while',
  'clock-jump': 'timestamps are wrong for up to a minute: some seconds back, or by decades',
  drift: 'the position of a parked car wanders by tens of metres',
  zero: 'the receiver says 0,0 now and then',
  unplugged: 'pulled out while driving and plugged in again when the car has been parked for a while',
  moved: 'every few days two dongles change cars',
  silence: 'nothing is recorded for six minutes under way',
  'long-tunnel': 'no position for thirteen minutes',
  'old-fix': 'at the beginning of a drive the receiver repeats a fix from far away, as after a ferry',
  spoofing: 'for up to five minutes all fixes are 15 to 40 km away and move as the car does',
  'half-zero': 'for a while latitude or longitude is 0, and the other one right',
  charging: 'the ignition of a parked car is on for hours, and the dongle reports as on a drive',
  vibration: 'a parked car is shaken for hours, so that the dongle feels motion',
  jitter: 'fixes of a parked car are anywhere within 75 m, with speeds to match',
  'stuck-speed': 'ignition on, a control unit of a parked car repeats its last speed for hours',
  'zero-odometer': 'at the beginning of a drive the odometer is 0 until the car has answered',
  replaced: 'every few days the dongle of a car is replaced by another one of its kind',
  'cluster-swap': 'every few days, on a drive, the odometer becomes another one with another count',
  miles: 'the odometers of some cars count miles',
  'fast-odometer': 'the odometers of some cars count up to 15 % too much',
  'held-fix': 'for a minute under way the receiver repeats its last fix',
  'factory-fix': 'at the beginning of a drive the receiver tells where it was made',
  'far-fix': 'single fixes are kilometres off',
  'ignition-tries': 'the ignition is on for 40 s, and nobody drives',
} as const

export type FleetFault = keyof typeof DESCRIPTIONS

/** In the words of the command line. The place of each in the list is a seed of its chances. */
export const FLEET_FAULTS = (Object.keys(DESCRIPTIONS) as FleetFault[]).map(name => ({
  name,
  description: DESCRIPTIONS[name],
}))

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
export const TUNNELS: Occurrence = { share: 0.12, leastMs: 20 * SECOND_MS, mostMs: 150 * SECOND_MS }
const GARAGES: Garages = { share: 0.15, mostMs: 30 * SECOND_MS }

/** A jump of seconds is so small that nothing seems to have been before its drive. */
const SECONDS_BACK = clockJumps({
  share: 0.05,
  leastMs: 10 * SECOND_MS,
  mostMs: 60 * SECOND_MS,
  leastBackMs: 10 * SECOND_MS,
  mostBackMs: 40 * SECOND_MS,
})
const DECADES_OFF = clocksAstray({ share: 0.05, leastMs: 10 * SECOND_MS, mostMs: 60 * SECOND_MS })

/** The day of a car on which faults happen. */
interface DayOfCar {
  readonly day: number
  readonly virtualCar: VirtualCar
  readonly plan: Schedule
}

type DayDisturbance = (recording: Recording, seed: number, day: DayOfCar) => Recording

/* What is wrong with the odometer of a car is the same for every dongle in it, on every day. */

const SHARE_OF_CARS = 0.25

const countsMiles: DayDisturbance = (recording, _, { virtualCar: { seed } }) =>
  chance(seed, 151) < SHARE_OF_CARS ? showing(recording, km => km / KM_PER_MILE) : recording

const LEAST_TOO_MUCH = 0.03
const MOST_TOO_MUCH = 0.15

const countsTooMuch: DayDisturbance = (recording, _, { virtualCar: { seed, firstOdometerM } }) => {
  const dice = diceOf(seed, 152)
  if (!dice.happens(SHARE_OF_CARS)) return recording
  const by = dice.between(LEAST_TOO_MUCH, MOST_TOO_MUCH)
  return showing(recording, km => km + (km - firstOdometerM / 1000) * by)
}

const CLUSTER_DAYS = 5
const OLDEST_KM = 250_000

/** Every few days another instrument cluster shows another count, from the middle of a drive on. */
const swapsClusters: DayDisturbance = (recording, _, { virtualCar, day, plan: { drives } }) => {
  const days = day - FIRST_DAY + (virtualCar.seed % CLUSTER_DAYS)
  const cluster = Math.floor(days / CLUSTER_DAYS)
  const now = addedKm(virtualCar, cluster)
  const drive = drives[Math.floor(chance(virtualCar.seed, cluster, 153) * drives.length)]
  if (days % CLUSTER_DAYS !== 0 || !drive) return showing(recording, km => km + now)
  const before = addedKm(virtualCar, cluster - 1)
  const swappedMs = (drive.startMs + drive.endMs) / 2
  return showing(recording, (km, timeMs) => km + (timeMs < swappedMs ? before : now))
}

function addedKm({ seed, firstOdometerM }: VirtualCar, cluster: number): number {
  if (cluster <= 0) return 0
  return diceOf(seed, cluster, 154).whole(-Math.floor(firstOdometerM / 1000), OLDEST_KM)
}

/** In the order in which they happen; clocks last, because all others go by the timestamps. */
export const RECORDED_FAULTS = [
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
  ['garage', (recording, seed) => withoutFixes(recording, garageStaysByDay(recording, seed))],
  ['reboot', reboots({ share: 0.08, leastMs: 20 * SECOND_MS, mostMs: 60 * SECOND_MS, fixAfterMs: 20 * SECOND_MS })],
  ['silence', silentWhileDriving({ share: 0.03, leastMs: 6 * MINUTE_MS, mostMs: 6 * MINUTE_MS })],
  ['unplugged', unpluggedWhileDriving({ share: 0.04 })],
  ['clock-jump', (recording, seed) => DECADES_OFF(SECONDS_BACK(recording, seed), seed + 1)],
] as const satisfies readonly (readonly [FleetFault, DayDisturbance])[]

/** At night cars are parked where there is a network, so that everything is reported by the end of a day. */
export function garageStaysByDay(recording: Recording, seed: number): Span[] {
  return garageStays(recording, GARAGES, seed).filter(({ toMs }) => Number.isFinite(toMs))
}
