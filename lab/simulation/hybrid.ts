import type { Car } from './car.ts'
import { chance } from './chance.ts'
import type { Motion } from './drive-plan.ts'
import { wheelPowerKw } from './powertrain.ts'
import type { Drive } from './schedule.ts'

/** How much power the electric motor gives alone, and up to which speed. */
const MOTOR_KW = 12
const ELECTRIC_UP_TO_KMH = 45
/** This share of short drives needs no engine at all, because the battery was charged. */
const ELECTRIC_SHARE = 0.3
const LONGEST_ELECTRIC_M = 12_000

/** Whether the combustion engine runs at an instant of a drive: that of a hybrid is off at standstill and where little power is needed. */
export function isEngineRunning({ isHybrid }: Car, drive: Drive, motion: Motion): boolean {
  if (!isHybrid) return true
  return !isWhollyElectric(drive) && (motion.speedKmh > ELECTRIC_UP_TO_KMH || wheelPowerKw(motion) > MOTOR_KW)
}

function isWhollyElectric({ lengthM, startMs }: Drive): boolean {
  return lengthM <= LONGEST_ELECTRIC_M && chance(startMs / 1000, lengthM, 91) < ELECTRIC_SHARE
}
