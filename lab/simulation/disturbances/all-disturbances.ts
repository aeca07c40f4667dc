import type { Disturbance } from './disturbance.ts'
import {
  clockBeforeFix,
  clockJumps,
  clusterSwaps,
  deaths,
  fastOdometers,
  ignitionFlicker,
  milesFromNowOn,
  missingFirstFix,
  reboots,
  silentWhileDriving,
  undergroundGarages,
  unpluggedWhileDriving,
  zeroOdometers,
} from './dongle-faults.ts'
import {
  ignitionTries,
  ignitionWhileCharging,
  jitterWhileParked,
  stuckSpeed,
  towing,
  vibration,
} from './parked-cars.ts'
import {
  driftWhileParked,
  factoryFixes,
  gpsNoise,
  halfZeroFixes,
  heldFixes,
  oldFirstFixes,
  spoofing,
  teleports,
  tunnels,
  zeroFixes,
} from './positions.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Far more often than in reality: 2.6 faults a drive, its stay included, besides noise and drift. */
export const DISTURBANCES = {
  gpsNoise: gpsNoise({ metres: 8 }),
  drift: driftWhileParked({ metres: 40 }),
  // What wakes a dongle in a parked car; before what hides things.
  stuckSpeed: stuckSpeed({ share: 0.04, leastMs: 20 * MINUTE_MS, mostMs: 3 * HOUR_MS }),
  charging: ignitionWhileCharging({ share: 0.05, leastMs: 30 * MINUTE_MS, mostMs: 5 * HOUR_MS }),
  vibration: vibration({ share: 0.05, leastMs: 30 * MINUTE_MS, mostMs: 3 * HOUR_MS }),
  jitter: jitterWhileParked({ share: 0.05, leastMs: 10 * MINUTE_MS, mostMs: HOUR_MS, metres: 75, fastestKmh: 15 }),
  ignitionTries: ignitionTries({ share: 0.08, leastMs: 40 * SECOND_MS, mostMs: 40 * SECOND_MS }),
  tunnels: tunnels({ share: 0.2, leastMs: 20 * SECOND_MS, mostMs: 150 * SECOND_MS, shows: 'nothing' }),
  frozenTunnels: tunnels({ share: 0.2, leastMs: 20 * SECOND_MS, mostMs: 150 * SECOND_MS, shows: 'the last fix' }),
  longTunnels: tunnels({ share: 0.05, leastMs: 13 * MINUTE_MS, mostMs: 13 * MINUTE_MS, shows: 'nothing' }),
  longSilences: silentWhileDriving({ share: 0.04, leastMs: 13 * MINUTE_MS, mostMs: 13 * MINUTE_MS }),
  silences: silentWhileDriving({ share: 0.06, leastMs: 6 * MINUTE_MS, mostMs: 6 * MINUTE_MS }),
  heldFixes: heldFixes({ share: 0.1, leastMs: MINUTE_MS, mostMs: MINUTE_MS }),
  spoofing: spoofing({ share: 0.06, leastMs: MINUTE_MS, mostMs: 5 * MINUTE_MS }),
  garages: undergroundGarages({ share: 0.2, mostMs: 30 * SECOND_MS }),
  missingFirstFix: missingFirstFix({ share: 0.3, leastMs: 0, mostMs: 40 * SECOND_MS }),
  oldFirstFixes: oldFirstFixes({ share: 0.06, leastMs: 20 * SECOND_MS, mostMs: 2 * MINUTE_MS }),
  factoryFixes: factoryFixes({ share: 0.06, leastMs: 10 * SECOND_MS, mostMs: MINUTE_MS }),
  halfZeroFixes: halfZeroFixes({ share: 0.08, leastMs: 20 * SECOND_MS, mostMs: 2 * MINUTE_MS }),
  zeroFixes: zeroFixes({ share: 0.01 }),
  teleports: teleports({ share: 0.005 }),
  clusterSwaps: clusterSwaps({ share: 0.15 }),
  milesFromNowOn: milesFromNowOn({ share: 0.1 }),
  fastOdometers: fastOdometers({ share: 0.1, by: 0.15 }),
  zeroOdometers: zeroOdometers({ share: 0.2, leastMs: 5 * SECOND_MS, mostMs: MINUTE_MS }),
  ignitionFlicker: ignitionFlicker({ share: 0.2, leastMs: SECOND_MS, mostMs: MINUTE_MS }),
  towing: towing({ share: 0.1 }),
  deaths: deaths({ share: 0.05 }),
  unplugged: unpluggedWhileDriving({ share: 0.05 }),
  reboots: reboots({ share: 0.2, leastMs: MINUTE_MS, mostMs: 2 * MINUTE_MS }),
  clockBeforeFix: clockBeforeFix({ share: 0.02, leastMs: 0, mostMs: 15 * SECOND_MS }),
  minutesBack: clockJumps({
    share: 0.04,
    leastMs: 10 * SECOND_MS,
    mostMs: MINUTE_MS,
    leastBackMs: MINUTE_MS,
    mostBackMs: 5 * MINUTE_MS,
  }),
  hoursBack: clockJumps({
    share: 0.02,
    leastMs: 10 * SECOND_MS,
    mostMs: MINUTE_MS,
    leastBackMs: HOUR_MS,
    mostBackMs: 9 * HOUR_MS,
  }),
} as const satisfies Readonly<Record<string, Disturbance>>

export type DisturbanceName = keyof typeof DISTURBANCES
