import type { Moment } from '../moment.ts'

/** Ignition and engine are off, and the control units say nothing of a car that drives: if it moves, nobody drives it. */
export function isAsleep({ now, reading }: Moment): boolean {
  if (now.isIgnitionOn === true || now.isEngineOn === true) return false
  if (now.isIgnitionOn === null && now.isEngineOn === null) return false
  return reading.vehicleSpeedKmh === undefined || reading.vehicleSpeedKmh === 0
}
