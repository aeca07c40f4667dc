import { clockBeforeFix, clockJumps } from './clock-jumps.ts'
import type { Disturbance } from './disturbance.ts'
import { driftWhileParked } from './drift.ts'
import { teleports, zeroFixes } from './false-positions.ts'
import { gpsNoise } from './gps-noise.ts'
import { missingFirstFix, undergroundGarages } from './hidden-ends.ts'
import { ignitionFlicker } from './ignition-flicker.ts'
import { reboots } from './reboots.ts'
import { deaths, unpluggedWhileDriving } from './silence.ts'
import { towing } from './towing.ts'
import { tunnels } from './tunnels.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Everything that can happen to a dongle, far more often than it does: what hits the boundaries themselves, in a few of a hundred drives. */
export const DISTURBANCES = {
  gpsNoise: gpsNoise({ metres: 8 }),
  drift: driftWhileParked({ metres: 40 }),
  tunnels: tunnels({ share: 0.2, leastMs: 20 * SECOND_MS, mostMs: 150 * SECOND_MS, shows: 'nothing' }),
  frozenTunnels: tunnels({ share: 0.2, leastMs: 20 * SECOND_MS, mostMs: 150 * SECOND_MS, shows: 'the last fix' }),
  garages: undergroundGarages({ share: 0.2, mostMs: 30 * SECOND_MS }),
  missingFirstFix: missingFirstFix({ share: 0.3, mostMs: 40 * SECOND_MS }),
  zeroFixes: zeroFixes({ share: 0.01 }),
  teleports: teleports({ share: 0.005 }),
  ignitionFlicker: ignitionFlicker({ share: 0.2, leastMs: SECOND_MS, mostMs: MINUTE_MS }),
  towing: towing({ share: 0.1 }),
  deaths: deaths({ share: 0.05 }),
  unplugged: unpluggedWhileDriving({ share: 0.05 }),
  reboots: reboots({ share: 0.2, leastMs: MINUTE_MS, mostMs: 2 * MINUTE_MS }),
  clockBeforeFix: clockBeforeFix({ share: 0.02, mostMs: 15 * SECOND_MS }),
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
